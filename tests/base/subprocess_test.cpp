// SPDX-License-Identifier: MIT
#include "lab/base/subprocess.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "lab/base/interrupt.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using SubprocessTest = LeavesNothing;

SpawnPlan shell(const std::string& script) {
    SpawnPlan plan;
    plan.argv = {"/bin/sh", "-c", script};
    return plan;
}

/// A CPU that this process may use.
int any_cpu() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    int cpu = 0;
    while (!CPU_ISSET(static_cast<unsigned>(cpu), &set)) {
        ++cpu;
    }
    return cpu;
}

TEST_F(SubprocessTest, ReportsTheExitStatus) {
    auto child = Subprocess::spawn(shell("exit 7"));
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->code, 7);
    EXPECT_EQ((*status)->sentence(), "exited with status 7");
}

TEST_F(SubprocessTest, ReportsTheSignalThatKilled) {
    auto child = Subprocess::spawn(shell("kill -9 $$"));
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->signal, SIGKILL);
    EXPECT_EQ((*status)->sentence(), "was killed by signal 9 (Killed)");
}

TEST_F(SubprocessTest, AMissingProgramIsASentence) {
    SpawnPlan plan;
    plan.argv = {"/no/such/program"};
    const auto child = Subprocess::spawn(plan);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().fault, Fault::environment);
    EXPECT_EQ(child.error().message, "cannot start /no/such/program: No such file or directory");
}

TEST_F(SubprocessTest, ACpuThatIsNotThereIsASentence) {
    auto plan = shell("exit 0");
    plan.cpu = 1000;
    const auto child = Subprocess::spawn(plan);
    ASSERT_FALSE(child);
    EXPECT_THAT(child.error().message, HasSubstr("cannot pin /bin/sh to CPU 1000"));
}

TEST_F(SubprocessTest, RunsOnItsCpuAlone) {
    auto plan = shell("exec sleep 60");
    plan.cpu = any_cpu();
    auto child = Subprocess::spawn(plan);
    ASSERT_TRUE(child);
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(child->pid(), sizeof set, &set), 0);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<unsigned>(plan.cpu), &set));
}

TEST_F(SubprocessTest, CanBeMovedToACpuLater) {
    auto child = Subprocess::spawn(shell("exec sleep 60"));
    ASSERT_TRUE(child);
    ASSERT_TRUE(child->pin(any_cpu()));
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(child->pid(), sizeof set, &set), 0);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<unsigned>(any_cpu()), &set));
    EXPECT_FALSE(child->pin(CPU_SETSIZE - 1)) << "no machine has that many";
}

TEST_F(SubprocessTest, HasASessionOfItsOwn) {
    auto child = Subprocess::spawn(shell("exec sleep 60"));
    ASSERT_TRUE(child);
    EXPECT_EQ(getsid(child->pid()), child->pid());
}

TEST_F(SubprocessTest, GetsTheDescriptorsThatWereMeantForIt) {
    auto given = make_pipe();
    auto kept = make_pipe();
    ASSERT_TRUE(given && kept);
    auto plan = shell("echo hello >&" + std::to_string(given->second.get()) +
                      "; test -e /proc/$$/fd/" + std::to_string(kept->second.get()) + " || exit 5");
    plan.inherited = {given->second.get()};
    auto child = Subprocess::spawn(plan);
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->code, 5) << "a descriptor that was not meant for the child was open";
    std::array<char, 6> text{};
    ASSERT_EQ(read(given->first.get(), text.data(), text.size()), 6);
    EXPECT_EQ(std::string_view(text.data(), text.size()), "hello\n");
}

TEST_F(SubprocessTest, IgnoredSignalsAreNotInherited) {
    // The lab ignores SIGPIPE (install_interrupt_handlers); a child must not.
    auto plan = shell("kill -PIPE $$; exit 0");
    auto child = Subprocess::spawn(plan);
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->signal, SIGPIPE);
}

