// SPDX-License-Identifier: MIT
// Every workload on every architecture.
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>

#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class EveryPort : public ::testing::TestWithParam<Port> {
protected:
    AgentProcess agent{GetParam()};

    /// A file that is sure to exist: the agent's own program.
    [[nodiscard]] std::string setup() const { return "setup file=" + agent_program(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Agent, EveryPort, ::testing::ValuesIn(ports()),
                         [](const auto& info) { return std::string(info.param.name); });

// System calls per op as docs/wire.md has them.
const std::map<std::string, std::string, std::less<>> calls_per_op = {
    {"getpid", "1"}, {"getppid", "1"}, {"getpgid", "1"}, {"mix", "5"},   {"close", "2"},
    {"read", "1"},   {"write", "1"},   {"stat", "1"},    {"fstat", "1"}, {"open", "2"},
    {"seek", "14"},  {"invalid", "1"}, {"clock", "1"},   {"empty", "0"},
};

/// QEMU 7.2's user-mode emulation of loongarch64 knows no stat calls, like Linux before 6.11 there.
bool may_lack(const Port& port, std::string_view workload) {
    return std::string_view(port.name) == "loongarch64" &&
           (workload == "stat" || workload == "fstat");
}

TEST_P(EveryPort, SaysHelloByItself) {
    EXPECT_EQ(agent.hello().word, "hello");
    EXPECT_EQ(agent.hello().field("version"), "1");
    EXPECT_EQ(agent.hello().field("arch"), GetParam().name);
    EXPECT_EQ(agent.hello().field("(sequence)"), "0");
}

TEST_P(EveryPort, IdentifiesItsMachine) {
    const Answer answer = agent.ask("identify");
    ASSERT_TRUE(answer.is_ok()) << answer.text;
    EXPECT_EQ(answer.field("version"), "1");
    EXPECT_EQ(answer.field("arch"), GetParam().name);
    EXPECT_EQ(answer.field("counter"), GetParam().counter);
    EXPECT_FALSE(answer.field("release").empty());
    EXPECT_FALSE(answer.field("build").empty());
    const std::uint64_t page = answer.number("page");
    EXPECT_GE(page, 4096U);
    EXPECT_EQ(page & (page - 1), 0U) << page;
    EXPECT_GT(answer.number("clock_ns"), 0U);
    EXPECT_EQ(answer.number("pid"), static_cast<std::uint64_t>(agent.pid()));
    EXPECT_GE(answer.number("counter_hz"), 0U) << "a number, 0 where the agent cannot know it";
}

TEST_P(EveryPort, ListsItsWorkloadsWithTheirCalls) {
    Answer answer = agent.ask("list");
    ASSERT_TRUE(answer.is_ok()) << answer.text;
    answer.fields.erase("(sequence)");
    EXPECT_EQ(answer.fields, calls_per_op);
}

TEST_P(EveryPort, ProvesAndRunsEveryWorkload) {
    ASSERT_TRUE(agent.ask(setup()).is_ok());
    for (const auto& [workload, calls] : calls_per_op) {
        const Answer proof = agent.ask("prove workload=" + workload);
        if (may_lack(GetParam(), workload) && !proof.is_ok()) {
            EXPECT_THAT(proof.refusal(), AllOf(StartsWith("no kernel: "), HasSubstr("fstat"),
                                               HasSubstr("error 38 (ENOSYS)")));
            EXPECT_EQ(agent.ask("run workload=" + workload + " n=1").field("kind"), "kernel");
            continue;
        }
        EXPECT_TRUE(proof.is_ok()) << workload << ": " << proof.refusal();
        EXPECT_GT(proof.field("checked").size(), 20U) << workload;
        for (const char* hollow : {"", " hollow=0", " hollow=1"}) {
            const Answer run = agent.ask("run workload=" + workload + " n=100" + hollow);
            EXPECT_TRUE(run.is_ok()) << workload << hollow << ": " << run.refusal();
            EXPECT_GT(run.number("ns"), 0U) << workload;
            EXPECT_GE(run.number("ticks"), 0U) << "a number";
        }
        // Nothing that a run leaves behind may spoil the next proof.
        EXPECT_TRUE(agent.ask("prove workload=" + workload).is_ok()) << workload;
    }
}

TEST_P(EveryPort, RunsThroughThePad) {
    for (const char* pad : {"0", "1", "1024"}) {
        AgentProcess padded(GetParam());
        ASSERT_TRUE(padded.ask(setup() + " pad=" + pad).is_ok());
        for (const auto& [workload, calls] : calls_per_op) {
            if (!may_lack(GetParam(), workload)) {
                for (const char* hollow : {" hollow=0", " hollow=1"}) {
                    const Answer run = padded.ask("run workload=" + workload + " n=50" + hollow);
                    EXPECT_TRUE(run.is_ok()) << workload << hollow << ": " << run.refusal();
                }
                EXPECT_TRUE(padded.ask("prove workload=" + workload).is_ok()) << workload;
            }
        }
        EXPECT_TRUE(padded.ask("quit").is_ok());
        EXPECT_EQ(padded.ending()->code, 0);
    }
}

TEST_P(EveryPort, CountsTicksWhileItRuns) {
    const Answer run = agent.ask("run workload=getpid n=20000");
    ASSERT_TRUE(run.is_ok()) << run.text;
    EXPECT_GT(run.number("ticks"), 0U);
}

TEST_P(EveryPort, TreatmentsAreSetUpOrRefusedInWords) {
    for (const auto& [treatment, needs] :
         {std::pair{"seccomp=allow", "CONFIG_SECCOMP_FILTER"},
          std::pair{"seccomp=args", "CONFIG_SECCOMP_FILTER"},
          std::pair{"sud=on", "Linux 5.11 or newer"}, std::pair{"rseq=on", "CONFIG_RSEQ"}}) {
        AgentProcess treated(GetParam());
        const Answer answer = treated.ask(std::string("setup ") + treatment);
        EXPECT_THAT(answer.refusal(), AnyOf(Eq("ok"), AllOf(StartsWith("no kernel: "),
                                                            HasSubstr(needs), HasSubstr("error "))))
            << treatment;
        EXPECT_TRUE(treated.ask("prove workload=getpid").is_ok()) << treatment;
        EXPECT_TRUE(treated.ask("run workload=mix n=100").is_ok()) << treatment;
    }
}

}  // namespace
}  // namespace kerntoll::agent
