// SPDX-License-Identifier: MIT
// What a trial of a change came to, and how it is told: as a table, as a paragraph for a commit
// message, as a block for a cover letter, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/kernel/builder.hpp"
#include "lab/report/render.hpp"
#include "lab/report/report.hpp"

namespace kerntoll::lab::kernel {

/// One side of a comparison with the target that it was measured as.
struct MeasuredSide {
    std::string name;  ///< "base", "+ 0001-inline.patch", "placebo 1"
    store::Role role = store::Role::base;
    Built built;
    std::string target;  ///< as typed for other commands
};

/// One architecture and compiler.
struct PortOutcome {
    Arch arch = Arch::x86_64;
    Toolchain toolchain;
    std::vector<MeasuredSide> sides = {};       ///< as far as they were built; the base first
    std::optional<report::Report> report = {};  ///< what was measured, if anything was
    std::optional<Error> error = {};            ///< why it did not come to its end
    bool cannot_be_run = false;  ///< the error: this machine lacks what would run its kernels
    std::vector<std::string> notes = {};  ///< files that were saved, and the like
};

/// Everything.
struct Outcome {
    Tree tree;
    std::string configuration;              ///< where it comes from, in words
    std::vector<std::string> changes = {};  ///< what identifies them: "1.patch (SHA-256 0123…)"
    std::vector<std::string> command = {};  ///< that repeats it, word by word
    std::string folder = {};                ///< in which it was given
    std::string head = {};                  ///< of a git tree, the commit that was checked out
    std::string version;                    ///< of kerntoll
    std::vector<PortOutcome> ports = {};
};

/// One change on one port, in the numbers that every form tells. Null pointers where nothing was
/// measured.
struct Finding {
    const PortOutcome* port = nullptr;
    const MeasuredSide* side = nullptr;
    const report::Figures* base = nullptr;
    const report::Figures* change = nullptr;
    const report::Figures* before = nullptr;  ///< a change's rung before it: the base for the first
    const report::Row* time = nullptr;        ///< null where no time was measured, and where there
                                              ///< is only noise: of an image that is the base's
    std::uint32_t workload = 0;
};
/// Of a port that was measured, the changes and placebos in their order, workload by workload.
/// The outcome must outlive them.
[[nodiscard]] std::vector<Finding> findings(const PortOutcome& port);

/// Whether there is more than one change, each on top of those before it.
[[nodiscard]] bool is_ladder(const PortOutcome& port);
/// A change's own part of a ladder, in instructions per op: "-2", "0"; empty for a placebo.
[[nodiscard]] std::string step_text(const Finding& finding);

/// What moving code alone does to a workload's count on a port, as its placebos show it.
struct LayoutReach {
    std::size_t placebos = 0;  ///< that were counted, exactly as the base was
    std::size_t same = 0;      ///< that execute as many instructions as the base
    double low = 0;            ///< the least difference from the base, instructions per op
    double high = 0;           ///< the largest
};
[[nodiscard]] LayoutReach layout_reach(const PortOutcome& port, std::uint32_t workload);
/// "moving code alone changes the number of instructions of getpid by -1 to +2"; empty where no
/// placebo counts otherwise than the base.
[[nodiscard]] std::string layout_text(const PortOutcome& port, std::uint32_t workload);

/// What was remarked when a side was built and not of the base as well, of which it is told once.
[[nodiscard]] std::vector<std::string> own_remarks(const PortOutcome& port,
                                                   const MeasuredSide& side);

/// The functions whose numbers of instructions differ, those that differ most first:
/// "syscall_exit_to_user_mode -22, do_trap_ecall_u +9"; empty without paths. Says of which call,
/// where an op makes several and the numbers do not add up to the op's.
[[nodiscard]] std::string functions_text(const Finding& finding);
/// "text -26 bytes", "text as large": of all functions, by the symbols of vmlinux; "the same image"
/// where the change made the very bytes of the base's. Empty where it is not known, where both
/// sides are one image (under two command lines), and for a placebo, whose size is its padding's.
[[nodiscard]] std::string size_text(const Finding& finding);
/// An effect with its interval; empty where there are too few replicates for one: a number alone
/// would be taken for a result.
[[nodiscard]] std::string effect_text(const stats::Estimate& estimate);
/// "time under emulation: undecided (+0.5 %, 95 % interval [-0.4, +1.3]; 9 boots of each)", in
/// words that need no manual; "time under emulation told nothing: noise alone is ±29 %
/// (9 boots of each)" where noise hides all that a patch could do; empty without time.
[[nodiscard]] std::string time_text(const Finding& finding);
/// What the numbers rest on, as sentences: enough to judge them by, or to repeat them too.
enum class Detail { brief, whole };
[[nodiscard]] std::vector<std::string> provenance(const Outcome& outcome, Detail detail);

/// The command that repeats it here, for a shell, on one line, with the folder to be in.
[[nodiscard]] std::string command_text(const Outcome& outcome);
/// The command as it was given, for a page: indented lines that a shell joins.
[[nodiscard]] std::string command_block(const Outcome& outcome);
/// "Repeat it", and what must be checked out for that.
[[nodiscard]] std::string repeat_text(const Outcome& outcome);

/// For a commit message: no line is wider than 72 columns, but for a single word that is longer.
[[nodiscard]] std::string to_paragraph(const Outcome& outcome);
/// For the cover letter: 72 columns, but for the table's rows and words of the command.
[[nodiscard]] std::string to_markdown(const Outcome& outcome);
/// For a terminal, with the paragraph at its end.
[[nodiscard]] std::string to_text(const Outcome& outcome, const report::Style& style);
/// docs/json.md describes it.
[[nodiscard]] std::string to_json(const Outcome& outcome);

}  // namespace kerntoll::lab::kernel
