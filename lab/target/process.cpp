// SPDX-License-Identifier: MIT
#include "lab/target/process.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "lab/base/subprocess.hpp"
#include "lab/target/counters.hpp"

namespace kerntoll::lab {

namespace {

/// A process answers within milliseconds of its start; what takes longer is stuck.
constexpr std::chrono::milliseconds patience{10'000};

class ProcessHousing final : public Housing {
public:
    /// `counters` may be nullptr: the machine has none.
    ProcessHousing(Subprocess process, std::unique_ptr<CounterReader> counters)
        : process_(std::move(process)), counters_(std::move(counters)) {}

    [[nodiscard]] int exit_fd() const override { return process_.exit_fd(); }
    [[nodiscard]] Result<void> prepare(Deadline /*deadline*/) override { return {}; }
    // Pinned since its start: there is nothing that could go faster elsewhere.
    [[nodiscard]] Result<void> settle() override { return {}; }
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
    [[nodiscard]] Result<void> batch_begins() override {
        return counters_ ? counters_->start() : Result<void>();
    }
    [[nodiscard]] Result<CounterReading> batch_ended() override {
        return counters_ ? counters_->stop() : CounterReading{};
    }

private:
    Subprocess process_;
    std::unique_ptr<CounterReader> counters_;
};

}  // namespace

Result<std::unique_ptr<Machine>> start_process(const std::string& program, int cpu,
                                               KernelCounters counted, WireSettings settings) {
    auto line = make_socketpair();
    if (!line) {
        return std::unexpected(line.error());
    }
    SpawnPlan plan;
    plan.argv = {program};
    plan.standard_input = line->second.get();
    plan.standard_output = line->second.get();
    plan.standard_error = line->second.get();
    plan.cpu = cpu;
    auto process = Subprocess::spawn(plan);
    if (!process) {
        return std::unexpected(process.error());
    }
    std::unique_ptr<CounterReader> counters;
    if (counted == KernelCounters::where_there_are_any) {
        if (auto attached = attach_counters(process->pid())) {
            counters = *std::move(attached);
        }
    }
    settings.patience = patience;
    return std::make_unique<WireMachine>(
        std::move(settings),
        std::make_unique<ProcessHousing>(*std::move(process), std::move(counters)),
        std::move(line->first));
}

}  // namespace kerntoll::lab
