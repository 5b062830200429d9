// SPDX-License-Identifier: MIT
// What becomes of single steps, whoever makes them: QEMU's gdb stub (stepper.hpp) or ptrace(2)
// (process_stepper.hpp). The file is the one that the recorder writes (docs/trace.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lab/base/error.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/agent_code.hpp"
#include "lab/target/target.hpp"
#include "recorder/round_trips.hpp"

namespace kerntoll::lab {

/// How long steps may take: one of them as long as the target's patience, all together ten times
/// that.
class StepPatience {
public:
    /// Whether the user can have more of it, by the target's option `timeout`.
    enum class Limit : std::uint8_t { option, fixed };

    StepPatience(std::chrono::milliseconds of_one, Limit limit) : of_one_(of_one), limit_(limit) {}

    /// From now on the time counts.
    void begin();
    /// When the next step must be over.
    [[nodiscard]] Deadline soon() const;
    [[nodiscard]] bool is_over() const { return Clock::now() >= end_; }
    /// "recording open by single steps takes longer than 20s …: `so_far`; …"
    [[nodiscard]] std::string sentence(std::string_view doing, std::string_view so_far,
                                       std::string_view remedy) const;

private:
    std::chrono::milliseconds of_one_;
    Limit limit_;
    Deadline end_;
};

class StepRecording {
public:
    using Instruction = recorder::Instruction;

    StepRecording(const AgentCode& code, Recording recording, StepPatience patience)
        : recording_(std::move(recording)),
          patience_(patience),
          round_trips_({code.text, code.loop, recording_.rounds, recording_.limit}) {}

    /// From now on the time counts.
    void begin() { patience_.begin(); }
    /// When the next step must be over.
    [[nodiscard]] Deadline soon() const { return patience_.soon(); }
    /// An error in the middle of it, in the words of who wants a path.
    [[nodiscard]] std::unexpected<Error> explained(const Error& error) const;

    /// What stands at an address that was seen before; null where it was not.
    [[nodiscard]] const Instruction* known(std::uint64_t address) const;
    /// What is seen at an address for the first time.
    const Instruction& add(std::uint64_t address, std::string bytes, std::string text);
    /// What is executed at an address in the place of what stands there.
    const Instruction& add_variant(std::uint64_t address, std::string bytes,
                                   const std::string& text);

    /// One step was made, and `next` is what will be executed next.
    void stepped(const Instruction& next);
    /// What will be executed next; null before the first step.
    [[nodiscard]] const Instruction* here() const { return here_; }
    /// It belongs to what is recorded. Says how the recording ends where it ends with it.
    [[nodiscard]] std::optional<trace_format::End> take() { return round_trips_.executed(*here_); }
    [[nodiscard]] bool is_under_way() const { return round_trips_.is_under_way(); }
    /// Puts `next` in the place of the next instruction without a step.
    void stand_at(const Instruction& next) { here_ = &next; }

    /// Writes the trace. Fault::environment where the file cannot be written.
    [[nodiscard]] Result<void> write(Arch arch, trace_format::End end) const;

private:
    Recording recording_;
    StepPatience patience_;
    recorder::Instructions instructions_;
    std::unordered_map<std::uint64_t, const Instruction*> by_address_;
    recorder::RoundTrips round_trips_;
    const Instruction* here_ = nullptr;
    std::uint64_t steps_ = 0;
};

}  // namespace kerntoll::lab
