// SPDX-License-Identifier: MIT
// What a test must not leave behind: processes and descriptors.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>

#include "lab/base/interrupt.hpp"

namespace kerntoll::lab {

inline std::set<int> open_descriptors() {
    std::set<int> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), &closedir);
    while (const dirent* entry = readdir(folder.get())) {
        const int number = std::atoi(entry->d_name);
        if (entry->d_name[0] != '.' && number != dirfd(folder.get())) {
            found.insert(number);
        }
    }
    return found;
}

/// Reaps what has ended. What was killed may need a moment to end.
inline bool no_child_is_left() {
    const auto deadline = Clock::now() + std::chrono::seconds(5);
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) >= 0 && Clock::now() < deadline) {
        if (reaped == 0) {
            usleep(5000);
        }
    }
    return reaped < 0 && errno == ECHILD;
}

/// Fails a test that leaves a child (or a child's child: the test process adopts them) or an open
/// descriptor. Interruption is switched on before and forgotten after each test.
class LeavesNothing : public testing::Test {
protected:
    void SetUp() override {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        ASSERT_TRUE(install_interrupt_handlers());
        clear_interrupt();
        before_ = open_descriptors();
    }
    void TearDown() override {
        clear_interrupt();
        EXPECT_TRUE(no_child_is_left()) << "a child process is left";
        EXPECT_EQ(open_descriptors(), before_) << "a descriptor is left open";
    }

private:
    std::set<int> before_;
};

}  // namespace kerntoll::lab
