// SPDX-License-Identifier: MIT
#include "tests/cli/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace kerntoll::test {
namespace {

using namespace std::chrono_literals;

std::string contents(int descriptor) {
    std::string text;
    std::array<char, 4096> part{};
    off_t at = 0;
    for (ssize_t size = 0; (size = pread(descriptor, part.data(), part.size(), at)) > 0;
         at += size) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
}

/// What the child does between fork and exec.
[[noreturn]] void become_kerntoll(const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, int output,
                                  int errors) {
    std::vector<char*> argv{const_cast<char*>(KERNTOLL_BINARY)};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    for (const std::string& variable : environment) {
        putenv(const_cast<char*>(variable.c_str()));
    }
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(KERNTOLL_BINARY, argv.data());
    _exit(127);
}

}  // namespace

Kerntoll::Kerntoll(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment)
    : output_(memfd_create("output", MFD_CLOEXEC)), errors_(memfd_create("errors", MFD_CLOEXEC)) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_ = fork();
    if (pid_ == 0) {
        become_kerntoll(arguments, environment, output_, errors_);
    }
    EXPECT_GT(pid_, 0);
}

Kerntoll::~Kerntoll() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    close(output_);
    close(errors_);
}

void Kerntoll::send(int signal) const {
    EXPECT_EQ(kill(pid_, signal), 0);
}

Finished Kerntoll::wait(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) {
            ADD_FAILURE() << "kerntoll did not end in " << limit.count() << " s";
            kill(pid_, SIGKILL);
            waitpid(pid_, &status, 0);
            break;
        }
        std::this_thread::sleep_for(5ms);
    }
    pid_ = -1;
    Finished finished;
    if (WIFEXITED(status)) {
        finished.code = WEXITSTATUS(status);
    } else {
        finished.signal = WTERMSIG(status);
    }
    finished.output = contents(output_);
    finished.errors = contents(errors_);
    return finished;
}

Finished run_kerntoll(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
    return Kerntoll(arguments, environment).wait();
}

std::vector<pid_t> children_left() {
    // What was killed may take a moment to be gone; what was forgotten stays.
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    for (;;) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        std::ifstream list("/proc/thread-self/children");
        std::vector<pid_t> children;
        for (pid_t child = 0; list >> child;) {
            children.push_back(child);
        }
        if (children.empty() || std::chrono::steady_clock::now() > deadline) {
            return children;
        }
        std::this_thread::sleep_for(10ms);
    }
}

ScratchDirectory::ScratchDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "kerntoll-cli-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace kerntoll::test
