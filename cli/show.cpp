// SPDX-License-Identifier: MIT
#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/results.hpp"

namespace kerntoll::cli {
namespace {

struct Options {
    std::string run;
    OutputOptions output;
    StoreOptions store;
};

lab::Result<Exit> show_run(const Options& options) {
    const auto store = open_store(options.store, lab::store::OpenMode::read);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto id = find_run(*store, options.run);
    if (!id) {
        return std::unexpected(id.error());
    }
    if (auto presented = present(*store, *id, options.output); !presented) {
        return std::unexpected(presented.error());
    }
    return Exit::done;
}

}  // namespace

void add_show(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command =
        *app.add_subcommand("show", "Show a run's table again, computed from its stored batches");
    command.add_option("RUN", options->run, "Number of the run ('kerntoll runs'), or last")
        ->required()
        ->type_name("RUN");
    add_output_options(command, options->output);
    add_store_options(command, options->store);
    command.callback(
        [options, &invocation] { invocation.action = [options] { return show_run(*options); }; });
}

}  // namespace kerntoll::cli
