// SPDX-License-Identifier: MIT
// What the kernel itself says of an agent that was set up. Where this machine's kernel lacks a
// treatment, the agent's refusal is what is tested (workload_test.cpp).
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

/// A line of /proc/PID/status, without its name; empty where there is none.
std::string status_of(const AgentProcess& agent, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(agent.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name + ":\t")) {
            return line.substr(name.size() + 2);
        }
    }
    return "";
}

/// Sets up, or says why this cannot be tested here.
::testing::AssertionResult set_up(AgentProcess& agent, const std::string& treatment) {
    const Answer answer = agent.ask("setup " + treatment);
    return answer.is_ok() ? ::testing::AssertionSuccess()
                          : ::testing::AssertionFailure() << answer.refusal();
}

#define SET_UP_OR_SKIP(agent, treatment)                     \
    if (const auto done = set_up(agent, treatment); !done) { \
        GTEST_SKIP() << done.message();                      \
    }

constexpr const char* no_filter = "0";
constexpr const char* filter_mode = "2";

TEST(Treatment, PlainAgentHasNone) {
    AgentProcess agent(host_port());
    EXPECT_EQ(status_of(agent, "Seccomp"), no_filter);
    EXPECT_TRUE(agent.ask("setup").is_ok());
    EXPECT_EQ(status_of(agent, "Seccomp"), no_filter);
    EXPECT_EQ(status_of(agent, "NoNewPrivs"), "0");
}

TEST(Treatment, SeccompPutsOneFilterInPlace) {
    for (const char* treatment : {"seccomp=allow", "seccomp=args"}) {
        AgentProcess agent(host_port());
        SET_UP_OR_SKIP(agent, treatment);
        EXPECT_EQ(status_of(agent, "Seccomp"), filter_mode) << treatment;
        EXPECT_EQ(status_of(agent, "Seccomp_filters"), "1") << treatment;
        EXPECT_TRUE(agent.ask("prove workload=mix").is_ok()) << treatment;
    }
}

TEST(Treatment, AllOfThemTogether) {
    AgentProcess agent(host_port());
    SET_UP_OR_SKIP(agent, "seccomp=args sud=on rseq=on pad=3");
    EXPECT_EQ(status_of(agent, "Seccomp"), filter_mode);
    EXPECT_TRUE(agent.ask("prove workload=getpid").is_ok());
    EXPECT_TRUE(agent.ask("run workload=getpid n=1000").is_ok());
    EXPECT_TRUE(agent.ask("quit").is_ok());
    EXPECT_EQ(agent.ending()->code, 0);
}

}  // namespace
}  // namespace kerntoll::agent
