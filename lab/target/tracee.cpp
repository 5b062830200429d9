// SPDX-License-Identifier: MIT
#include "lab/target/tracee.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "lab/base/fd.hpp"

namespace kerntoll::lab {
namespace {

/// Most steps take a few microseconds: so often it is asked whether one is over before sleeping.
constexpr int impatient_looks = 100;
/// A step that takes longer waits in a system call.
constexpr std::chrono::milliseconds nap{1};

long ask(__ptrace_request request, pid_t pid, std::uintptr_t address, std::uintptr_t data) {
    return ptrace(request, pid, reinterpret_cast<void*>(address), reinterpret_cast<void*>(data));
}

std::unexpected<Error> refused(std::string_view what) {
    return fail(Fault::measurement,
                fmt::format("cannot {} the process that is stepped through ({})", what,
                            std::strerror(errno)));
}

/// The registers that are needed here, by each machine's own names.
struct Registers {
    std::uint64_t program_counter = 0;
    std::uint64_t stack_pointer = 0;
    std::uint64_t link = 0;  ///< where a function returns to, if a register tells
};

Result<Registers> registers_of(pid_t pid) {
    user_regs_struct all{};
    iovec place{&all, sizeof all};
    if (ask(PTRACE_GETREGSET, pid, NT_PRSTATUS, reinterpret_cast<std::uintptr_t>(&place)) != 0) {
        return refused("read the registers of");
    }
#if defined(__x86_64__)
    return Registers{.program_counter = all.rip, .stack_pointer = all.rsp};
#elif defined(__aarch64__)
    return Registers{.program_counter = all.pc, .stack_pointer = all.sp, .link = all.regs[30]};
#else
#error "hosted: has a port to x86_64 and to arm64"
#endif
}

}  // namespace

Result<Tracee> Tracee::seize(pid_t pid, int exit_fd, Deadline deadline) {
    if (ask(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) != 0) {
        if (errno != EPERM) {
            return refused("stop");
        }
        return fail(Fault::environment,
                    "this machine forbids to step through a process (ptrace: Operation not "
                    "permitted), which counting and recording on this CPU take; set "
                    "kernel.yama.ptrace_scope to 0 or 1, allow ptrace where a container's seccomp "
                    "filter or another debugger forbids it, or take nano:ARCH, which has the same "
                    "path under QEMU");
    }
    Tracee tracee(pid, exit_fd);
    if (ask(PTRACE_INTERRUPT, pid, 0, 0) != 0) {
        return refused("stop");
    }
    if (auto stopped = tracee.await_stop(deadline); !stopped) {
        return std::unexpected(stopped.error());
    }
    return tracee;
}

Tracee::Tracee(Tracee&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_fd_(other.exit_fd_), signal_(other.signal_) {}

Tracee::~Tracee() {
    if (pid_ > 0) {
        // Fails where it runs or has ended: then there is nothing to let go.
        (void)ask(PTRACE_DETACH, pid_, 0, static_cast<std::uintptr_t>(signal_));
    }
}

/// Returns the signal that it stopped for, in the upper bits an event of ptrace's. Looks without
/// reaping: how the process ended is for whoever started it.
Result<int> Tracee::await_stop(Deadline deadline) {
    for (int looks = 0;; ++looks) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0) {
            return refused("wait for");
        }
        if (info.si_pid == pid_) {
            constexpr int largest_signal = 0xff;
            const bool is_its_own = info.si_status != SIGTRAP && info.si_status <= largest_signal;
            signal_ = is_its_own ? info.si_status : 0;
            return info.si_status;
        }
        if (looks < impatient_looks) {
            sched_yield();
            continue;
        }
        std::array watched{pollfd{exit_fd_, POLLIN, 0}};
        const auto ended = wait_for_events(watched, Clock::now() + nap);
        if (!ended) {
            return std::unexpected(ended.error());
        }
        if (*ended > 0) {
            return fail(Fault::measurement, "the process that is stepped through ended");
        }
        if (Clock::now() >= deadline) {
            return fail(Fault::measurement,
                        "the process that is stepped through did not come to its next instruction");
        }
    }
}

Result<std::uint64_t> Tracee::step(Deadline deadline) {
    if (auto wanted = check_interrupt(); !wanted) {
        return std::unexpected(wanted.error());
    }
    // Other stops than the step's are those for a signal, and those that others make.
    for (int reason = 0; reason != SIGTRAP;) {
        const int signal = std::exchange(signal_, 0);
        if (ask(PTRACE_SINGLESTEP, pid_, 0, static_cast<std::uintptr_t>(signal)) != 0 &&
            errno != ESRCH) {  // it was killed, which is seen next
            return refused("step");
        }
        const auto stopped = await_stop(deadline);
        if (!stopped) {
            return std::unexpected(stopped.error());
        }
        reason = *stopped;
    }
    const auto registers = registers_of(pid_);
    return registers ? Result<std::uint64_t>(registers->program_counter)
                     : std::unexpected(registers.error());
}

Result<std::uint64_t> Tracee::return_address() const {
    const auto registers = registers_of(pid_);
    if (!registers) {
        return std::unexpected(registers.error());
    }
    if (registers->link != 0) {
        return registers->link;
    }
    const auto top = read_memory(registers->stack_pointer, sizeof(std::uint64_t));
    if (!top) {
        return std::unexpected(top.error());
    }
    std::uint64_t address = 0;
    std::memcpy(&address, top->data(), top->size());
    return address;
}

Result<std::string> Tracee::read_memory(std::uint64_t address, std::size_t most) const {
    const Fd memory(open(fmt::format("/proc/{}/mem", pid_).c_str(), O_RDONLY | O_CLOEXEC));
    std::string bytes(most, '\0');
    const ssize_t got =
        memory ? pread(memory.get(), bytes.data(), most, static_cast<off_t>(address)) : -1;
    if (got <= 0) {
        return refused("read the memory of");
    }
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

}  // namespace kerntoll::lab
