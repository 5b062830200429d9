// SPDX-License-Identifier: MIT
#include "lab/base/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "lab/base/fd.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using InterruptTest = LeavesNothing;

TEST_F(InterruptTest, WaitsUntilTheDeadlineWhereNothingHappens) {
    const auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    std::array watched{pollfd{pipe->first.get(), POLLIN, 0}};
    const auto start = Clock::now();
    const auto ready = wait_for_events(watched, start + 50ms);
    ASSERT_TRUE(ready);
    EXPECT_EQ(*ready, 0);
    EXPECT_GE(Clock::now() - start, 50ms);
}

TEST_F(InterruptTest, TellsWhichDescriptorHasAnEvent) {
    const auto quiet = make_pipe();
    const auto busy = make_pipe();
    ASSERT_TRUE(quiet && busy);
    ASSERT_EQ(write(busy->second.get(), "x", 1), 1);
    std::array watched{pollfd{quiet->first.get(), POLLIN, 0}, pollfd{busy->first.get(), POLLIN, 0}};
    const auto ready = wait_for_events(watched, Clock::now() + 10s);
    ASSERT_TRUE(ready);
    EXPECT_EQ(*ready, 1);
    EXPECT_EQ(watched[0].revents, 0);
    EXPECT_NE(watched[1].revents, 0);
}

TEST_F(InterruptTest, ADeadlineInThePastStillLooks) {
    const auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    ASSERT_EQ(write(pipe->second.get(), "x", 1), 1);
    std::array watched{pollfd{pipe->first.get(), POLLIN, 0}};
    EXPECT_EQ(wait_for_events(watched, Clock::now() - 1s).value_or(-1), 1);
}

class InterruptSignalTest : public LeavesNothing, public testing::WithParamInterface<int> {};

TEST_P(InterruptSignalTest, ASignalEndsEveryWait) {
    raise(GetParam());
    EXPECT_TRUE(interrupt_requested());
    const auto ready = wait_for_events({}, Clock::now() + 60s);
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().fault, Fault::interrupted);
    clear_interrupt();
    EXPECT_TRUE(check_interrupt());
    EXPECT_EQ(wait_for_events({}, Clock::now()).value_or(-1), 0);
}

INSTANTIATE_TEST_SUITE_P(CtrlCAndKill, InterruptSignalTest, testing::Values(SIGINT, SIGTERM));

TEST_F(InterruptTest, ASecondSignalEndsTheProgramAtOnce) {
    const pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        raise(SIGINT);
        raise(SIGINT);
        _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST_F(InterruptTest, WritingToADeadMachineIsNoSignal) {
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    pipe->first.reset();
    EXPECT_EQ(write(pipe->second.get(), "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
}

}  // namespace
}  // namespace kerntoll::lab
