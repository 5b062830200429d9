// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/path_options.hpp"
#include "cli/results.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/path/explain_json.hpp"
#include "lab/path/explain_markdown.hpp"
#include "lab/path/flame.hpp"
#include "lab/path/picture.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll trace linux:bzImage
  kerntoll trace linux:bzImage --workload mix --call 2 --full
  kerntoll trace hosted:exit=outlined
  kerntoll trace linux:bzImage,symbols=System.map --format folded | flamegraph.pl >getpid.svg
)";

struct Options {
    std::string target;
    PathOptions path;
};

std::string written(const lab::path::Traced& traced, const PathOptions& options) {
    switch (options.format) {
        case PathFormat::text:
            return lab::path::to_text(traced, terminal_style(), options.listing);
        case PathFormat::markdown:
            return lab::path::to_markdown(traced, options.listing);
        case PathFormat::json:
            return lab::path::to_json(traced);
        case PathFormat::svg:
            return lab::path::picture(traced);
        case PathFormat::folded:
            return lab::path::folded(traced.anatomy);
        case PathFormat::speedscope:
            break;
    }
    return lab::path::speedscope(traced.anatomy, traced.target + " " + traced.workload);
}

lab::Result<Exit> show_path(const Options& options) {
    if (auto fit = check_path_options(options.path); !fit) {
        return std::unexpected(fit.error());
    }
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    const auto recorded = record_target(options.target, options.path);
    if (!recorded) {
        return std::unexpected(recorded.error());
    }
    if (auto printed = print_answer(written(recorded->traced, options.path)); !printed) {
        return std::unexpected(printed.error());
    }
    return Exit::done;
}

}  // namespace

void add_trace(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "trace", "Show the instructions that one system call executes, from trap to return");
    command.add_option("TARGET", options->target, "Emulated or hosted target")
        ->required()
        ->type_name("TARGET");
    add_path_options(command, options->path, Paths::one);
    command.footer(examples_and_targets(examples));
    command.callback(
        [options, &invocation] { invocation.action = [options] { return show_path(*options); }; });
}

}  // namespace kerntoll::cli
