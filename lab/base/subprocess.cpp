// SPDX-License-Identifier: MIT
#include "lab/base/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "lab/base/interrupt.hpp"

namespace kerntoll::lab {

namespace {

constexpr std::size_t capture_limit = 65536;
constexpr unsigned long personality_query = 0xffffffff;

/// What the child could not do before it became the program; sent through a pipe that a successful
/// exec closes.
struct ChildTrouble {
    enum class Step : int { descriptors, affinity, exec } step;
    int error;
};

/// Everything that the child needs, made before the fork: between fork and exec only
/// async-signal-safe calls are allowed.
struct Prepared {
    std::vector<char*> argv;
    std::array<int, 3> standard{};
    const std::vector<int>* inherited = nullptr;
    int cpu = -1;
    pid_t lab = -1;
    int trouble = -1;
};

[[noreturn]] void give_up(const Prepared& prepared, ChildTrouble::Step step) {
    const ChildTrouble trouble{step, errno};
    [[maybe_unused]] const ssize_t written = write(prepared.trouble, &trouble, sizeof trouble);
    _exit(127);
}

[[noreturn]] void become(const Prepared& prepared) {
    // Death follows the lab's death. If the lab died before the request took effect, the child has
    // another parent by now.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.lab) {
        _exit(127);
    }
    setsid();
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT}) {
        signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // Address layout randomisation is what draws a new layout for every replicate, so it is on even
    // where the lab itself was started without.
    const int persona = personality(personality_query);
    if (persona >= 0 && (persona & ADDR_NO_RANDOMIZE) != 0) {
        personality(static_cast<unsigned long>(persona & ~ADDR_NO_RANDOMIZE));
    }
    for (int number = 0; number < 3; ++number) {
        if (dup2(prepared.standard[static_cast<std::size_t>(number)], number) < 0) {
            give_up(prepared, ChildTrouble::Step::descriptors);
        }
    }
    for (const int number : *prepared.inherited) {
        if (fcntl(number, F_SETFD, 0) != 0) {
            give_up(prepared, ChildTrouble::Step::descriptors);
        }
    }
    if (prepared.cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<unsigned>(prepared.cpu), &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            give_up(prepared, ChildTrouble::Step::affinity);
        }
    }
    execvp(prepared.argv[0], prepared.argv.data());
    give_up(prepared, ChildTrouble::Step::exec);
}

/// pidfd_open(2). Debian 12's <sys/pidfd.h> declares it without C linkage, so it cannot be linked.
int open_pidfd(pid_t pid) {
    return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

Error explain(const ChildTrouble& trouble, const SpawnPlan& plan) {
    const char* why = std::strerror(trouble.error);
    switch (trouble.step) {
        case ChildTrouble::Step::affinity:
            return {Fault::environment,
                    fmt::format("cannot pin {} to CPU {}: {}; choose a CPU that exists and that "
                                "this process may use",
                                plan.argv[0], plan.cpu, why)};
        case ChildTrouble::Step::exec:
            return {Fault::environment, fmt::format("cannot start {}: {}", plan.argv[0], why)};
        case ChildTrouble::Step::descriptors:
            break;
    }
    return {Fault::environment,
            fmt::format("cannot hand {} its descriptors: {}", plan.argv[0], why)};
}

ExitStatus status_of(const siginfo_t& info) {
    ExitStatus status;
    if (info.si_code == CLD_EXITED) {
        status.code = info.si_status;
    } else {
        status.signal = info.si_status;
    }
    return status;
}

}  // namespace

std::string ExitStatus::sentence() const {
    if (signal) {
        return fmt::format("was killed by signal {} ({})", *signal, strsignal(*signal));
    }
    return fmt::format("exited with status {}", code.value_or(-1));
}

