// SPDX-License-Identifier: MIT
#include <memory>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll run host --workload getpid,clock,mix
  kerntoll run linux:bzImage --max-time 30s
)";

struct Options {
    TargetTexts targets;
    MeasureOptions measure;
    Presentation presentation;
};

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand("run", "Measure one target: absolute figures");
    command.add_option("TARGET", options->targets.base, "Target to measure")
        ->required()
        ->type_name("TARGET");
    add_measure_options(command, options->measure);
    add_output_options(command, options->presentation.output);
    add_store_options(command, options->presentation.store);
    command.footer(examples_and_targets(examples));
    command.callback([options, &invocation] {
        invocation.action = [options, &invocation] {
            return carry_out(begin_session("run", invocation.argv, options->targets,
                                           options->measure, options->presentation.store),
                             options->presentation);
        };
    });
}

}  // namespace kerntoll::cli
