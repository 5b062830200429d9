// SPDX-License-Identifier: MIT
// A machine with an agent in it: a process or a virtual machine. All of them are measured by the
// same code; what they differ in stands behind Housing.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/target/agent_client.hpp"
#include "lab/target/requests.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// What an agent lives in. Destroying it ends it and everything it started.
class Housing {
public:
    Housing() = default;
    Housing(const Housing&) = delete;
    Housing& operator=(const Housing&) = delete;
    virtual ~Housing() = default;

    /// Readable once it has ended.
    [[nodiscard]] virtual int exit_fd() const = 0;
    /// What must be done before the agent can be expected to answer.
    [[nodiscard]] virtual Result<void> prepare(Deadline deadline) = 0;
    /// The agent answers and is set up: from now on it is measured.
    [[nodiscard]] virtual Result<void> settle() = 0;
    [[nodiscard]] virtual Result<void> pause(Deadline deadline) = 0;
    [[nodiscard]] virtual Result<void> go_on(Deadline deadline) = 0;
    /// Why no agent can answer any more, told from its console ("the kernel panicked: …"); nothing
    /// while one still may.
    [[nodiscard]] virtual std::optional<std::string> hopeless(const Console& console) const = 0;
    /// How it ended ("QEMU was killed by signal 9 (Killed)"); nothing while it still runs.
    [[nodiscard]] virtual std::optional<std::string> obituary(const Console& console) = 0;
    /// Brackets one batch, for whoever counts events meanwhile.
    [[nodiscard]] virtual Result<void> batch_begins(const Work& work) = 0;
    /// What takes the time while the batch runs, for whoever follows it. Comes after the request
    /// for the batch was sent and before its answer is waited for; a failure gives the batch up.
    [[nodiscard]] virtual Result<void> batch_is_asked_for() { return {}; }
    [[nodiscard]] virtual Result<CounterReading> batch_ended() = 0;
};

/// How a WireMachine treats its agent.
struct WireSettings {
    std::string label;         ///< the target's text, for messages
    std::optional<Arch> arch;  ///< what the agent must be for
    /// Longest time from the start to the agent's first answer, and longest silence beyond the
    /// expected end of a batch.
    std::chrono::milliseconds patience{60'000};
    Treatments setup;
    /// Whether setup and run are sent, or the machine came with them (script_of) and is asked how
    /// they ended.
    enum class Requests { sent, scripted } requests = Requests::sent;
    /// The counter's frequency where the machine's builder knows it and the agent cannot; 0:
    /// neither.
    std::uint64_t counter_hz = 0;
    /// Instructions that each system call executes and the machine's counter leaves out.
    unsigned uncounted_per_call = 0;
    /// Whether the machine's clock runs with the lab's. It does not while instructions make the
    /// time; and where the lab steps, between any two readings lies what the lab took.
    enum class Time { real, counted, stepped } time = Time::real;
};

class WireMachine final : public Machine {
public:
    WireMachine(WireSettings settings, std::unique_ptr<Housing> housing, Line line);

    [[nodiscard]] Result<void> wait_ready() override;
    [[nodiscard]] const Identity& identity() const override { return identity_; }
    [[nodiscard]] Result<std::uint64_t> calibrate(const Work& work,
                                                  std::chrono::nanoseconds at_least) override;
    [[nodiscard]] Result<Sample> run(const Work& work, std::uint64_t ops) override;
    [[nodiscard]] Result<std::string> prove(const Work& work) override;
    [[nodiscard]] Result<void> pause() override;
    [[nodiscard]] Result<void> go_on() override;
    [[nodiscard]] Result<std::uint64_t> read_symbols() override;
    [[nodiscard]] Result<KernelSymbol> symbol_at(std::uint64_t address) override;
    [[nodiscard]] std::vector<std::string> console_tail() const override {
        return client_.console().tail();
    }

private:
    [[nodiscard]] Result<void> await_agent();
    [[nodiscard]] Result<void> identify();
    /// Fault::usage that names the agent's workloads where this is not one of them.
    [[nodiscard]] Result<void> check_workload(const Work& work) const;
    [[nodiscard]] Result<void> set_up();
    [[nodiscard]] Result<Answer> ask(std::string_view payload, std::string_view doing,
                                     std::chrono::nanoseconds expected,
                                     const Meanwhile& meanwhile = {});
    [[nodiscard]] Result<Answer> ask(std::string_view payload, std::string_view doing,
                                     const Patience& patience, const Meanwhile& meanwhile = {});
    [[nodiscard]] Result<void> check_clock(const Sample& sample, std::string_view doing,
                                           std::chrono::nanoseconds waited);
    [[nodiscard]] std::unexpected<Error> lost(const NoAnswer& why, std::string_view doing);
    [[nodiscard]] std::unexpected<Error> fault(std::string_view sentence);
    [[nodiscard]] std::unexpected<Error> wrong_answer(std::string_view doing,
                                                      std::string_view detail);
    /// The housing's own account if it has ended, else the error as it is.
    [[nodiscard]] std::unexpected<Error> explain(const Error& error, std::string_view doing);

    WireSettings settings_;
    Deadline boot_deadline_;
    std::unique_ptr<Housing> housing_;
    AgentClient client_;
    Identity identity_;
    std::map<std::pair<std::string, bool>, double> ns_per_op_;  ///< last seen, per Work
    double clock_resolution_ns_ = 0;
    std::optional<double> ticks_per_ns_;  ///< of the first batch that was long enough to tell
};

}  // namespace kerntoll::lab
