// SPDX-License-Identifier: MIT
#include "tests/kernel/trial.hpp"

#include <utility>

namespace kerntoll::lab::kernel {
namespace {

store::PathRecord path(std::uint32_t arm, std::vector<store::FunctionChange> functions) {
    store::PathRecord record;
    record.arm = arm;
    record.functions = std::move(functions);
    return record;
}

}  // namespace

store::CountRecord count(std::uint32_t arm, double instructions) {
    return {.arm = arm,
            .workload = 0,
            .instructions_per_op = instructions,
            .loop_instructions = 4,
            .exact = true};
}

store::FunctionChange function(const std::string& name, std::uint64_t base, std::uint64_t change) {
    return {.name = name,
            .fate = change == 0 ? store::Fate::gone : store::Fate::changed,
            .base = base,
            .change = change};
}

PortOutcome measured(Arch arch, double base, double change) {
    PortOutcome port;
    port.arch = arch;
    port.toolchain = {.version = "gcc 12.2.0", .identity = "", .variables = {}};
    const std::vector<std::pair<std::string, store::Role>> sides{
        {"base", store::Role::base},
        {"+ 0001-inline.patch", store::Role::change},
        {"placebo 1", store::Role::placebo}};
    report::Report report;
    report.run.id = 7;
    report.run.run.command = "count";
    report.run.run.workloads = {"getpid"};
    for (std::uint32_t arm = 0; arm < sides.size(); ++arm) {
        port.sides.push_back({.name = sides[arm].first,
                              .role = sides[arm].second,
                              .built = {},
                              .target = "linux:/cache/" + std::to_string(arm)});
        port.sides.back().built.image = "/cache/" + std::to_string(arm) + "/Image";
        port.sides.back().built.image_sha256 = std::to_string(arm);
        port.sides.back().built.code_bytes = arm == 1 ? 4900 : 5000;
        store::ArmRecord record;
        record.index = arm;
        record.role = sides[arm].second;
        record.provenance = {{"qemu_version", "7.2.22 (Debian 1:7.2)"}, {"cpu_model", "rv64"}};
        report.run.run.arms.push_back(record);
        report::Figures figures;
        figures.arm = arm;
        figures.count = count(arm, arm == 1 ? change : base);
        report.figures.push_back(figures);
    }
    report.figures[0].path = path(0, {});
    report.figures[1].path = path(
        1, {function("do_trap_ecall_u", 44, 53), function("syscall_exit_to_user_mode", 22, 0)});
    port.report = report;
    return port;
}

Outcome outcome_of(std::vector<PortOutcome> ports) {
    Outcome outcome;
    outcome.tree = {.path = "/linux",
                    .version = "6.12.117",
                    .commit = "",
                    .named = "linux-source-6.12",
                    .content = "0123456789abcdef"};
    outcome.configuration = "tinyconfig and fragments";
    outcome.command = {"kerntoll", "try", "0001-inline.patch"};
    outcome.version = "0.1.0";
    outcome.ports = std::move(ports);
    return outcome;
}

}  // namespace kerntoll::lab::kernel
