// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/target/workloads.hpp"

namespace kerntoll::cli {
namespace {

constexpr double default_margin_percent = 0.5;
constexpr std::uint64_t most_blocks = 1000;
constexpr double longest_batch_seconds = 60;  // what an agent calibrates for at most

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
    static const std::map<std::string, Format> formats{
        {"text", Format::text}, {"markdown", Format::markdown}, {"json", Format::json}};
    command
        .add_option_function<std::string>(
            "--format", [&options](const std::string& text) { options.format = formats.at(text); },
            "How to print the answer: text, markdown or json (docs/json.md)")
        ->type_name("FORMAT")
        ->default_str("text")
        ->check(CLI::IsMember(formats).description(""));
}

void add_store_options(CLI::App& command, StoreOptions& options) {
    command
        .add_option("--db", options.path,
                    "File that keeps the results (default: kerntoll/results.db in the user's data "
                    "directory)")
        ->type_name("FILE");
}

std::string list_of_workloads() {
    return fmt::format("{}", fmt::join(lab::agent_workloads, ", "));
}

void add_workload_option(CLI::App& command, std::vector<std::string>& workloads) {
    command
        .add_option_function<std::string>(
            "--workload",
            [&workloads](const std::string& text) {
                workloads = split_list(text);
                if (workloads.empty()) {
                    throw CLI::ValidationError("--workload", "names no workload; write getpid,mix");
                }
                auto sorted = workloads;
                std::ranges::sort(sorted);
                if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
                    throw CLI::ValidationError("--workload", "names " + *twice + " twice");
                }
            },
            "What the user program does per op, one or more of " + list_of_workloads())
        ->type_name("LIST")
        ->default_str("getpid");
}

void add_limit_options(CLI::App& command, lab::store::Limits& limits) {
    command
        .add_option_function<std::string>(
            "--precision",
            [&limits](const std::string& text) {
                limits.precision = value_or_refuse("--precision", parse_percent(text));
            },
            "Stop when every interval's half-width is this small (default: a third of the margin)")
        ->type_name("PERCENT");
    command
        .add_option_function<std::string>(
            "--max-time",
            [&limits](const std::string& text) {
                limits.max_seconds = value_or_refuse("--max-time", parse_duration(text)).count();
            },
            "Stop at about this time, with the replicate then under way: 90s, 10m (default: 2m)")
        ->type_name("TIME");
}

void add_cpu_option(CLI::App& command, std::optional<int>& cpu) {
    command
        .add_option_function<std::string>(
            "--cpu", [&cpu](const std::string& text) { cpu = whole<int>("--cpu", text); },
            "CPU that the machines run on (default: the last one that may be used)")
        ->type_name("N");
}

void add_measure_options(CLI::App& command, MeasureOptions& options) {
    options.margin = std::log1p(default_margin_percent / 100);
    add_workload_option(command, options.workloads);
    command
        .add_option_function<std::string>(
            "--margin",
            [&options](const std::string& text) {
                options.margin = value_or_refuse("--margin", parse_percent(text));
            },
            "Differences smaller than this do not matter: 'equivalent' is meant within it")
        ->type_name("PERCENT")
        ->default_str("0.5");
    add_limit_options(command, options.limits);
    command
        .add_option_function<std::string>(
            "--max-replicates",
            [&options](const std::string& text) {
                options.most_replicates = whole<std::uint32_t>("--max-replicates", text);
            },
            "Stop after this many replicates at the latest (0: no limit)")
        ->type_name("N")
        ->default_str("0");
    command
        .add_option_function<std::string>(
            "--seed",
            [&options](const std::string& text) {
                options.seed = whole<std::uint64_t>("--seed", text);
            },
            "Repeat the random orders of an earlier run (default: drawn, and recorded)")
        ->type_name("N");
    command
        .add_option_function<std::string>(
            "--blocks",
            [&options](const std::string& text) {
                options.blocks = whole<std::uint32_t>("--blocks", text, 1, most_blocks);
            },
            "Batches of each arm and workload per replicate")
        ->type_name("N")
        ->default_str("8");
    command
        .add_option_function<std::string>(
            "--batch",
            [&options](const std::string& text) {
                options.batch_seconds = value_or_refuse("--batch", parse_duration(text)).count();
                if (*options.batch_seconds > longest_batch_seconds) {
                    throw CLI::ValidationError("--batch", "'" + text + "' is longer than a minute");
                }
            },
            "Least time of one batch (default: 20ms on hardware, 50ms emulated)")
        ->type_name("TIME");
    add_cpu_option(command, options.cpu);
    command.add_flag_callback(
        no_count_option, [&options] { options.counting = Counting::off; },
        "Do not count instructions of emulated and hosted targets (saves a boot of each)");
}

void add_path_option(CLI::App& command, PathRecording& recording) {
    recording = PathRecording::on;
    command.add_flag_callback(
        no_path_option, [&recording] { recording = PathRecording::off; },
        "Do not record the paths of emulated and hosted targets (saves a boot of each per "
        "workload)");
}

void add_condition_option(CLI::App& command, std::vector<Condition>& conditions) {
    command
        .add_option_function<std::vector<std::string>>(
            "--fail-if",
            [&conditions](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    for (const Condition& condition :
                         value_or_refuse("--fail-if", parse_conditions(text))) {
                        conditions.push_back(condition);
                    }
                }
            },
            "Exit with 1 if any row has this verdict (slower), or any has another (not-equivalent)")
        ->type_name("VERDICT");
}

}  // namespace kerntoll::cli
