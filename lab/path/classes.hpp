// SPDX-License-Identifier: MIT
// What an instruction does, as far as the price of a kernel entry depends on it: one table for each
// architecture (classes_<arch>.cpp), read by classify() alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/target/target.hpp"

namespace kerntoll::lab::path {

/// How an instruction hands control on.
enum class Flow : std::uint8_t {
    next,         ///< to the one behind it
    jump,         ///< always elsewhere, to a fixed address
    branch,       ///< elsewhere or on, by a condition
    call,         ///< to a function that comes back
    ret,          ///< back from a function
    trap,         ///< into the kernel, by the user
    trap_return,  ///< out of the kernel
};

struct Class {
    Flow flow = Flow::next;
    bool indirect = false;  ///< a jump or call whose target lies in a register or in memory
    bool atomic =
        false;  ///< reads, changes and writes memory in one step, or is half of such a pair
    bool barrier = false;    ///< orders memory or the fetching of instructions
    bool gives_way = false;  ///< to another task, or waits for an interrupt
    bool stack = false;      ///< names the stack pointer, pushes or pops
    /// Serialising, privileged or system instructions that are counted by name: "swapgs", "verw",
    /// "mrs esr_el1", "csrrw sstatus", "lpswe"; empty for all others.
    std::string special;
};

/// The class of an instruction by QEMU's disassembly (`text`, as QEMU 7.2 and its Capstone print
/// it). What the table does not know is Flow::next and nothing else.
[[nodiscard]] Class classify(Arch arch, std::string_view text);

}  // namespace kerntoll::lab::path
