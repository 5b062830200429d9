// SPDX-License-Identifier: MIT
// A process that executes one instruction after the other, as it is told: ptrace(2). No hardware
// counter has a part in it, so it works in a guest as well.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "lab/base/error.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Holds a child of this one from its construction to its destruction, with which it goes on by
/// itself. The kernel lets one thread do this: all calls must come from the one that made it. The
/// child ends with that thread, whatever it is doing. Whoever started it goes on to reap it.
class Tracee {
public:
    /// Stops a child with one thread wherever it is; one that waits in a system call goes on
    /// waiting when it is stepped. `exit_fd` (borrowed): readable once it has ended.
    /// Fault::environment, with the remedy, where this machine forbids it.
    [[nodiscard]] static Result<Tracee> seize(pid_t pid, int exit_fd, Arch arch, Deadline deadline);

    Tracee(Tracee&& other) noexcept;
    Tracee& operator=(Tracee&& other) = delete;
    Tracee(const Tracee&) = delete;
    Tracee& operator=(const Tracee&) = delete;
    ~Tracee();

    /// Lets it go on until it is about to execute the instruction at `address`: true then. False
    /// where it waits on standard input before that. Fails as step() does.
    [[nodiscard]] Result<bool> run_to(std::uint64_t address, Deadline deadline);
    /// Executes one instruction and returns the address of the next one. A system call is one,
    /// with all that the kernel does meanwhile. Signals are handed on. Fault::measurement where the
    /// process ends or the instruction does not by the deadline.
    [[nodiscard]] Result<std::uint64_t> step(Deadline deadline);
    /// Where the function will return to whose first instruction is the next one.
    [[nodiscard]] Result<std::uint64_t> return_address() const;
    /// Up to `most` bytes from an address on; fewer where the mapping ends.
    [[nodiscard]] Result<std::string> read_memory(std::uint64_t address, std::size_t most) const;

private:
    struct Port;

    Tracee(pid_t pid, int exit_fd, const Port& port) : pid_(pid), exit_fd_(exit_fd), port_(&port) {}
    [[nodiscard]] static const Port* port_of(Arch arch);
    enum class Until : std::uint8_t { next_instruction, breakpoint };

    [[nodiscard]] Result<bool> go_on(Until until, Deadline deadline);
    [[nodiscard]] Result<bool> await_stop(Until until, Deadline deadline);
    [[nodiscard]] bool waits_for_input() const;
    [[nodiscard]] int signal_to_hand_on();

    pid_t pid_;
    int exit_fd_;
    const Port* port_;
    int stop_ = 0;  ///< what it stopped for: a signal, in the upper bits an event of ptrace's
};

}  // namespace kerntoll::lab
