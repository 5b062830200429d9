// SPDX-License-Identifier: MIT
#include "lab/target/tracee.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "lab/base/fd.hpp"

namespace kerntoll::lab {
namespace {

/// Most steps take a few microseconds: so often it is asked whether one is over before sleeping.
constexpr int impatient_looks = 100;
/// A step that takes longer waits in a system call.
constexpr std::chrono::milliseconds nap{1};

constexpr auto has_ended = "the process that is stepped through ended";

/// Its addresses and data are numbers, whatever the C library declares.
long ask(__ptrace_request request, pid_t pid, std::uintptr_t address, std::uintptr_t data) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return ptrace(request, pid, reinterpret_cast<void*>(address), reinterpret_cast<void*>(data));
}

std::uintptr_t as_number(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

std::unexpected<Error> refused(std::string_view what) {
    return fail(Fault::measurement,
                fmt::format("cannot {} the process that is stepped through ({})", what,
                            std::strerror(errno)));
}

// NT_PRSTATUS: the general registers, in the order of the architecture's struct user_regs_struct.
using Registers = std::array<std::uint64_t, 64>;

Result<Registers> registers_of(pid_t pid) {
    Registers all{};
    const iovec place{&all, sizeof all};
    if (ask(PTRACE_GETREGSET, pid, NT_PRSTATUS, as_number(&place)) != 0) {
        return refused("read the registers of");
    }
    return all;
}

bool set_registers(pid_t pid, Registers& all, std::size_t used) {
    const iovec place{&all, used * sizeof all[0]};
    return ask(PTRACE_SETREGSET, pid, NT_PRSTATUS, as_number(&place)) == 0;
}

}  // namespace

/// What the architectures differ in.
struct Tracee::Port {
    std::string_view breakpoint;  ///< an instruction that stops a program
    std::size_t registers;        ///< how many there are
    std::size_t program_counter;
    std::size_t stack_pointer;
    std::optional<std::size_t> link;  ///< the one that holds where a function returns to, if any
};

const Tracee::Port* Tracee::port_of(Arch arch) {
    using namespace std::string_view_literals;
    static constexpr Port x86_64{.breakpoint = "\xcc"sv,  // int3
                                 .registers = 27,
                                 .program_counter = 16,
                                 .stack_pointer = 19,
                                 .link = std::nullopt};
    static constexpr Port arm64{.breakpoint = "\x00\x00\x20\xd4"sv,  // brk #0
                                .registers = 34,
                                .program_counter = 32,
                                .stack_pointer = 31,
                                .link = 30};
    return arch == Arch::x86_64 ? &x86_64 : arch == Arch::arm64 ? &arm64 : nullptr;
}

Result<Tracee> Tracee::seize(pid_t pid, int exit_fd, Arch arch, Deadline deadline) {
    const Port* const port = port_of(arch);
    if (port == nullptr) {
        return fail(Fault::environment,
                    fmt::format("processes for {} are not stepped through", name(arch)));
    }
    if (ask(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL) != 0) {
        if (errno != EPERM) {
            return refused("stop");
        }
        std::array ended{pollfd{exit_fd, POLLIN, 0}};
        if (poll(ended.data(), ended.size(), 0) > 0) {  // the kernel has the same error for that
            return fail(Fault::measurement, has_ended);
        }
        return fail(Fault::environment,
                    "this machine forbids to step through a process (ptrace: Operation not "
                    "permitted), which counting and recording on this CPU take; set "
                    "kernel.yama.ptrace_scope to 0 or 1, allow ptrace where a container's seccomp "
                    "filter or another debugger forbids it, or take nano:ARCH, which has the same "
                    "path under QEMU");
    }
    Tracee tracee(pid, exit_fd, *port);
    if (ask(PTRACE_INTERRUPT, pid, 0, 0) != 0) {
        return refused("stop");
    }
    if (auto stopped = tracee.await_stop(Until::next_instruction, deadline); !stopped) {
        return std::unexpected(stopped.error());
    }
    return tracee;
}

Tracee::Tracee(Tracee&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      exit_fd_(other.exit_fd_),
      port_(other.port_),
      stop_(other.stop_) {}

Tracee::~Tracee() {
    if (pid_ > 0) {
        // Fails where it runs or has ended: then there is nothing to let go.
        (void)ask(PTRACE_DETACH, pid_, 0, static_cast<std::uintptr_t>(signal_to_hand_on()));
    }
}

/// Steps and breakpoints are no signals of the process's own, nor are the stops that ptrace makes.
int Tracee::signal_to_hand_on() {
    constexpr int largest_signal = 0xff;
    const int reason = std::exchange(stop_, 0);
    return reason == SIGTRAP || reason > largest_signal ? 0 : reason;
}

/// Waits until it stops for whatever reason: true. On the way to a breakpoint also until it waits
/// for input: false. Does not reap: how the process ended is for whoever started it.
Result<bool> Tracee::await_stop(Until until, Deadline deadline) {
    for (int looks = 0;; ++looks) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) != 0) {
            return refused("wait for");
        }
        if (info.si_pid == pid_) {
            stop_ = info.si_status;
            return true;
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
            return fail(Fault::measurement, has_ended);
        }
        if (until == Until::breakpoint && waits_for_input()) {
            return false;
        }
        if (Clock::now() >= deadline) {
            return fail(Fault::measurement,
                        "the process that is stepped through did not come to its next instruction");
        }
    }
}

