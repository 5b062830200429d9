// SPDX-License-Identifier: MIT
// The list of runs.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "lab/report/numbers.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/render.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::report {
namespace {

using store::RunSummary;

std::string joined(const std::vector<std::string>& words, std::string_view joint) {
    return fmt::format("{}", fmt::join(words, joint));
}

std::string when_local(std::int64_t ns) {
    const std::time_t seconds = ns / 1'000'000'000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:%Y-%m-%d %H:%M}", local);
}

}  // namespace

std::string to_text(std::span<const RunSummary> runs, const Style& style) {
    if (runs.empty()) {
        return "no runs yet\n";
    }
    std::string text = fmt::format("{:>4}  {:<16}  {:<11}  {:>10}  {:>7}  {}\n", "run", "started",
                                   "state", "replicates", "time", "what");
    for (const RunSummary& run : runs) {
        std::string line = fmt::format("{:>4}  {:<16}  {:<11}  {:>10}  {:>7}  ", run.id,
                                       when_local(run.started_ns), store::name(run.state),
                                       run.replicates, duration_text(run.seconds));
        const std::size_t indent = columns_of(line);
        const std::string what = harmless(fmt::format(
            "{} {} ({})", run.command, joined(run.targets, " "), joined(run.workloads, ",")));
        const std::size_t width = std::max<std::size_t>(style.width, 80) - indent;
        for (const std::string& part : wrap(what, width)) {
            text += line + part + "\n";
            line.assign(indent, ' ');
        }
    }
    return text;
}

std::string to_markdown(std::span<const RunSummary> runs) {
    std::string text =
        "| run | started | state | replicates | time | command | targets | workloads |\n"
        "|---:|---|---|---:|---:|---|---|---|\n";
    for (const RunSummary& run : runs) {
        std::string targets;
        for (const std::string& target : run.targets) {
            targets += (targets.empty() ? "" : " ") + markdown_code(target);
        }
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", run.id,
                            when_local(run.started_ns), store::name(run.state), run.replicates,
                            duration_text(run.seconds), markdown_text(run.command), targets,
                            markdown_text(joined(run.workloads, ", ")));
    }
    return text;
}

std::string to_json(std::span<const RunSummary> runs) {
    using nlohmann::ordered_json;
    ordered_json list = ordered_json::array();
    for (const RunSummary& run : runs) {
        list.push_back({{"run_id", run.id},
                        {"command", run.command},
                        {"targets", run.targets},
                        {"workloads", run.workloads},
                        {"state", store::name(run.state)},
                        {"started", time_text(run.started_ns)},
                        {"seconds", run.seconds},
                        {"replicates", run.replicates}});
    }
    return dump({{"schema", json_schema}, {"runs", list}});
}

}  // namespace kerntoll::lab::report
