// SPDX-License-Identifier: MIT
// What a trial came to, for scripts.
#include <nlohmann/json.hpp>

#include "lab/kernel/outcome.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::kernel {
namespace {

using Json = nlohmann::ordered_json;

std::string_view role_name(store::Role role) {
    return store::name(role);
}

Json port_json(const PortOutcome& port) {
    Json sides = Json::array();
    for (const MeasuredSide& side : port.sides) {
        sides.push_back({{"name", report::harmless(side.name)},
                         {"role", role_name(side.role)},
                         {"target", side.target},
                         {"image", side.built.image.string()},
                         {"image_sha256", side.built.image_sha256},
                         {"code_bytes", side.built.code_bytes},
                         {"config_sha256", side.built.config_sha256},
                         {"cached", side.built.cached},
                         {"remarks", side.built.remarks}});
    }
    Json found = Json::array();
    for (const Finding& finding : findings(port)) {
        const auto& before = finding.base->count;
        const auto& after = finding.change->count;
        Json functions = Json::array();
        if (finding.change->path) {
            for (const store::FunctionChange& function : finding.change->path->functions) {
                if (function.instructions() != 0) {
                    functions.push_back({{"name", report::harmless(function.name)},
                                         {"fate", store::name(function.fate)},
                                         {"instructions_difference", function.instructions()}});
                }
            }
        }
        found.push_back(
            {{"side", report::harmless(finding.side->name)},
             {"workload", port.report->run.run.workloads[finding.workload]},
             {"base_instructions_per_op",
              before ? Json(before->instructions_per_op) : Json(nullptr)},
             {"instructions_per_op", after ? Json(after->instructions_per_op) : Json(nullptr)},
             {"functions", std::move(functions)},
             {"verdict", finding.time != nullptr ? Json(stats::name(finding.time->decision.verdict))
                                                 : Json(nullptr)}});
    }
    return {{"arch", lab::name(port.arch)},
            {"compiler", port.toolchain.version},
            {"sides", std::move(sides)},
            {"findings", std::move(found)},
            {"report", port.report ? Json::parse(report::to_json(*port.report)) : Json(nullptr)},
            {"error", port.error ? Json(report::harmless(port.error->message)) : Json(nullptr)}};
}

}  // namespace

std::string to_json(const Outcome& outcome) {
    Json ports = Json::array();
    for (const PortOutcome& port : outcome.ports) {
        ports.push_back(port_json(port));
    }
    const Tree& tree = outcome.tree;
    return Json{{"schema", 1},
                {"tree",
                 {{"path", tree.path.string()},
                  {"version", report::harmless(tree.version)},
                  {"commit", tree.is_git() ? Json(tree.commit) : Json(nullptr)},
                  {"named", report::harmless(tree.named)},
                  {"content", tree.content},
                  {"package",
                   tree.package.empty() ? Json(nullptr) : Json(report::harmless(tree.package))}}},
                {"configuration", outcome.configuration},
                {"ports", std::move(ports)},
                {"paragraph", to_paragraph(outcome)},
                {"changes", outcome.changes},
                {"command", command_text(outcome)},
                {"head", outcome.head.empty() ? Json(nullptr) : Json(outcome.head)},
                {"version", outcome.version}}
               .dump(2) +
           '\n';
}

}  // namespace kerntoll::lab::kernel
