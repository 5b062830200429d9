// SPDX-License-Identifier: MIT
#include "lab/target/host.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "lab/base/subprocess.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/options.hpp"
#include "lab/target/wire_machine.hpp"

namespace kerntoll::lab {

namespace {

/// A process answers within milliseconds of its start; what takes longer is stuck.
constexpr std::chrono::milliseconds patience{10'000};

class ProcessHousing final : public Housing {
public:
    explicit ProcessHousing(Subprocess process) : process_(std::move(process)) {}

    [[nodiscard]] int exit_fd() const override { return process_.exit_fd(); }
    [[nodiscard]] Result<void> prepare(Deadline /*deadline*/) override { return {}; }
    // Between batches the agent is blocked in read(2) on its line: it uses no CPU, and there is
    // nothing to stop. A SIGSTOP would only add a wake-up to the next batch.
    [[nodiscard]] Result<void> pause(Deadline /*deadline*/) override { return {}; }
    [[nodiscard]] Result<void> go_on(Deadline /*deadline*/) override { return {}; }
    [[nodiscard]] std::optional<std::string> hopeless(const Console& /*console*/) const override {
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> obituary(const Console& /*console*/) override {
        const auto status = process_.poll();
        return status ? std::optional(fmt::format("the agent {}", status->sentence()))
                      : std::nullopt;
    }
    void batch_begins() override {}
    [[nodiscard]] CounterReading batch_ended() override { return {}; }

private:
    Subprocess process_;
};

class HostTarget final : public Target {
public:
    HostTarget(TargetSpec spec, Arch arch, std::filesystem::path agent,
               std::vector<std::pair<std::string, std::string>> setup, int cpu)
        : spec_(std::move(spec)),
          arch_(arch),
          agent_(std::move(agent)),
          setup_(std::move(setup)),
          cpu_(cpu) {}

    [[nodiscard]] const TargetSpec& spec() const override { return spec_; }
    [[nodiscard]] Grade grade() const override { return Grade::virtualised; }
    [[nodiscard]] Scope scope() const override { return Scope::layouts; }
    [[nodiscard]] bool can_count() const override { return false; }
    [[nodiscard]] std::string layout_key() const override { return "host"; }
    [[nodiscard]] Provenance provenance() const override { return {}; }
    [[nodiscard]] std::vector<std::string> remarks() const override { return {}; }
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override;

private:
    TargetSpec spec_;
    Arch arch_;
    std::filesystem::path agent_;
    std::vector<std::pair<std::string, std::string>> setup_;
    int cpu_;
};

Result<std::unique_ptr<Machine>> HostTarget::launch(const Launch& how) {
    auto line = make_socketpair();
    if (!line) {
        return std::unexpected(line.error());
    }
    SpawnPlan plan;
    plan.argv = {agent_.string()};
    plan.standard_input = line->second.get();
    plan.standard_output = line->second.get();
    plan.standard_error = line->second.get();
    plan.cpu = cpu_ >= 0 ? cpu_ : how.cpu;
    auto process = Subprocess::spawn(plan);
    if (!process) {
        return std::unexpected(process.error());
    }
    WireSettings settings;
    settings.label = spec_.text;
    settings.arch = arch_;
    settings.patience = patience;
    settings.setup = setup_;
    return std::make_unique<WireMachine>(std::move(settings),
                                         std::make_unique<ProcessHousing>(*std::move(process)),
                                         std::move(line->first));
}

}  // namespace

Result<std::unique_ptr<Target>> open_host(const TargetSpec& spec) {
    const auto arch = host_arch();
    if (!arch) {
        return fail(Fault::environment, "kerntoll has no agent for this machine's architecture");
    }
    auto agent = agent_path(*arch);
    if (!agent) {
        return std::unexpected(agent.error());
    }
    auto setup = read_treatments(spec);
    if (!setup) {
        return std::unexpected(setup.error());
    }
    constexpr std::uint64_t most_cpus = 1023;
    int cpu = -1;
    if (spec.option("cpu")) {
        const auto number = read_number(spec, "cpu", 0, most_cpus, 0);
        if (!number) {
            return std::unexpected(number.error());
        }
        cpu = static_cast<int>(*number);
    }
    return std::make_unique<HostTarget>(spec, *arch, *std::move(agent), *std::move(setup), cpu);
}

}  // namespace kerntoll::lab
