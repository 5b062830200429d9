// SPDX-License-Identifier: MIT
// Steps through the batches of a hosted program, where the entry path is called as a function:
// counts their instructions, or records the path of their calls (docs/trace.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "lab/base/subprocess.hpp"
#include "lab/target/agent_code.hpp"
#include "lab/target/disassembler.hpp"
#include "lab/target/step_recording.hpp"
#include "lab/target/target.hpp"
#include "lab/target/tracee.hpp"

namespace kerntoll::lab {

struct ProcessStepPlan {
    Arch arch = Arch::x86_64;
    Pad pad = Pad::off;
    std::optional<Recording> recording;  ///< else it counts
};

class ProcessStepper {
public:
    /// `patience`: for one step; a whole batch may take ten times that.
    ProcessStepper(ProcessStepPlan plan, std::chrono::milliseconds patience)
        : plan_(std::move(plan)), patience_(patience, StepPatience::Limit::fixed) {}

    /// Stops the process, which is to be asked for a batch next. Fault::environment where this
    /// machine forbids it, Fault::usage where the program has no such workload.
    [[nodiscard]] Result<void> begin(const Subprocess& process, const Work& work);
    /// Steps through the batch and lets the process go on for good. Then the trace is written, or
    /// instructions() is known.
    [[nodiscard]] Result<void> follow();
    /// Those of the last batch, from the loop's first instruction to its return; nothing where it
    /// was recorded.
    [[nodiscard]] std::optional<std::uint64_t> instructions() const { return instructions_; }

private:
    using Instruction = recorder::Instruction;

    [[nodiscard]] Result<void> count(Tracee& tracee, std::uint64_t back);
    [[nodiscard]] Result<void> record(Tracee& tracee, std::uint64_t back,
                                      const Recording& what) const;
    [[nodiscard]] Result<trace_format::End> follow_calls(Tracee& tracee, std::uint64_t back,
                                                         StepRecording& recording) const;
    [[nodiscard]] std::unexpected<Error> explained(const Error& error) const;

    ProcessStepPlan plan_;
    StepPatience patience_;
    Work work_;
    HostedCode code_;
    std::unique_ptr<Tracee> tracee_;  ///< from begin() to follow()
    std::optional<std::uint64_t> instructions_;
};

}  // namespace kerntoll::lab
