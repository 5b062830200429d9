// SPDX-License-Identifier: MIT
// A piece of a test in a process of its own: to change what it may do, or to be killed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

namespace kerntoll::lab::store {

/// Sends text to the parent.
using Writer = std::function<void(std::string_view)>;

/// A child process and the pipe that it talks through.
class Child {
public:
    explicit Child(const std::function<void(Writer)>& body) {
        int ends[2];
        if (pipe(ends) != 0) {
            ADD_FAILURE() << "no pipe";
            return;
        }
        pid_ = fork();
        if (pid_ == 0) {
            close(ends[0]);
            body([&](std::string_view text) {
                const ssize_t written = write(ends[1], text.data(), text.size());
                (void)written;
            });
            _exit(0);
        }
        close(ends[1]);
        pipe_ = ends[0];
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pipe_ >= 0) {
            close(pipe_);
        }
        reap();
    }

    /// What it says next, at most one piece.
    std::string hear() const {
        char bytes[4096];
        const ssize_t count = read(pipe_, bytes, sizeof bytes);
        return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : "";
    }
    /// All that it says until it ends.
    std::string hear_all() const {
        std::string all;
        for (std::string piece = hear(); !piece.empty(); piece = hear()) {
            all += piece;
        }
        return all;
    }
    void kill(int signal) const { ::kill(pid_, signal); }
    /// Waits until it is dead, and leaves it there, a zombie.
    void wait_until_dead() const {
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
    }
    void reap() {
        if (pid_ > 0) {
            waitpid(pid_, nullptr, 0);
            pid_ = -1;
        }
    }

private:
    pid_t pid_ = -1;
    int pipe_ = -1;
};

/// Runs `body` in a child and returns all that it said.
inline std::string in_child(const std::function<void(Writer)>& body) {
    return Child(body).hear_all();
}

}  // namespace kerntoll::lab::store
