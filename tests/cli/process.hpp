// SPDX-License-Identifier: MIT
// Runs the built kerntoll as a user would: its own process, its own results file, and a look at
// what it leaves behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kerntoll::test {

/// How a process ended and what it wrote.
struct Finished {
    std::optional<int> code;    ///< where it exited by itself
    std::optional<int> signal;  ///< where a signal killed it
    std::string output;
    std::string errors;
};

/// A kerntoll under way. The test process adopts whatever it leaves behind, so that nothing that
/// outlives it can go unseen.
class Kerntoll {
public:
    /// Starts `kerntoll arguments...`; `environment` ("NAME=value") is added to the test's own.
    explicit Kerntoll(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {});
    Kerntoll(const Kerntoll&) = delete;
    Kerntoll& operator=(const Kerntoll&) = delete;
    ~Kerntoll();

    [[nodiscard]] pid_t pid() const { return pid_; }
    void send(int signal) const;
    /// Waits for its end; kills it and fails the test where that takes longer than `limit`.
    Finished wait(std::chrono::seconds limit = std::chrono::seconds(50));

private:
    pid_t pid_ = -1;
    int output_ = -1;
    int errors_ = -1;
};

/// Runs kerntoll to its end.
Finished run_kerntoll(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {});

/// Processes that the test process has as children: what a finished kerntoll left behind.
std::vector<pid_t> children_left();

/// A directory of one test's own, gone with it.
class ScratchDirectory {
public:
    ScratchDirectory();
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;
    ~ScratchDirectory();
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

}  // namespace kerntoll::test
