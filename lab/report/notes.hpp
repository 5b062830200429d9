// SPDX-License-Identifier: MIT
// The sentences under a table: what it means, what limits it, what happened, where it comes from.
#pragma once

#include <string>
#include <vector>

#include "lab/report/report.hpp"

namespace kerntoll::lab::report {

struct Note {
    enum class Kind {
        meaning,  ///< what a row says
        event,    ///< what went wrong or was interrupted, and what to do
        limit,    ///< what limits what the table says
        fact,     ///< what the numbers rest on
        origin,   ///< machines, images, seed, the command to repeat it
    };
    Kind kind = Kind::meaning;
    std::string text;
    std::vector<std::string> console = {};  ///< the last lines of a machine that failed
};
[[nodiscard]] std::string_view name(Note::Kind kind);

/// All sentences, kind by kind in the order in which the kinds stand above. Their text is not yet
/// made harmless.
[[nodiscard]] std::vector<Note> notes(const Report& report);

/// The command that repeats the run with its random orders, the one that goes on with it and the
/// one that shows it again.
[[nodiscard]] std::string repeat_command(const store::StoredRun& run);
[[nodiscard]] std::string resume_command(const store::StoredRun& run);
[[nodiscard]] std::string show_command(const store::StoredRun& run);

/// What each part adds to notes().
void add_row_notes(const Report& report, std::vector<Note>& notes);
void add_path_notes(const Report& report, std::vector<Note>& notes);
void add_limit_notes(const Report& report, std::vector<Note>& notes);
void add_run_notes(const Report& report, std::vector<Note>& notes);
void add_origin_notes(const Report& report, std::vector<Note>& notes);

}  // namespace kerntoll::lab::report
