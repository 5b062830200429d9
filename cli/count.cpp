// SPDX-License-Identifier: MIT
#include <memory>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/session.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll count linux:old/bzImage linux:new/bzImage
  kerntoll count linux:Image --workload getpid,mix,close --format json
  kerntoll count hosted: hosted:exit=outlined
)";

struct Options {
    std::vector<std::string> targets;
    MeasureOptions measure;
    Presentation presentation;
};

TargetTexts texts_of(const std::vector<std::string>& targets) {
    return {targets.front(), {targets.begin() + 1, targets.end()}, {}};
}

}  // namespace

void add_count(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "count", "Count instructions per op, exactly, of emulated and hosted targets");
    command
        .add_option("TARGET", options->targets,
                    "One or more targets; the others are compared with the first")
        ->required()
        ->type_name("TARGET");
    add_workload_option(command, options->measure.workloads);
    add_output_options(command, options->presentation.output);
    add_store_options(command, options->presentation.store);
    command.footer(examples_and_targets(examples));
    command.callback([options, &invocation] {
        invocation.action = [options, &invocation] {
            return carry_out(begin_session("count", invocation.argv, texts_of(options->targets),
                                           options->measure, options->presentation.store),
                             options->presentation);
        };
    });
}

}  // namespace kerntoll::cli
