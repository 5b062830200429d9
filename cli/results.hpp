// SPDX-License-Identifier: MIT
// Opening the results file, naming a run in it, and printing a run's report.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "lab/report/render.hpp"
#include "lab/report/report.hpp"
#include "lab/store/store.hpp"

namespace kerntoll::cli {

/// How text is laid out on the terminal in front of us, or in a file.
[[nodiscard]] lab::report::Style terminal_style();

/// Opens the file that the user named, or the default one.
[[nodiscard]] lab::Result<lab::store::Store> open_store(const StoreOptions& options,
                                                        lab::store::OpenMode mode);

/// The run that a user names by its number or as "last". Fault::usage where there is none.
[[nodiscard]] lab::Result<lab::store::RunId> find_run(const lab::store::Store& store,
                                                      const std::string& text);

/// Prints whatever to_text(), to_markdown() and to_json() know, in the wanted format.
template <class What>
[[nodiscard]] lab::Result<void> print_as(const What& what, const OutputOptions& output) {
    switch (output.format) {
        case Format::markdown:
            return print_answer(lab::report::to_markdown(what));
        case Format::json:
            return print_answer(lab::report::to_json(what));
        case Format::text:
            break;
    }
    return print_answer(lab::report::to_text(what, terminal_style()));
}

/// Analyses a stored run, prints it and hands the report on.
[[nodiscard]] lab::Result<lab::report::Report> present(const lab::store::Store& store,
                                                       lab::store::RunId id,
                                                       const OutputOptions& output);

}  // namespace kerntoll::cli
