// SPDX-License-Identifier: MIT
#include <memory>
#include <span>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/results.hpp"

namespace kerntoll::cli {
namespace {

struct Options {
    OutputOptions output;
    StoreOptions store;
};

lab::Result<Exit> list_runs(const Options& options) {
    const auto store = open_store(options.store, lab::store::OpenMode::read);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto runs = store->list();
    if (!runs) {
        return std::unexpected(runs.error());
    }
    if (auto printed = print_as(std::span<const lab::store::RunSummary>(*runs), options.output);
        !printed) {
        return std::unexpected(printed.error());
    }
    return Exit::done;
}

}  // namespace

void add_runs(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand("runs", "List the runs in the results file");
    add_output_options(command, options->output);
    add_store_options(command, options->store);
    command.callback(
        [options, &invocation] { invocation.action = [options] { return list_runs(*options); }; });
}

}  // namespace kerntoll::cli
