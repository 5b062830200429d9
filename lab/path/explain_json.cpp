// SPDX-License-Identifier: MIT
#include "lab/path/explain_json.hpp"

#include <fmt/format.h>

#include "lab/report/plain.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::path {
namespace {

using Json = nlohmann::ordered_json;

/// As text: beyond 2^53 readers of JSON round numbers.
std::string address_text(std::uint64_t address) {
    return fmt::format("0x{:016x}", address);
}

Json or_null(const std::optional<std::uint64_t>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// A size, which is 0 where it is not known.
Json size_json(std::uint64_t bytes) {
    return bytes > 0 ? Json(bytes) : Json(nullptr);
}

Json counts_json(const Counts& counts) {
    Json json;
    for (const Quantity& quantity : quantities()) {
        json[std::string(quantity.key)] = counts.*quantity.count;
    }
    json["specials"] = Json::object();
    for (const auto& [name, count] : counts.specials) {
        json["specials"][report::harmless(name)] = count;
    }
    return json;
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
Json side_json(const Traced& traced) {
    Json json{{"target", traced.target},  {"counts", counts_json(traced.anatomy.total)},
              {"phases", Json::object()}, {"stack_bytes", or_null(traced.anatomy.stack_bytes)},
              {"image", nullptr},         {"remarks", traced.remarks}};
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        json["phases"][std::string(name(static_cast<Phase>(phase)))] =
            counts_json(traced.anatomy.phases[phase]);
    }
    if (traced.image) {
        json["image"] = {{"text_bytes", traced.image->text},
                         {"rodata_bytes", traced.image->rodata}};
    }
    return json;
}

Json function_json(const FunctionDifference& function) {
    return {
        {"name", function.name},
        {"fate", name(function.fate)},
        {"into", function.into.empty() ? Json(nullptr) : Json(function.into)},
        {"instructions_difference", function.instructions()},
        {"base", counts_json(function.base)},
        {"change", counts_json(function.change)},
        {"size_bytes",
         {{"base", size_json(function.base_size)}, {"change", size_json(function.change_size)}}}};
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
    json.update(side_json(traced));
    json["functions"] = Json::array();
    for (const FunctionPart& function : traced.anatomy.functions) {
        json["functions"].push_back({{"name", function.name},
                                     {"address", address_text(function.start)},
                                     {"size_bytes", size_json(function.size)},
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
    Json json{{"schema", report::json_schema},
              {"command", "explain"},
              {"workload", explanation.base.workload},
              {"instructions_difference", explanation.difference.instructions},
              {"base", side_json(explanation.base)},
              {"change", side_json(explanation.change)},
              {"functions", Json::array()},
              {"sentences", sentences(explanation, report::harmless)},
              {"instructions", accounts_json(explanation)},
              {"alignment", alignment_json(explanation.difference.pairs)}};
    for (const FunctionDifference& function : explanation.difference.functions) {
        json["functions"].push_back(function_json(function));
    }
    return report::dump(json);
}

}  // namespace kerntoll::lab::path
