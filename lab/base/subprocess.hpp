// SPDX-License-Identifier: MIT
// Child processes that cannot outlive the lab: each has a session of its own (a terminal's Ctrl-C
// reaches the lab alone, which then ends them in order) and is killed by the kernel when the lab
// dies, however it dies.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"

namespace kerntoll::lab {

/// What a child is started as. Descriptors are borrowed for the call.
struct SpawnPlan {
    std::vector<std::string> argv;  ///< argv[0] is looked for in PATH unless it holds a slash
    int standard_input = -1;        ///< -1: /dev/null
    int standard_output = -1;       ///< -1: /dev/null
    int standard_error = -1;        ///< -1: /dev/null
    std::vector<int> inherited;     ///< stay open under their own numbers (all above 2)
    int cpu = -1;                   ///< the only CPU it may run on; -1: any
};

/// How a child ended.
struct ExitStatus {
    std::optional<int> code;    ///< where it exited by itself
    std::optional<int> signal;  ///< where a signal killed it
    /// "exited with status 1", "was killed by signal 9 (Killed)".
    [[nodiscard]] std::string sentence() const;
};

/// One child, ended and reaped when this is destroyed, and its process group with it. Start it from
/// a thread that lives as long as the child should: the kernel takes that thread's end for the
/// lab's.
class Subprocess {
public:
    /// Fault::environment, in words, where the program is missing or cannot be executed.
    [[nodiscard]] static Result<Subprocess> spawn(const SpawnPlan& plan);

    Subprocess(Subprocess&& other) noexcept;
    Subprocess& operator=(Subprocess&& other) noexcept;
    Subprocess(const Subprocess&) = delete;
    Subprocess& operator=(const Subprocess&) = delete;
    ~Subprocess();

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Readable once the child has ended: for wait_for_events().
    [[nodiscard]] int exit_fd() const { return pidfd_.get(); }
    /// How the child ended, or nothing while it runs; reaps it.
    [[nodiscard]] std::optional<ExitStatus> poll();
    /// Waits at most this long for the child to end by itself; interruptible.
    [[nodiscard]] Result<std::optional<ExitStatus>> wait(std::chrono::milliseconds at_most);
    /// Moves every thread that it has to one CPU; the threads that these start stay there too.
    [[nodiscard]] Result<void> pin(int cpu) const;
    /// Kills it unless it has ended already, and reaps it. No child of the lab has anything to
    /// save.
    ExitStatus stop();

private:
    Subprocess(pid_t pid, Fd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
    void reap();

    pid_t pid_ = -1;
    Fd pidfd_;
    std::optional<ExitStatus> ended_;
};

/// What a program printed and how it ended.
struct Captured {
    ExitStatus status;
    std::string output;  ///< standard output and error together, at most 64 KiB of it
};

/// Runs a program to its end and keeps what it prints. Fault::environment where it cannot be
/// started or is still running after `at_most`; it is ended then.
[[nodiscard]] Result<Captured> run_captured(const std::vector<std::string>& argv,
                                            std::chrono::milliseconds at_most);

}  // namespace kerntoll::lab
