// SPDX-License-Identifier: MIT
// One QEMU process with a kernel and an agent in it, wired to the lab by sockets alone.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
    std::string machine;    ///< -machine
    std::string arguments;  ///< more of QEMU's, with single spaces between them
    const MemoryFile* kernel = nullptr;
    const MemoryFile* initramfs = nullptr;  ///< null: none, and no command line either
    std::string command_line;
    /// Files that lie in memory when the machine starts.
    struct Loaded {
        const MemoryFile* file;
        std::uint64_t address;  ///< physical
    };
    std::vector<Loaded> loaded;
    /// What makes guest time pass; all but `off` take TCG. `exact`: one nanosecond is one
    /// instruction, and while the guest waits its time runs with the host's. `repeatable`: nothing
    /// but the guest's own instructions and waits, so that two machines to which nothing is sent
    /// execute the same instructions, to the last one.
    enum class Icount { off, exact, repeatable } icount = Icount::off;
    /// What is to be recorded, if anything.
    struct Recorder {
        std::string plugin;  ///< the recorder's file; empty where single steps are made
        AgentCode code;
        Recording recording;
        std::chrono::milliseconds patience{};  ///< with one single step
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
