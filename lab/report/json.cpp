// SPDX-License-Identifier: MIT
// The report for scripts.
#include <fmt/chrono.h>

#include <cmath>
#include <ctime>

#include "lab/report/labels.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_json.hpp"
#include "lab/report/render.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::report {
namespace {

using Json = nlohmann::ordered_json;
using stats::Estimate;
using stats::Interval;

/// Both ends null where there are too few replicates for an interval.
Json percent_json(const Interval& interval) {
    if (!std::isfinite(interval.half_width())) {
        return {nullptr, nullptr};
    }
    return {percent_of(interval.low), percent_of(interval.high)};
}

Json percent_json(const std::vector<double>& effects) {
    Json list = Json::array();
    for (const double effect : effects) {
        list.push_back(percent_of(effect));
    }
    return list;
}

/// null where there are no replicates: an effect of zero would be a claim.
Json effect_json(const Estimate& estimate) {
    return estimate.replicates > 0 ? Json(percent_of(estimate.effect)) : Json(nullptr);
}

Json estimate_json(const Estimate& estimate) {
    return {{"replicates", estimate.replicates},
            {"effect_percent", effect_json(estimate)},
            {"interval_percent", percent_json(estimate.interval95)},
            {"interval99_percent", percent_json(estimate.interval99)}};
}

Json instructions_of(const Figures& side) {
    return side.count ? Json(side.count->instructions_per_op) : Json(nullptr);
}

Json loop_of(const Figures& side) {
    return side.count ? Json(side.count->loop_instructions) : Json(nullptr);
}

Json exact_of(const Figures& side) {
    return side.count ? Json(side.count->exact) : Json(nullptr);
}

Json counters_of(const Figures& side) {
    if (!side.counters.any()) {
        return nullptr;
    }
    return {{"instructions_per_op", or_null(side.counters.instructions)},
            {"cycles_per_op", or_null(side.counters.cycles)},
            {"branch_misses_per_op", or_null(side.counters.branch_misses)},
            {"l1i_misses_per_op", or_null(side.counters.l1i_misses)}};
}

Json modes_of(const Figures& side) {
    Json list = Json::array();
    for (const stats::Mode& mode : side.modes) {
        list.push_back({{"ns_per_op", mode.centre}, {"replicates", mode.members}});
    }
    return list;
}

/// The same quantity of both sides.
template <class Get>
Json both(const Row& row, Get get) {
    return {{"base", get(row.base)}, {"change", get(row.change)}};
}

Json placebos_json(const Report& report, const Row& row) {
    Json list = Json::array();
    for (const Placebo& placebo : row.placebos) {
        Json each = estimate_json(placebo.estimate);
        each["target"] = report.run.run.arms[placebo.arm].target;
        list.push_back(std::move(each));
    }
    return list;
}

Json outlook_json(const Row& row) {
    if (!row.outlook) {
        return nullptr;
    }
    return {{"replicates", row.outlook->replicates}, {"seconds", row.outlook->seconds}};
}

Json comparison_row(const Report& report, const Row& row) {
    const auto& run = report.run.run;
    return {
        {"run_id", report.run.id},
        {"workload", run.workloads[row.workload]},
        {"base", run.arms[0].target},
        {"change", run.arms[row.change.arm].target},
        {"verdict", stats::name(row.decision.verdict)},
        {"effect_percent", effect_json(row.estimate)},
        {"interval_percent", percent_json(row.estimate.interval95)},
        {"replicates", row.estimate.replicates},
        {"scope", name(row.scope)},
        {"grade", name(row.grade)},
        {"instructions_per_op", both(row, instructions_of)},
        {"loop_instructions", both(row, loop_of)},
        {"instructions_exact", both(row, exact_of)},
        {"ns_per_op", both(row, [](const Figures& side) { return or_null(side.ns_per_op); })},
        {"ticks_per_op", both(row, [](const Figures& side) { return or_null(side.ticks_per_op); })},
        {"hardware_counters", both(row, counters_of)},
        {"path", paths_json(report, row)},
        {"reason", row.decision.reason},
        {"layout_untested", row.decision.layout_untested},
        {"adjusted_p", row.adjusted_p},
        {"control", row.control ? estimate_json(*row.control) : Json(nullptr)},
        {"placebos", placebos_json(report, row)},
        {"between_replicates_share", or_null(row.between_share)},
        {"smallest_detectable_percent", percent_of(row.smallest_detectable)},
        {"modes", both(row, modes_of)},
        {"to_reach_precision", outlook_json(row)},
        {"replicate_effects_percent", percent_json(row.effects)}};
}

Json ns_interval_json(const Figures& figures) {
    if (figures.times.empty() || !std::isfinite(figures.ns_interval.half_width())) {
        return {nullptr, nullptr};
    }
    return {figures.ns_interval.low, figures.ns_interval.high};
}

/// A row of `run` and `count`: one target alone.
Json single_row(const Report& report, std::size_t workload, std::size_t arm) {
    const auto& run = report.run.run;
    const Figures& figures = report.of(workload, arm);
    const Figures& base = report.of(workload, 0);
    Json row = {{"run_id", report.run.id},
                {"workload", run.workloads[workload]},
                {"target", run.arms[arm].target},
                {"replicates", figures.times.size()},
                {"scope", name(run.arms[arm].scope)},
                {"grade", name(run.arms[arm].grade)},
                {"instructions_per_op", instructions_of(figures)},
                {"loop_instructions", loop_of(figures)},
                {"instructions_exact", exact_of(figures)},
                {"ns_per_op", or_null(figures.ns_per_op)},
                {"ns_per_op_interval", ns_interval_json(figures)},
                {"ticks_per_op", or_null(figures.ticks_per_op)},
                {"hardware_counters", counters_of(figures)},
                {"modes", modes_of(figures)},
                {"replicate_ns_per_op", figures.times}};
    if (arm > 0 && figures.count && base.count) {
        const double difference =
            figures.count->instructions_per_op - base.count->instructions_per_op;
        row["instructions_difference"] = difference;
        row["instructions_difference_percent"] = 100 * difference / base.count->instructions_per_op;
    }
    return row;
}

Json rows_json(const Report& report) {
    const auto& run = report.run.run;
    Json rows = Json::array();
    for (const Row& row : report.rows) {
        if (run.command != "count") {
            rows.push_back(comparison_row(report, row));
        }
    }
    if (rows.empty()) {
        for (std::size_t workload = 0; workload < run.workloads.size(); ++workload) {
            for (std::size_t arm = 0; arm < run.arms.size(); ++arm) {
                rows.push_back(single_row(report, workload, arm));
            }
        }
    }
    return rows;
}

Json facts_json(const Provenance& facts) {
    Json object = Json::object();
    for (const auto& [key, value] : facts) {
        object[key] = value;
    }
    return object;
}

Json arms_json(const store::RunRecord& run) {
    Json arms = Json::array();
    for (const store::ArmRecord& arm : run.arms) {
        arms.push_back({{"arm", arm.index},
                        {"label", label(run, arm.index)},
                        {"role", store::name(arm.role)},
                        {"target", arm.target},
                        {"grade", name(arm.grade)},
                        {"scope", name(arm.scope)},
                        {"layout_key", arm.layout_key},
                        {"provenance", facts_json(arm.provenance)},
                        {"remarks", arm.remarks}});
    }
    return arms;
}

Json events_json(const store::StoredRun& run) {
    Json events = Json::array();
    for (const store::EventRecord& event : run.events) {
        events.push_back({{"kind", event.kind},
                          {"replicate", or_null(event.replicate)},
                          {"arm", or_null(event.arm)},
                          {"text", event.text},
                          {"console", event.console}});
    }
    return events;
}

Json notes_json(const Report& report) {
    Json list = Json::array();
    for (const Note& note : notes(report)) {
        list.push_back({{"kind", name(note.kind)}, {"text", note.text}});
    }
    return list;
}

}  // namespace

std::string dump(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string time_text(std::int64_t ns) {
    const std::time_t seconds = ns / 1'000'000'000;
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
}

std::string to_json(const Report& report) {
    const store::StoredRun& run = report.run;
    return dump({{"schema", json_schema},
                 {"run_id", run.id},
                 {"command", run.run.command},
                 {"state", store::name(run.state)},
                 {"why", run.why},
                 {"started", time_text(run.started_ns)},
                 {"seconds", run.seconds},
                 {"replicates", report.replicates},
                 {"version", run.run.version},
                 // As text: numbers above 2^53 do not survive many a JSON reader.
                 {"seed", std::to_string(run.run.seed)},
                 {"margin_percent", percent_of(run.run.margin)},
                 {"precision_percent", percent_of(run.run.precision)},
                 {"rows", rows_json(report)},
                 {"arms", arms_json(run.run)},
                 {"environment", facts_json(run.run.environment)},
                 {"events", events_json(run)},
                 {"notes", notes_json(report)},
                 {"repeat", repeat_command(run)},
                 {"resume", resume_command(run)}});
}

}  // namespace kerntoll::lab::report
