// SPDX-License-Identifier: MIT
// One QEMU process with a kernel and an agent in it, wired to the lab by sockets alone.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lab/base/error.hpp"
#include "lab/target/agent_code.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/wire_machine.hpp"

namespace kerntoll::lab {

enum class Accelerator { tcg, kvm };
[[nodiscard]] std::string_view name(Accelerator accelerator);

/// What a virtual machine is started from. The files stay with the caller; QEMU has its own
/// descriptors of them.
struct QemuPlan {
    const MachineRow* row = nullptr;
    std::string program;
    std::string cpu;
    std::uint64_t memory_mib = 0;
    Accelerator accelerator = Accelerator::tcg;
    const MemoryFile* kernel = nullptr;
    const MemoryFile* initramfs = nullptr;
    std::string command_line;
    /// What makes guest time pass; all but `off` take TCG. `exact`: one nanosecond is one
    /// instruction, and while the guest waits its time runs with the host's. `repeatable`: nothing
    /// but the guest's own instructions and waits, so that two machines to which nothing is sent
    /// execute the same instructions, to the last one.
    enum class Icount { off, exact, repeatable } icount = Icount::off;
    /// What the recorder is to write down, if anything.
    struct Recorder {
        std::string plugin;  ///< its file
        AgentCode code;
        Recording recording;
    };
    std::optional<Recorder> recorder;
    int pin_to = -1;  ///< CPU for all its threads once the agent answers; -1: none
};

/// A started machine: what ends it, and the line to its console.
struct QemuMachine {
    std::unique_ptr<Housing> housing;
    Line console;
};

/// Starts QEMU and returns at once.
[[nodiscard]] Result<QemuMachine> start_qemu(const QemuPlan& plan);

}  // namespace kerntoll::lab
