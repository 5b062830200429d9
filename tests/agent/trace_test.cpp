// SPDX-License-Identifier: MIT
// The system calls that one op really makes, seen by ptrace on the host: which ones, in which
// order, with which arguments. Clock readings stand before and after every batch.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <string>
#include <vector>

#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t any = UINT64_MAX;  ///< an address or a descriptor: not compared

struct SystemCall {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> arguments;

    /// As many arguments as the expectation names; the others are whatever the registers held.
    friend bool operator==(const SystemCall& made, const SystemCall& expected) {
        if (made.number != expected.number) {
            return false;
        }
        for (std::size_t i = 0; i < expected.arguments.size(); ++i) {
            if (expected.arguments[i] != any && made.arguments[i] != expected.arguments[i]) {
                return false;
            }
        }
        return true;
    }
    friend void PrintTo(const SystemCall& call, std::ostream* out) {
        *out << "call " << call.number << ::testing::PrintToString(call.arguments);
    }
};

/// Asks for a batch and follows the agent until it writes its answer.
std::vector<SystemCall> calls_of_batch(AgentProcess& agent, const std::string& payload) {
    EXPECT_TRUE(agent.ask("prove " + payload.substr(0, payload.find(' '))).is_ok());
    std::vector<SystemCall> calls;
    const pid_t pid = agent.pid();
    if (ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD) != 0 ||
        ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0) {
        return calls;
    }
    agent.send(request("run " + payload, 1000));
    for (int status = 0; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);) {
        __ptrace_syscall_info info{};
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
        }
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
            calls.push_back(
                {info.entry.nr, {std::begin(info.entry.args), std::end(info.entry.args)}});
            if (info.entry.nr == SYS_write && info.entry.args[0] == STDOUT_FILENO) {
                calls.pop_back();
                ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
                break;
            }
        }
        ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr);
    }
    EXPECT_TRUE(agent.next_answer(std::chrono::seconds(10)));
    // Reading the request, whatever the preparation looks at, the clock, the op, the clock.
    const auto is_clock = [](const SystemCall& call) {
        return call.number == SYS_clock_gettime && call.arguments[0] == CLOCK_MONOTONIC;
    };
    while (!calls.empty() && !is_clock(calls.back())) {
        calls.pop_back();
    }
    return calls;
}

class OneOp : public ::testing::Test {
protected:
    AgentProcess agent{host_port()};

    /// The calls of one op: the last `count` before the clock that ends the batch. One more is
    /// taken for the clock that begins it.
    std::vector<SystemCall> of(const std::string& workload, std::size_t count,
                               const std::string& hollow = "0") {
        auto calls = calls_of_batch(agent, "workload=" + workload + " n=1 hollow=" + hollow);
        if (calls.size() < count + 2) {
            ADD_FAILURE() << "only " << calls.size() << " calls were seen";
            return {};
        }
        calls.pop_back();
        const auto first = calls.end() - static_cast<std::ptrdiff_t>(count);
        EXPECT_EQ((first - 1)->number, std::uint64_t{SYS_clock_gettime})
            << workload << " makes more than " << count << " calls";
        return {first, calls.end()};
    }
    void SetUp() override {
        ASSERT_TRUE(agent.ask("setup file=" + agent_program(host_port())).is_ok());
    }
};

TEST_F(OneOp, CallsWithoutArguments) {
    EXPECT_THAT(of("getpid", 1), ElementsAre(SystemCall{SYS_getpid, {}}));
    EXPECT_THAT(of("getppid", 1), ElementsAre(SystemCall{SYS_getppid, {}}));
    EXPECT_THAT(of("getpgid", 1), ElementsAre(SystemCall{SYS_getpgid, {0}}));
    EXPECT_THAT(of("invalid", 1), ElementsAre(SystemCall{2000, {}}));
    EXPECT_TRUE(of("empty", 0).empty());
}

TEST_F(OneOp, UnixBenchsSequence) {
    const auto mix = of("mix", 5);
    EXPECT_THAT(mix, ElementsAre(SystemCall{SYS_dup, {any}}, SystemCall{SYS_close, {any}},
                                 SystemCall{SYS_getpid, {}}, SystemCall{SYS_getuid, {}},
                                 SystemCall{SYS_umask, {022}}));
    EXPECT_THAT(of("close", 2),
                ElementsAre(SystemCall{SYS_dup, {any}}, SystemCall{SYS_close, {any}}));
}

TEST_F(OneOp, LmbenchsCalls) {
    const auto here = static_cast<std::uint64_t>(AT_FDCWD);
    EXPECT_THAT(of("read", 1), ElementsAre(SystemCall{SYS_read, {any, any, 1}}));
    EXPECT_THAT(of("write", 1), ElementsAre(SystemCall{SYS_write, {any, any, 1}}));
    EXPECT_THAT(of("stat", 1), ElementsAre(SystemCall{SYS_newfstatat, {here, any, any, 0}}));
    EXPECT_THAT(of("fstat", 1), ElementsAre(SystemCall{SYS_fstat, {any, any}}));
    EXPECT_THAT(of("open", 2), ElementsAre(SystemCall{SYS_openat, {here, any, O_RDONLY}},
                                           SystemCall{SYS_close, {any}}));
}

TEST_F(OneOp, SeekSequenceOfTheDocument) {
    constexpr std::uint64_t data = 3;
    constexpr std::uint64_t hole = 4;
    const auto to = [](std::uint64_t offset, std::uint64_t whence) {
        return SystemCall{SYS_lseek, {any, offset, whence}};
    };
    EXPECT_THAT(
        of("seek", 14),
        ElementsAre(to(0x45000, SEEK_SET), SystemCall{SYS_write, {any, any, 512}},
                    to(0xa9200, SEEK_SET), SystemCall{SYS_read, {any, any, 512}}, to(0, SEEK_END),
                    to(0, SEEK_CUR), to(0, SEEK_SET), to(0, SEEK_END), to(0, SEEK_CUR), to(0, hole),
                    to(0, data), to(0x71a00, data), to(0x71a00, hole), to(1 << 20, data)));
}

TEST_F(OneOp, ClockItself) {
    EXPECT_THAT(of("clock", 1), ElementsAre(SystemCall{SYS_clock_gettime, {CLOCK_MONOTONIC, any}}));
}

TEST_F(OneOp, HollowCallsNothing) {
    for (const char* workload : {"getpid", "mix", "open", "seek"}) {
        EXPECT_TRUE(of(workload, 0, "1").empty());
    }
}

}  // namespace
}  // namespace kerntoll::agent
