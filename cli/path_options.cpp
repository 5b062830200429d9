// SPDX-License-Identifier: MIT
#include "cli/path_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"

namespace kerntoll::cli {
namespace {

constexpr std::uint64_t most_calls = 100;
constexpr std::uint64_t most_rounds = 100'000;

constexpr std::array formats{
    std::pair{"text", PathFormat::text},     std::pair{"markdown", PathFormat::markdown},
    std::pair{"json", PathFormat::json},     std::pair{"svg", PathFormat::svg},
    std::pair{"folded", PathFormat::folded}, std::pair{"speedscope", PathFormat::speedscope}};
constexpr std::size_t formats_of_two = 4;

constexpr std::array recorders{std::pair{"auto", lab::path::Recorder::automatic},
                               std::pair{"plugin", lab::path::Recorder::plugin},
                               std::pair{"gdb", lab::path::Recorder::gdb}};

}  // namespace

void add_path_options(CLI::App& command, PathOptions& options, Paths paths) {
    command
        .add_option("--workload", options.wanted.workload,
                    "Whose call is recorded, one of " + list_of_workloads())
        ->type_name("WORKLOAD")
        ->default_str("getpid");
    command
        .add_option_function<std::string>(
            "--call",
            [&options](const std::string& text) {
                options.wanted.call = whole<std::size_t>("--call", text, 1, most_calls);
            },
            "Which of the system calls that an op makes")
        ->type_name("N")
        ->default_str("1");
    command
        .add_option_function<std::string>(
            "--rounds",
            [&options](const std::string& text) {
                options.wanted.rounds = whole<std::uint64_t>("--rounds", text, 1, most_rounds);
            },
            "Round trips to record, of each call; the path is the one that most of them take "
            "(default: 100, and 20 by single steps)")
        ->type_name("N");
    command
        .add_option_function<std::string>(
            "--recorder",
            [&options](const std::string& text) {
                options.wanted.recorder = std::ranges::find(recorders, text, [](const auto& each) {
                                              return std::string(each.first);
                                          })->second;
            },
            "What records: plugin (in QEMU), gdb (single steps: slower, without accesses to "
            "memory), or auto, which takes the plugin if it can be loaded; hosted: is recorded by "
            "single steps alone")
        ->type_name("RECORDER")
        ->default_str("auto")
        ->check(CLI::IsMember({"auto", "plugin", "gdb"}).description(""));
    command.add_flag_callback(
        "--full", [&options] { options.listing = lab::path::Listing::full; },
        "List every instruction (text and markdown; json has them in any case)");
    std::vector<std::string> names;
    for (std::size_t index = 0; index < (paths == Paths::two ? formats_of_two : formats.size());
         ++index) {
        names.emplace_back(formats[index].first);
    }
    command
        .add_option_function<std::string>(
            "--format",
            [&options](const std::string& text) {
                options.format = std::ranges::find(formats, text, [](const auto& format) {
                                     return std::string(format.first);
                                 })->second;
            },
            paths == Paths::two
                ? "How to print the answer: text, markdown (72 columns), json or svg"
                : "How to print the answer: text, markdown (72 columns), json, svg, "
                  "folded (flame graphs) or speedscope")
        ->type_name("FORMAT")
        ->default_str("text")
        ->check(CLI::IsMember(names).description(""));
}

lab::Result<void> check_path_options(const PathOptions& options) {
    const bool listed = options.format == PathFormat::text ||
                        options.format == PathFormat::markdown ||
                        options.format == PathFormat::json;
    if (options.listing == lab::path::Listing::full && !listed) {
        return lab::fail(lab::Fault::usage,
                         "--full lists instructions, which text, markdown and json can hold; leave "
                         "it out, or choose one of these by --format");
    }
    return {};
}

lab::Result<lab::path::RecordedPath> record_target(const std::string& text,
                                                   const PathOptions& options) {
    auto target = lab::open_target(text);
    if (!target) {
        return std::unexpected(target.error());
    }
    ProgressLine line;
    lab::path::Wanted wanted = options.wanted;
    wanted.booting = [&text] { print_note("recording " + text); };
    wanted.progress = [&line](const lab::StepProgress& at) {
        line.update(fmt::format("round trip {} of {}, {} single steps so far", at.rounds + 1,
                                at.rounds_wanted, at.instructions));
    };
    return lab::path::record_path(**target, wanted);
}

}  // namespace kerntoll::cli