Result<Subprocess> Subprocess::spawn(const SpawnPlan& plan) {
    Fd opened(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!opened) {
        return fail(Fault::environment, fmt::format("cannot open /dev/null: {}", strerror(errno)));
    }
    const auto null_device = above_standard(std::move(opened));
    auto trouble_pipe = make_pipe();
    if (!null_device) {
        return std::unexpected(null_device.error());
    }
    if (!trouble_pipe) {
        return std::unexpected(trouble_pipe.error());
    }
    Prepared prepared;
    for (const std::string& word : plan.argv) {
        // execvp() takes words without const for C's sake and does not change them.
        prepared.argv.push_back(const_cast<char*>(word.c_str()));
    }
    prepared.argv.push_back(nullptr);
    const std::array wanted{plan.standard_input, plan.standard_output, plan.standard_error};
    for (std::size_t number = 0; number < wanted.size(); ++number) {
        prepared.standard[number] = wanted[number] < 0 ? null_device->get() : wanted[number];
    }
    prepared.inherited = &plan.inherited;
    prepared.cpu = plan.cpu;
    prepared.lab = getpid();
    prepared.trouble = trouble_pipe->second.get();

    const pid_t pid = fork();
    if (pid == 0) {
        become(prepared);
    }
    if (pid < 0) {
        return fail(Fault::environment, fmt::format("cannot start a process: {}", strerror(errno)));
    }
    trouble_pipe->second.reset();
    Subprocess child(pid, Fd(open_pidfd(pid)));
    if (!child.pidfd_) {
        return fail(Fault::environment,
                    fmt::format("cannot watch a process: {} (Linux 5.3 or newer is needed)",
                                strerror(errno)));
    }
    ChildTrouble trouble{};
    ssize_t got = -1;
    do {
        got = read(trouble_pipe->first.get(), &trouble, sizeof trouble);
    } while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof trouble)) {
        return std::unexpected(explain(trouble, plan));
    }
    return child;
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), ended_(other.ended_) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
    if (this != &other) {
        stop();
        pid_ = std::exchange(other.pid_, -1);
        pidfd_ = std::move(other.pidfd_);
        ended_ = other.ended_;
    }
    return *this;
}

Subprocess::~Subprocess() {
    stop();
}

std::optional<ExitStatus> Subprocess::poll() {
    if (!ended_ && pid_ > 0) {
        siginfo_t info{};
        // By pid, not by pidfd: a child whose pidfd could not be made must be reaped too.
        if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid != 0) {
            reap();
        }
    }
    return ended_;
}

void Subprocess::reap() {
    // Until the child is reaped, no other process group can have its number: what it started and
    // left behind ends here.
    kill(-pid_, SIGKILL);
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
    }
    ended_ = status_of(info);
}

Result<std::optional<ExitStatus>> Subprocess::wait(std::chrono::milliseconds at_most) {
    std::array watched{pollfd{pidfd_.get(), POLLIN, 0}};
    if (auto ready = wait_for_events(watched, Clock::now() + at_most); !ready) {
        return std::unexpected(ready.error());
    }
    return poll();
}

Result<void> Subprocess::pin(int cpu) const {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    std::error_code trouble;
    const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid_), trouble);
    // Where the process has ended meanwhile, whoever waits for it will say so.
    if (trouble && trouble != std::errc::no_such_file_or_directory) {
        return fail(Fault::environment, fmt::format("cannot see the threads of process {}: {}",
                                                    pid_, trouble.message()));
    }
    for (const auto& thread : threads) {
        const auto number = static_cast<pid_t>(std::atoi(thread.path().filename().c_str()));
        // A thread that ended meanwhile needs no CPU.
        if (sched_setaffinity(number, sizeof set, &set) != 0 && errno != ESRCH) {
            return fail(Fault::environment,
                        fmt::format("cannot move process {} to CPU {}: {}; choose a CPU that "
                                    "exists and that this process may use",
                                    pid_, cpu, std::strerror(errno)));
        }
    }
    return {};
}

ExitStatus Subprocess::stop() {
    if (pid_ <= 0 || poll()) {
        return ended_.value_or(ExitStatus{});
    }
    kill(pid_, SIGKILL);
    reap();
    return *ended_;
}

Result<Captured> run_captured(const std::vector<std::string>& argv,
                              std::chrono::milliseconds at_most) {
    auto pipe = make_pipe();
    if (!pipe) {
        return std::unexpected(pipe.error());
    }
    const Deadline deadline = Clock::now() + at_most;
    SpawnPlan plan;
    plan.argv = argv;
    plan.standard_output = pipe->second.get();
    plan.standard_error = pipe->second.get();
    auto child = Subprocess::spawn(plan);
    if (!child) {
        return std::unexpected(child.error());
    }
    pipe->second.reset();
    Captured captured;
    while (true) {
        std::array watched{pollfd{pipe->first.get(), POLLIN, 0}};
        auto ready = wait_for_events(watched, deadline);
        if (!ready) {
            return std::unexpected(ready.error());
        }
        if (*ready == 0) {
            return fail(Fault::environment,
                        fmt::format("{} did not end within {} s", argv[0],
                                    std::chrono::duration<double>(at_most).count()));
        }
        std::array<char, 4096> chunk{};
        const ssize_t got = read(pipe->first.get(), chunk.data(), chunk.size());
        if (got <= 0) {
            break;
        }
        const std::size_t room = capture_limit - captured.output.size();
        captured.output.append(
            std::string_view(chunk.data(), static_cast<std::size_t>(got)).substr(0, room));
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    auto status = child->wait(std::max(left, std::chrono::milliseconds(0)));
    if (!status) {
        return std::unexpected(status.error());
    }
    captured.status = status->value_or(child->stop());
    return captured;
}

}  // namespace kerntoll::lab
