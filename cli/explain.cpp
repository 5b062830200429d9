// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
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
#include "lab/path/picture.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll explain linux:old/bzImage linux:new/bzImage
  kerntoll explain linux:old/Image linux:new/Image --format markdown
  kerntoll explain hosted:exit=outlined hosted:
  kerntoll explain 'linux:bzImage,cpu=EPYC' 'linux:bzImage,cpu=EPYC,append="mitigations=off"'
)";

struct Options {
    std::string base;
    std::string change;
    PathOptions path;
};

std::string written(const lab::path::Explanation& explanation, const PathOptions& options) {
    switch (options.format) {
        case PathFormat::markdown:
            return lab::path::to_markdown(explanation, options.listing);
        case PathFormat::json:
            return lab::path::to_json(explanation);
        case PathFormat::svg:
            return lab::path::picture(explanation);
        default:
            return lab::path::to_text(explanation, terminal_style(), options.listing);
    }
}

/// Both paths, recorded in the same way.
lab::Result<std::pair<lab::path::RecordedPath, lab::path::RecordedPath>> record_both(
    const Options& options) {
    auto base = record_target(options.base, options.path);
    if (!base) {
        return std::unexpected(base.error());
    }
    auto change = record_target(options.change, options.path);
    if (!change) {
        return std::unexpected(change.error());
    }
    if (base->trace->target != change->trace->target) {
        return lab::fail(
            lab::Fault::usage,
            fmt::format("explain compares paths of one architecture, and these are of "
                        "two: {} is for {}, {} for {}",
                        options.base, base->trace->target, options.change, change->trace->target));
    }
    const std::array both{&base, &change};
    lab::path::record_alike(both, [&](std::size_t which) {
        PathOptions steps = options.path;
        steps.wanted.recorder = lab::path::Recorder::gdb;
        return record_target(which == 0 ? options.base : options.change, steps);
    });
    for (const auto* each : both) {
        if (!*each) {
            return std::unexpected(each->error());
        }
    }
    return std::pair(*std::move(base), *std::move(change));
}

lab::Result<Exit> show_difference(const Options& options) {
    if (auto fit = check_path_options(options.path); !fit) {
        return std::unexpected(fit.error());
    }
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    auto both = record_both(options);
    if (!both) {
        return std::unexpected(both.error());
    }
    auto& [base, change] = *both;
    const auto explanation = lab::path::explain(std::move(base.traced), std::move(change.traced));
    if (auto printed = print_answer(written(explanation, options.path)); !printed) {
        return std::unexpected(printed.error());
    }
    return Exit::done;
}

}  // namespace

void add_explain(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "explain", "Show where the paths of two targets differ, function by function");
    command
        .add_option("BASE", options->base,
                    "Emulated or hosted target that the change is compared with")
        ->required()
        ->type_name("TARGET");
    command.add_option("CHANGE", options->change, "Emulated or hosted target")
        ->required()
        ->type_name("TARGET");
    add_path_options(command, options->path, Paths::two);
    command.footer(examples_and_targets(examples));
    command.callback([options, &invocation] {
        invocation.action = [options] { return show_difference(*options); };
    });
}

}  // namespace kerntoll::cli