/// Whether it sleeps in read(2) on standard input, which the kernel says as "NUMBER 0x0 …".
bool Tracee::waits_for_input() const {
    std::ifstream file(fmt::format("/proc/{}/syscall", pid_));
    std::string number;
    std::string descriptor;
    file >> number >> descriptor;
    return number == std::to_string(SYS_read) && descriptor == "0x0";
}

/// Sets it going, and again where it stops for something else: a signal, or what others make it
/// stop for. Returns as await_stop() does.
Result<bool> Tracee::go_on(Until until, Deadline deadline) {
    if (auto wanted = check_interrupt(); !wanted) {
        return std::unexpected(wanted.error());
    }
    const auto request = until == Until::breakpoint ? PTRACE_CONT : PTRACE_SINGLESTEP;
    while (true) {
        const auto signal = static_cast<std::uintptr_t>(signal_to_hand_on());
        if (ask(request, pid_, 0, signal) != 0 && errno != ESRCH) {  // ESRCH: killed, seen next
            return refused("step");
        }
        auto stopped = await_stop(until, deadline);
        if (!stopped || !*stopped || stop_ == SIGTRAP) {
            return stopped;
        }
    }
}

Result<std::uint64_t> Tracee::step(Deadline deadline) {
    if (auto stepped = go_on(Until::next_instruction, deadline); !stepped) {
        return std::unexpected(stepped.error());
    }
    const auto registers = registers_of(pid_);
    return registers ? Result<std::uint64_t>((*registers)[port_->program_counter])
                     : std::unexpected(registers.error());
}

Result<bool> Tracee::run_to(std::uint64_t address, Deadline deadline) {
    errno = 0;
    const long word = ask(PTRACE_PEEKTEXT, pid_, address, 0);
    long broken = word;
    std::memcpy(&broken, port_->breakpoint.data(), port_->breakpoint.size());
    const auto put = [&](long text) {
        return ask(PTRACE_POKETEXT, pid_, address, static_cast<std::uintptr_t>(text)) == 0;
    };
    if (errno != 0 || !put(broken)) {
        return refused("set a breakpoint in");
    }
    const auto reached = go_on(Until::breakpoint, deadline);
    if (!reached) {
        return reached;
    }
    if (!*reached) {
        (void)ask(PTRACE_INTERRUPT, pid_, 0, 0);
        if (auto stopped = await_stop(Until::next_instruction, deadline); !stopped) {
            return stopped;
        }
    }
    auto registers = registers_of(pid_);
    if (!registers) {
        return std::unexpected(registers.error());
    }
    (*registers)[port_->program_counter] = address;
    if (!put(word) || (*reached && !set_registers(pid_, *registers, port_->registers))) {
        return refused("clear a breakpoint in");
    }
    return reached;
}

Result<std::uint64_t> Tracee::return_address() const {
    const auto registers = registers_of(pid_);
    if (!registers) {
        return std::unexpected(registers.error());
    }
    if (port_->link) {
        return (*registers)[*port_->link];
    }
    const auto top = read_memory((*registers)[port_->stack_pointer], sizeof(std::uint64_t));
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
