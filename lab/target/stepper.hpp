// SPDX-License-Identifier: MIT
// Records paths by single steps, where the recorder (recorder/) cannot be loaded into QEMU: slower,
// without accesses to memory, and with the same instructions in the same file (docs/trace.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "lab/target/agent_code.hpp"
#include "lab/target/disassembly.hpp"
#include "lab/target/gdb.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/qmp.hpp"
#include "lab/target/step_recording.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

struct StepPlan {
    const MachineRow* row = nullptr;
    AgentCode code;
    Recording recording;
    /// The longest wait for one answer; the whole recording may take ten times that.
    std::chrono::milliseconds patience{};
};

/// Steps through the calls of one batch.
class Stepper {
public:
    Stepper(StepPlan plan, Fd socket)
        : plan_(std::move(plan)),
          gdb_(std::move(socket), plan_.row->byte_order),
          recording_(plan_.code, plan_.recording, {plan_.patience, StepPatience::Limit::option}) {}

    /// Stops the machine, which is to be asked for the batch next.
    [[nodiscard]] Result<void> prepare();
    /// Lets it go on to the batch, records, writes the trace and lets it go on for good. `monitor`
    /// disassembles.
    [[nodiscard]] Result<void> record(Qmp& monitor);

private:
    using Instruction = recorder::Instruction;

    [[nodiscard]] Result<void> warm_up();
    [[nodiscard]] Result<trace_format::End> follow();
    [[nodiscard]] Result<void> step();
    [[nodiscard]] Result<const Instruction*> instruction_at(std::uint64_t address);
    [[nodiscard]] Result<void> stand_at(std::uint64_t address);
    [[nodiscard]] Result<Disassembled> disassemble(std::uint64_t address);
    [[nodiscard]] Result<std::string> executed_by(const Instruction& instruction);
    [[nodiscard]] Result<std::uint64_t> general_register(unsigned number);
    [[nodiscard]] Deadline soon() const { return recording_.soon(); }

    StepPlan plan_;
    Gdb gdb_;
    Qmp* monitor_ = nullptr;
    StepRecording recording_;
};

}  // namespace kerntoll::lab