TEST_F(SubprocessTest, StopKillsWhatDoesNotListen) {
    auto plan = shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
    auto line = make_pipe();
    ASSERT_TRUE(line);
    plan.standard_output = line->second.get();
    auto child = Subprocess::spawn(plan);
    ASSERT_TRUE(child);
    std::array<char, 3> up{};
    ASSERT_EQ(read(line->first.get(), up.data(), up.size()), 3);
    EXPECT_EQ(child->stop().signal, SIGKILL);
}

TEST_F(SubprocessTest, HowAChildEndedIsKnownWhereTheLabWasStartedWithChildrenIgnored) {
    std::signal(SIGCHLD, SIG_IGN);  // as some supervisors leave it to what they start
    ASSERT_TRUE(install_interrupt_handlers());
    auto child = Subprocess::spawn(shell("exit 7"));
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->code, 7);
}

TEST_F(SubprocessTest, AChildHasAllStandardDescriptorsWhereTheLabHasNot) {
    const int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
    ASSERT_GE(saved, 0);
    auto line = make_socketpair();
    ASSERT_TRUE(line);
    close(STDIN_FILENO);
    auto plan = shell("test -c /dev/stdin && test -S /dev/stdout && test -c /dev/stderr");
    plan.standard_output = line->second.get();
    {
        auto child = Subprocess::spawn(plan);
        EXPECT_TRUE(child);
        const auto status = child ? child->wait(10s) : std::nullopt;
        EXPECT_TRUE(status && *status && (*status)->code == 0);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
}

TEST_F(SubprocessTest, WhatItLeavesBehindEndsWithIt) {
    auto child = Subprocess::spawn(shell("sleep 60 & exit 4"));
    ASSERT_TRUE(child);
    const auto status = child->wait(10s);
    ASSERT_TRUE(status && *status);
    EXPECT_EQ((*status)->code, 4);
    EXPECT_TRUE(no_child_is_left());
}

TEST_F(SubprocessTest, AWaitEndsOnInterruption) {
    auto child = Subprocess::spawn(shell("exec sleep 60"));
    ASSERT_TRUE(child);
    request_interrupt();
    const auto status = child->wait(60s);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().fault, Fault::interrupted);
}

TEST_F(SubprocessTest, DiesWithTheLabHoweverItDies) {
    // A lab in a process of its own starts a machine and is killed without a chance to clean up.
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    const pid_t lab = fork();
    if (lab == 0) {
        auto child = Subprocess::spawn(shell("exec sleep 60"));
        const pid_t machine = child ? child->pid() : -1;
        [[maybe_unused]] const ssize_t sent = write(pipe->second.get(), &machine, sizeof machine);
        pause();
        _exit(0);
    }
    pid_t machine = -1;
    ASSERT_EQ(read(pipe->first.get(), &machine, sizeof machine),
              static_cast<ssize_t>(sizeof machine));
    ASSERT_GT(machine, 0);
    kill(lab, SIGKILL);
    ASSERT_EQ(waitpid(lab, nullptr, 0), lab);
    int status = 0;
    ASSERT_EQ(waitpid(machine, &status, 0), machine) << "the machine was not handed to the test";
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(SubprocessTest, CapturesBothOutputs) {
    const auto captured = run_captured({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, 10s);
    ASSERT_TRUE(captured);
    EXPECT_EQ(captured->output, "out\nerr\n");
    EXPECT_EQ(captured->status.code, 3);
}

TEST_F(SubprocessTest, CapturesNoMoreThanItMayKeep) {
    const auto captured =
        run_captured({"/bin/sh", "-c",
                      "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890; "
                      "i=$((i+1)); done"},
                     30s);
    ASSERT_TRUE(captured);
    EXPECT_EQ(captured->output.size(), 65536U);
    EXPECT_EQ(captured->status.code, 0);
}

TEST_F(SubprocessTest, ACaptureHasATimeLimit) {
    const auto captured = run_captured({"/bin/sleep", "60"}, 100ms);
    ASSERT_FALSE(captured);
    EXPECT_EQ(captured.error().message, "/bin/sleep did not end within 0.1 s");
}

}  // namespace
}  // namespace kerntoll::lab
