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

class ProcessHousing : public Housing {
public:
    explicit ProcessHousing(Subprocess process) : process_(std::move(process)) {}

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

protected:
    [[nodiscard]] const Subprocess& process() const { return process_; }

private:
    Subprocess process_;
};

class TimedHousing final : public ProcessHousing {
public:
    /// `counters` may be nullptr: the machine has none.
    TimedHousing(Subprocess process, std::unique_ptr<CounterReader> counters)
        : ProcessHousing(std::move(process)), counters_(std::move(counters)) {}

    [[nodiscard]] Result<void> batch_begins(const Work& /*work*/) override {
        return counters_ ? counters_->start() : Result<void>();
    }
    [[nodiscard]] Result<CounterReading> batch_ended() override {
        return counters_ ? counters_->stop() : CounterReading{};
    }

private:
    std::unique_ptr<CounterReader> counters_;
};

class SteppedHousing final : public ProcessHousing {
public:
    SteppedHousing(Subprocess process, ProcessStepPlan plan)
        : ProcessHousing(std::move(process)), stepper_(std::move(plan), patience) {}

    [[nodiscard]] Result<void> batch_begins(const Work& work) override {
        return stepper_.begin(process(), work);
    }
    [[nodiscard]] Result<void> batch_is_asked_for() override { return stepper_.follow(); }
    [[nodiscard]] Result<CounterReading> batch_ended() override {
        CounterReading reading;
        reading.instructions = stepper_.instructions();
        return reading;
    }

private:
    ProcessStepper stepper_;
};

/// A program that was started, and the lab's end of its line.
struct Started {
    Subprocess process;
    Fd line;
};

Result<Started> start(const std::string& program, int cpu) {
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
    return Started{*std::move(process), std::move(line->first)};
}

std::unique_ptr<Machine> machine_in(std::unique_ptr<Housing> housing, Fd line,
                                    WireSettings settings) {
    settings.patience = patience;
    return std::make_unique<WireMachine>(std::move(settings), std::move(housing), std::move(line));
}

}  // namespace

Result<std::unique_ptr<Machine>> start_process(const std::string& program, int cpu,
                                               KernelCounters counted, WireSettings settings) {
    auto started = start(program, cpu);
    if (!started) {
        return std::unexpected(started.error());
    }
    std::unique_ptr<CounterReader> counters;
    if (counted == KernelCounters::where_there_are_any) {
        if (auto attached = attach_counters(started->process.pid())) {
            counters = *std::move(attached);
        }
    }
    return machine_in(
        std::make_unique<TimedHousing>(std::move(started->process), std::move(counters)),
        std::move(started->line), std::move(settings));
}

Result<std::unique_ptr<Machine>> start_stepped_process(const std::string& program, int cpu,
                                                       ProcessStepPlan plan,
                                                       WireSettings settings) {
    auto started = start(program, cpu);
    if (!started) {
        return std::unexpected(started.error());
    }
    settings.time = WireSettings::Time::stepped;
    return machine_in(
        std::make_unique<SteppedHousing>(std::move(started->process), std::move(plan)),
        std::move(started->line), std::move(settings));
}

}  // namespace kerntoll::lab
