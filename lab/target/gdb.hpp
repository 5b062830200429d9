// SPDX-License-Identifier: MIT
// QEMU's gdb stub, asked for the little that single-stepping takes.
// https://www.qemu.org/docs/master/system/gdb.html
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/gdb_packet.hpp"

namespace kerntoll::lab {

/// The machine is one virtual CPU (-smp 1). Whatever the stub says is checked; Fault::measurement
/// where it makes no sense, refuses, does not answer by the deadline or hangs up.
class Gdb {
public:
    /// Talks over a connected socket whose other end QEMU has. `order`: of the guest's registers.
    Gdb(Fd socket, std::endian order) : socket_(std::move(socket)), order_(order) {}

    /// Stops the machine and makes the stub ready for everything below. While it steps, the guest's
    /// interrupts and timers stand still.
    [[nodiscard]] Result<void> stop(Deadline deadline);
    [[nodiscard]] Result<void> set_breakpoint(std::uint64_t address, Deadline deadline);
    [[nodiscard]] Result<void> clear_breakpoint(std::uint64_t address, Deadline deadline);
    /// Lets the machine go on and returns at once.
    [[nodiscard]] Result<void> go_on();
    /// Waits until the machine stops at a breakpoint.
    [[nodiscard]] Result<void> await_stop(Deadline deadline);
    /// Executes one instruction.
    [[nodiscard]] Result<void> step(Deadline deadline);
    /// A register of eight bytes, by QEMU's number of it.
    [[nodiscard]] Result<std::uint64_t> read_register(unsigned number, Deadline deadline);
    /// At most 64 bytes from where the program counter's address space has `address`.
    [[nodiscard]] Result<std::string> read_memory(std::uint64_t address, std::size_t size,
                                                  Deadline deadline);

private:
    [[nodiscard]] Result<std::string> ask(std::string_view request, Deadline deadline);
    [[nodiscard]] Result<void> command(std::string_view request, Deadline deadline);
    [[nodiscard]] Result<void> send(std::string_view bytes);
    [[nodiscard]] Result<std::string> reply(Deadline deadline);

    Fd socket_;
    std::endian order_;
    GdbDecoder decoder_;
};

}  // namespace kerntoll::lab
