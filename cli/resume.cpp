// SPDX-License-Identifier: MIT
#include <memory>

#include "cli/commands.hpp"
#include "cli/session.hpp"

namespace kerntoll::cli {
namespace {

struct Options {
    std::string run;
    lab::store::Limits limits;
    Presentation presentation;
};

}  // namespace

void add_resume(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "resume", "Go on with a run that was interrupted or killed, or ran out of time");
    command.add_option("RUN", options->run, "Number of the run ('kerntoll runs'), or last")
        ->required()
        ->type_name("RUN");
    add_limit_options(command, options->limits);
    add_condition_option(command, options->presentation.fail_if);
    add_output_options(command, options->presentation.output);
    add_store_options(command, options->presentation.store);
    command.callback([options, &invocation] {
        invocation.action = [options] {
            return carry_out(
                resume_session(options->run, options->limits, options->presentation.store),
                options->presentation);
        };
    });
}

}  // namespace kerntoll::cli
