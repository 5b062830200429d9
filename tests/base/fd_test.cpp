// SPDX-License-Identifier: MIT
#include "lab/base/fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

bool is_open(int number) {
    return fcntl(number, F_GETFD) >= 0;
}

using FdTest = LeavesNothing;

TEST_F(FdTest, ClosesItsDescriptorOnce) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    const int number = pipe->first.get();
    {
        const Fd moved = std::move(pipe->first);
        EXPECT_TRUE(is_open(number));
        EXPECT_FALSE(pipe->first);
    }
    EXPECT_FALSE(is_open(number));
}

TEST_F(FdTest, AssigningClosesTheOldDescriptor) {
    auto one = make_pipe();
    auto two = make_pipe();
    ASSERT_TRUE(one && two);
    const int old = one->first.get();
    one->first = std::move(two->first);
    EXPECT_FALSE(is_open(old));
    EXPECT_TRUE(is_open(one->first.get()));
}

TEST_F(FdTest, DescriptorsAreClosedOnExec) {
    const auto pipe = make_pipe();
    const auto sockets = make_socketpair();
    ASSERT_TRUE(pipe && sockets);
    for (const Fd* fd : {&pipe->first, &pipe->second, &sockets->first, &sockets->second}) {
        EXPECT_EQ(fcntl(fd->get(), F_GETFD), FD_CLOEXEC);
    }
}

TEST_F(FdTest, DescriptorsNeverTakeTheStandardNumbers) {
    const int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
    ASSERT_GE(saved, 0);
    close(STDIN_FILENO);
    {
        const auto sockets = make_socketpair();
        ASSERT_TRUE(sockets);
        EXPECT_GT(sockets->first.get(), STDERR_FILENO);
        EXPECT_GT(sockets->second.get(), STDERR_FILENO);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
}

TEST_F(FdTest, NonBlockingReadsReturnAtOnce) {
    const auto pipe = make_pipe();
    ASSERT_TRUE(pipe && make_nonblocking(pipe->first));
    std::array<char, 4> bytes{};
    EXPECT_EQ(read(pipe->first.get(), bytes.data(), bytes.size()), -1);
    EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace kerntoll::lab
