// SPDX-License-Identifier: MIT
#include "lab/target/host.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lab/target/agent_path.hpp"
#include "lab/target/counters.hpp"
#include "lab/target/host_facts.hpp"
#include "lab/target/options.hpp"
#include "lab/target/process.hpp"

namespace kerntoll::lab {

namespace {

/// Everything that a `host` target was found to be.
struct HostParts {
    TargetSpec spec;
    Arch arch;
    std::filesystem::path agent;
    std::vector<std::pair<std::string, std::string>> setup;
    int cpu = -1;  ///< of the target's own; -1: the run's
    Grade grade = Grade::hardware;
    Provenance facts;
    std::vector<std::string> remarks;
};

class HostTarget final : public Target {
public:
    explicit HostTarget(HostParts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] const TargetSpec& spec() const override { return parts_.spec; }
    [[nodiscard]] Grade grade() const override { return parts_.grade; }
    // Every process draws anew where its stack and the vDSO come to lie, which physical pages hold
    // its code and data, and which of the kernel's own objects (task, kernel stack, page tables)
    // serve it. The agent's virtual addresses and the kernel's code stay.
    [[nodiscard]] Scope scope() const override { return Scope::layouts; }
    [[nodiscard]] bool can_count() const override { return false; }
    [[nodiscard]] std::string layout_key() const override { return "host"; }
    [[nodiscard]] Provenance provenance() const override { return parts_.facts; }
    [[nodiscard]] std::vector<std::string> remarks() const override { return parts_.remarks; }
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override;

private:
    HostParts parts_;
};

Result<std::unique_ptr<Machine>> HostTarget::launch(const Launch& how) {
    WireSettings settings;
    settings.label = parts_.spec.text;
    settings.arch = parts_.arch;
    settings.setup = parts_.setup;
    // Where there are no counters, remarks() has said so.
    return start_process(parts_.agent.string(), parts_.cpu >= 0 ? parts_.cpu : how.cpu,
                         KernelCounters::where_there_are_any, std::move(settings));
}

}  // namespace

Result<std::unique_ptr<Target>> open_host(const TargetSpec& spec) {
    const auto arch = host_arch();
    if (!arch) {
        return fail(Fault::environment, "kerntoll has no agent for this machine's architecture");
    }
    HostParts parts{
        .spec = spec, .arch = *arch, .agent = {}, .setup = {}, .facts = {}, .remarks = {}};
    auto agent = agent_path(*arch);
    if (!agent) {
        return std::unexpected(agent.error());
    }
    parts.agent = *std::move(agent);
    auto setup = read_treatments(spec);
    if (!setup) {
        return std::unexpected(setup.error());
    }
    parts.setup = *std::move(setup);
    if (spec.option("cpu")) {
        constexpr std::uint64_t most = CPU_SETSIZE - 1;
        const auto cpu = read_number(spec, "cpu", 0, most, 0);
        if (!cpu) {
            return std::unexpected(cpu.error());
        }
        parts.cpu = static_cast<int>(*cpu);
        parts.remarks.push_back(
            fmt::format("on CPU {} by its own cpu= and not on the run's; arms on other CPUs differ "
                        "by the CPU too",
                        parts.cpu));
    }
    parts.grade = host_nature().grade;
    parts.facts = host_facts();
    if (const auto counters = attach_counters(getpid()); !counters) {
        parts.remarks.push_back(counters.error().message);
    }
    return std::make_unique<HostTarget>(std::move(parts));
}

}  // namespace kerntoll::lab
