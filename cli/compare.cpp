// SPDX-License-Identifier: MIT
#include <memory>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll compare host host,seccomp=args
  kerntoll compare linux:old/bzImage linux:new/bzImage --workload getpid,mix
  kerntoll compare linux:Image-a linux:Image-b --placebo linux:Image-a-moved
  kerntoll compare 'linux:bzImage,cpu=EPYC' 'linux:bzImage,cpu=EPYC,append="mitigations=off"'
  kerntoll compare host host,pad=40 --fail-if slower --format json
)";

struct Options {
    TargetTexts targets;
    MeasureOptions measure;
    Presentation presentation;
};

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command =
        *app.add_subcommand("compare", "Compare entry paths and return a verdict on each change");
    command.add_option("BASE", options->targets.base, "Target that the changes are compared with")
        ->required()
        ->type_name("TARGET");
    command.add_option("CHANGE", options->targets.changes, "One or more targets")
        ->required()
        ->type_name("TARGET");
    command
        .add_option("--placebo", options->targets.placebos,
                    "BASE's code at other addresses; an effect inside the placebos' spread is "
                    "'layout-like'. Repeatable")
        ->type_name("TARGET")
        ->expected(1)
        ->take_all();
    add_measure_options(command, options->measure);
    add_path_option(command, options->measure.recording);
    add_condition_option(command, options->presentation.fail_if);
    add_output_options(command, options->presentation.output);
    add_store_options(command, options->presentation.store);
    command.footer(examples_and_targets(examples));
    command.callback([options, &invocation] {
        invocation.action = [options, &invocation] {
            return carry_out(begin_session("compare", invocation.argv, options->targets,
                                           options->measure, options->presentation.store),
                             options->presentation);
        };
    });
}

}  // namespace kerntoll::cli
