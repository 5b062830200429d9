// SPDX-License-Identifier: MIT
#include "lab/path/explain_json.hpp"

#include <fmt/format.h>

#include "lab/report/path_json.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::path {
namespace {

using Json = nlohmann::ordered_json;
using report::counts_json;
using report::or_null;
using Source = store::ComparedSizes::Source;

/// As text: beyond 2^53 readers of JSON round numbers.
std::string address_text(std::uint64_t address) {
    return fmt::format("0x{:016x}", address);
}

Json tree_json(const std::vector<Frame>& frames) {
    Json list = Json::array();
    for (const Frame& frame : frames) {
        list.push_back({{"name", frame.name},
                        {"inlined", frame.inlined},
                        {"first_step", frame.first_step},
                        {"own", frame.own},
                        {"total", frame.total},
                        {"children", tree_json(frame.children)}});
    }
    return list;
}

Json step_json(const Anatomy& anatomy, std::uint32_t at) {
    const Step& step = anatomy.steps[at];
    return {{"step", at},
            {"address", address_text(step.instruction->address)},
            {"text", disassembly(*step.instruction)},
            {"function", anatomy.functions[step.function].name},
            {"inlined", step.inlined},
            {"phase", name(step.phase)},
            {"depth", step.depth},
            {"taken", step.taken}};
}

Json accesses_json(const Step& step) {
    Json list = Json::array();
    for (const Access& access : step.accesses) {
        list.push_back({{"address", address_text(access.address)},
                        {"size", access.size},
                        {"store", access.store}});
    }
    return list;
}

/// What can be said of one path as a whole.
Json side_json(const Traced& traced, Source by) {
    Json json{{"target", traced.target},
              {"counts", counts_json(traced.anatomy.total)},
              {"phases", Json::object()},
              {"stack_bytes", or_null(traced.anatomy.stack_bytes)},
              {"image", report::image_json(traced.image, by)},
              {"remarks", traced.remarks}};
    for (std::size_t at = 0; at < phase_count; ++at) {
        const auto phase = static_cast<Phase>(at);
        json["phases"][std::string(name(phase))] =
            is_told(traced.anatomy, phase) ? counts_json(traced.anatomy.phases[at]) : Json(nullptr);
    }
    return json;
}

Json accounts_json(const Explanation& explanation) {
    Json list = Json::array();
    for (const Account& account : accounts(explanation)) {
        for (const auto& [side, at] : account.steps) {
            const bool of_base = side == LoneStep::Side::base;
            Json step =
                step_json(of_base ? explanation.base.anatomy : explanation.change.anatomy, at);
            step["side"] = of_base ? "base" : "change";
            list.push_back(std::move(step));
        }
    }
    return list;
}

/// The alignment in runs: as many steps as `steps` says, of both sides or of one.
Json alignment_json(const std::vector<Pair>& pairs) {
    const auto step = [](const std::optional<std::uint32_t>& at) {
        return at ? Json(*at) : Json(nullptr);
    };
    Json list = Json::array();
    for (std::size_t from = 0; from < pairs.size();) {
        const auto like_the_first = [&](const Pair& pair) {
            return pair.base.has_value() == pairs[from].base.has_value() &&
                   pair.change.has_value() == pairs[from].change.has_value();
        };
        std::size_t to = from;
        while (to < pairs.size() && like_the_first(pairs[to])) {
            ++to;
        }
        list.push_back({{"base", step(pairs[from].base)},
                        {"change", step(pairs[from].change)},
                        {"steps", to - from}});
        from = to;
    }
    return list;
}

}  // namespace

std::string to_json(const Traced& traced) {
    Json json{{"schema", report::json_schema}, {"command", "trace"}, {"workload", traced.workload}};
    json.update(side_json(traced, report::source_of(traced.image, traced.image)));
    json["functions"] = Json::array();
    for (const FunctionPart& function : traced.anatomy.functions) {
        json["functions"].push_back(
            {{"name", function.name},
             {"address", address_text(function.start)},
             {"size_bytes", function.size > 0 ? Json(function.size) : Json(nullptr)},
             {"visits", function.visits},
             {"counts", counts_json(function.counts)}});
    }
    json["tree"] = tree_json(traced.anatomy.tree);
    json["steps"] = Json::array();
    for (std::uint32_t at = 0; at < traced.anatomy.steps.size(); ++at) {
        Json step = step_json(traced.anatomy, at);
        step["accesses"] = accesses_json(traced.anatomy.steps[at]);
        json["steps"].push_back(std::move(step));
    }
    return report::dump(json);
}

std::string to_json(const Explanation& explanation) {
    const Traced& base = explanation.base;
    const Traced& change = explanation.change;
    const Source by = report::source_of(base.image, change.image);
    Json json{{"schema", report::json_schema},
              {"command", "explain"},
              {"workload", base.workload},
              {"instructions_difference", explanation.difference.instructions},
              {"base", side_json(base, by)},
              {"change", side_json(change, by)},
              {"functions", Json::array()},
              {"sentences", sentences(explanation, report::harmless)},
              {"instructions", accounts_json(explanation)},
              {"alignment", alignment_json(explanation.difference.pairs)}};
    const auto changes = changes_of(explanation.difference);
    for (std::size_t at = 0; at < changes.size(); ++at) {
        Json function = report::function_json(changes[at]);
        function["base"] = counts_json(explanation.difference.functions[at].base);
        function["change"] = counts_json(explanation.difference.functions[at].change);
        json["functions"].push_back(std::move(function));
    }
    return report::dump(json);
}

}  // namespace kerntoll::lab::path
