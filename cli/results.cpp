// SPDX-License-Identifier: MIT
#include "cli/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "cli/terminal.hpp"

namespace kerntoll::cli {

lab::report::Style terminal_style() {
    using lab::report::Colour;
    return {columns(STDOUT_FILENO), may_colour(STDOUT_FILENO) ? Colour::on : Colour::off};
}

lab::Result<lab::store::Store> open_store(const StoreOptions& options, lab::store::OpenMode mode) {
    if (options.path) {
        return lab::store::Store::open(*options.path, mode);
    }
    const auto path = lab::store::default_path();
    if (!path) {
        return std::unexpected(path.error());
    }
    return lab::store::Store::open(*path, mode);
}

lab::Result<lab::store::RunId> find_run(const lab::store::Store& store, const std::string& text) {
    const auto runs = store.list();
    if (!runs) {
        return std::unexpected(runs.error());
    }
    if (runs->empty()) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("there are no runs in {} yet", store.path().string()));
    }
    if (text == "last") {
        return runs->back().id;
    }
    lab::store::RunId id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (!is_number || std::ranges::find(*runs, id, &lab::store::RunSummary::id) == runs->end()) {
        return lab::fail(
            lab::Fault::usage,
            fmt::format("there is no run '{}' in {}; 'kerntoll runs' lists them, 'last' is {}",
                        text, store.path().string(), runs->back().id));
    }
    return id;
}

lab::Result<lab::report::Report> present(const lab::store::Store& store, lab::store::RunId id,
                                         const OutputOptions& output) {
    auto report = lab::report::analyse(store, id);
    if (report) {
        if (auto printed = print_as(*report, output); !printed) {
            return std::unexpected(printed.error());
        }
    }
    return report;
}

}  // namespace kerntoll::cli
