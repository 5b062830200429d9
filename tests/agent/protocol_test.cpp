// SPDX-License-Identifier: MIT
// How the agent bears with its line, its requests and its end. The host's agent is enough: nothing
// here depends on the architecture.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lab/target/workloads.hpp"
#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Agent : public ::testing::Test {
protected:
    AgentProcess agent{host_port()};
};

TEST_F(Agent, RepeatedRequestIsAnsweredAgainWithoutRunningAgain) {
    const Answer first = agent.ask("run workload=getpid n=1000", 7);
    const Answer again = agent.ask("run workload=getpid n=1000", 7);
    EXPECT_TRUE(first.is_ok());
    EXPECT_EQ(again.text, first.text);
    // The number counts, not the text: this one was answered already.
    EXPECT_EQ(agent.ask("list", 7).text, first.text);
    EXPECT_NE(agent.ask("list", 8).text, first.text);
}

TEST_F(Agent, HasTheWorkloadsThatHelpNames) {
    const Answer list = agent.ask("list");
    std::size_t named = 0;
    for (const std::string_view workload : lab::agent_workloads) {
        EXPECT_FALSE(list.field(workload).empty()) << workload;
        ++named;
    }
    EXPECT_EQ(named, static_cast<std::size_t>(std::ranges::count(list.text, '=')));
}

TEST_F(Agent, LostHelloCanBeAskedForAgain) {
    EXPECT_EQ(agent.ask("identify", 0).text, agent.hello().text);
}

TEST_F(Agent, SetupThatIsRepeatedIsNoSecondSetup) {
    EXPECT_TRUE(agent.ask("setup pad=1", 1).is_ok());
    EXPECT_TRUE(agent.ask("setup pad=1", 1).is_ok());
    EXPECT_THAT(agent.ask("setup pad=1", 2).refusal(), HasSubstr("setup was done already"));
}

TEST_F(Agent, SetupComesBeforeTheFirstWorkload) {
    EXPECT_TRUE(agent.ask("run workload=getpid n=1").is_ok());
    EXPECT_EQ(agent.ask("setup pad=1").refusal(),
              "no usage: setup comes before the first workload; start another agent");
}

TEST_F(Agent, DamagedRequestIsPassedOver) {
    std::string damaged = request("run workload=getpid n=1", 1);
    damaged[20] = '#';
    agent.send(damaged);
    EXPECT_FALSE(agent.next_answer(100ms));
    EXPECT_TRUE(agent.ask("run workload=getpid n=1", 1).is_ok());
}

TEST_F(Agent, GarbageAndEndlessLinesAreSurvived) {
    std::string garbage;
    for (int i = 0; i < 3000; ++i) {
        garbage += static_cast<char>((i * 7919 + i / 256) & 0xff);
    }
    agent.send(garbage);
    agent.send("@K> 00000001 " + std::string(5000, 'x'));
    agent.send("\r\n\r\n\n@@@K@K>@K> \n");
    EXPECT_TRUE(agent.ask("list").is_ok());
}

TEST_F(Agent, RequestInSingleBytesAndWithCarriageReturnsIsUnderstood) {
    std::string line = request("list", 1);
    line.insert(line.size() - 1, "\r");
    for (const char byte : line) {
        agent.send({&byte, 1});
    }
    const auto answer = agent.next_answer(10s);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->is_ok());
}

TEST_F(Agent, SeveralRequestsInOnePortionAreAnsweredInOrder) {
    agent.send(request("list", 1) + request("identify", 2) + request("list", 3));
    for (const char* sequence : {"1", "2", "3"}) {
        const auto answer = agent.next_answer(10s);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->field("(sequence)"), sequence);
    }
}

TEST_F(Agent, RequestsThatMakeNoSenseAreRefusedInASentence) {
    const std::pair<const char*, const char*> cases[] = {
        {"dance", "does not know the verb dance"},
        {"hello version=1", "does not know the verb hello"},
        {"list all=1", "list does not know the key all"},
        {"run n=1", "workload=NAME is missing"},
        {"run workload=getpid", "n must be a number from 1 to 1000000000000"},
        {"run workload=getpid n=0", "n must be a number from 1"},
        {"run workload=getpid n=-1", "n must be a number from 1"},
        {"run workload=getpid n=1000000000001", "n must be a number from 1"},
        {"run workload=getpid n=99999999999999999999", "n must be a number from 1"},
        {"run workload=getpid n=1 hollow=2", "hollow is 0 or 1"},
        {"run workload=getpid n=1 loops=2", "run does not know the key loops"},
        {"run workload=fork n=1", "there is no workload fork"},
        {"run workload= n=1", "there is no workload"},
        {"calibrate workload=getpid ns=0", "ns must be a number from 1 to 60000000000"},
        {"calibrate workload=getpid ns=60000000001", "ns must be a number from 1"},
        {"prove workload=getpid n=1", "prove does not know the key n"},
        {"setup pad=1025", "pad must be a number from 0 to 1024"},
        {"setup pad=one", "pad must be a number"},
        {"setup seccomp=strict", "seccomp is allow or args"},
        {"setup sud=yes", "sud can only be on"},
        {"setup rseq=1", "rseq can only be on"},
        {"setup file=", "file must be a path of 1 to 255 bytes"},
        {"setup file=%00", "none of them zero"},
        {"setup file=%2", "file must be a path"},
        {"setup colour=red", "setup does not know the key colour"},
        {"run workload=getpid  n=1", "single spaces"},
        {"list x", "single spaces"},
    };
    for (const auto& [payload, sentence] : cases) {
        EXPECT_THAT(agent.ask(payload).refusal(),
                    AllOf(StartsWith("no usage: "), HasSubstr(sentence)))
            << payload;
    }
    // A setup that could not be read was none: it may be tried again.
    EXPECT_TRUE(agent.ask("setup pad=5").is_ok());
}

TEST_F(Agent, FileThatIsMissingIsRefusedByName) {
    EXPECT_EQ(agent.ask("setup file=/kerntoll/is/not/here").refusal(),
              "no kernel: cannot open /kerntoll/is/not/here: error 2 (ENOENT)");
}

TEST_F(Agent, PathOfTheGreatestLengthIsTakenAndALongerOneRefused) {
    EXPECT_THAT(agent.ask("setup file=/" + std::string(255, 'x')).refusal(),
                HasSubstr("no usage: file must be a path"));
    const std::string longest = "/" + std::string(100, '.') + "/../" + std::string(150, 'x');
    EXPECT_THAT(agent.ask("setup file=" + longest).refusal(),
                AllOf(StartsWith("no kernel: cannot open " + longest), HasSubstr("(ENOENT)")));
}

TEST_F(Agent, BatchesOfTheCalibratedLengthLastLongEnough) {
    constexpr std::uint64_t wanted = 3'000'000;
    const Answer calibrated = agent.ask("calibrate workload=getppid ns=3000000");
    ASSERT_TRUE(calibrated.is_ok()) << calibrated.text;
    std::uint64_t longest = 0;
    std::uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
        const Answer run = agent.ask("run workload=getppid n=" + calibrated.field("n"));
        longest = std::max(longest, run.number("ns"));
        shortest = std::min(shortest, run.number("ns"));
    }
    EXPECT_GE(longest, wanted / 2) << calibrated.text;
    EXPECT_LE(shortest, wanted * 6) << calibrated.text;
    EXPECT_GT(agent.ask("calibrate workload=empty ns=1").number("n"), 0U);
}

// Ratios far from what any noise makes: a call against a no-op, 1024 dependent instructions
// against one.
TEST_F(Agent, HollowRunsLeaveTheKernelOutAndThePadTakesItsTime) {
    const auto fastest = [](AgentProcess& process, const std::string& payload) {
        std::uint64_t least = UINT64_MAX;
        for (int i = 0; i < 5; ++i) {
            least = std::min(least, process.ask(payload).number("ns"));
        }
        return least;
    };
    const std::uint64_t real = fastest(agent, "run workload=getpid n=20000");
    const std::uint64_t hollow = fastest(agent, "run workload=getpid n=20000 hollow=1");
    EXPECT_GT(real, 4 * hollow);

    AgentProcess padded(host_port());
    ASSERT_TRUE(padded.ask("setup pad=1024").is_ok());
    const std::uint64_t plain = fastest(agent, "run workload=empty n=20000");
    EXPECT_GT(fastest(padded, "run workload=empty n=20000"), 50 * plain);
}

TEST_F(Agent, QuitIsAnsweredAndEndsIt) {
    EXPECT_TRUE(agent.ask("quit").is_ok());
    EXPECT_EQ(agent.ending()->code, 0);
}

TEST_F(Agent, NothingBehindQuitIsCarriedOut) {
    agent.send(request("quit", 1) + request("list", 2));
    EXPECT_TRUE(agent.next_answer(10s));
    EXPECT_FALSE(agent.next_answer(10s));
    EXPECT_EQ(agent.ending()->code, 0);
}

TEST_F(Agent, EndOfInputEndsIt) {
    agent.close_input();
    EXPECT_EQ(agent.ending()->code, 0);
}

TEST_F(Agent, ReaderThatWentAwayEndsItWithoutASignal) {
    agent.close_output();
    agent.send(request("list", 1));
    const auto ended = agent.ending();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->code, 0) << ended->sentence();
}

TEST(AgentAlone, InputThatDoesNotBlockIsWaitedFor) {
    AgentProcess agent(host_port(), {}, Input::does_not_block);
    EXPECT_TRUE(agent.ask("list").is_ok());
    EXPECT_FALSE(agent.next_answer(50ms));
    EXPECT_TRUE(agent.ask("list").is_ok());
}

/// Runs an agent as the first process of a process namespace of its own, where reboot(2) ends the
/// namespace, telling by a signal what was asked for.
class FirstProcess : public ::testing::Test {
protected:
    void SetUp() override {
        const auto probe = lab::run_captured({"unshare", "--pid", "--fork", "true"}, 10s);
        if (!probe || probe->status.code != 0) {
            GTEST_SKIP() << "needs the right to make a process namespace (run the tests as root)";
        }
    }
};

TEST_F(FirstProcess, PowersOffOnQuit) {
    AgentProcess agent(host_port(), {"unshare", "--pid", "--fork"});
    EXPECT_EQ(agent.ask("identify").field("pid"), "1");
    EXPECT_TRUE(agent.ask("prove workload=getpid").is_ok());
    EXPECT_TRUE(agent.ask("quit").is_ok());
    const auto ended = agent.ending();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->signal, SIGINT) << ended->sentence() << "; SIGINT is what power-off gives";
}

TEST_F(FirstProcess, PowersOffAtTheEndOfItsInput) {
    AgentProcess agent(host_port(), {"unshare", "--pid", "--fork"});
    agent.close_input();
    const auto ended = agent.ending();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->signal, SIGINT) << ended->sentence() << "; SIGINT is what power-off gives";
}

/// The lines of this machine's /proc/kallsyms that an agent keeps, or none where the kernel hides
/// them from this user.
std::vector<std::pair<std::uint64_t, std::string>> kernel_symbols() {
    std::vector<std::pair<std::uint64_t, std::string>> symbols;
    std::ifstream file("/proc/kallsyms");
    std::uint64_t highest = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::uint64_t address = 0;
        std::string letter;
        std::string name;
        words >> std::hex >> address >> letter >> name;
        if (letter != "a" && letter != "A" && !name.starts_with('$') && !name.starts_with(".L")) {
            highest |= address;
            symbols.emplace_back(address, letter + " " + name);
        }
    }
    if (highest == 0) {
        symbols.clear();
    }
    std::ranges::sort(symbols);
    return symbols;
}

TEST_F(Agent, SymbolsAreThoseOfTheKernel) {
    const auto symbols = kernel_symbols();
    EXPECT_EQ(agent.ask("symbol at=1").refusal(),
              "no usage: the kernel's symbols must be read first, by `symbols`");
    const Answer read = agent.ask("symbols");
    if (symbols.empty()) {
        EXPECT_THAT(read.refusal(), StartsWith("no kernel: "));
        EXPECT_THAT(agent.ask("symbols").refusal(), HasSubstr("start another agent"));
        return;
    }
    // Others may load and unload modules and filters meanwhile: these are at the end.
    EXPECT_NEAR(static_cast<double>(read.number("n")), static_cast<double>(symbols.size()), 1000);
    EXPECT_EQ(agent.ask("symbols").text, read.text);
    for (std::size_t at = 1; at < symbols.size() / 2; at += 997) {
        const std::uint64_t start = symbols[at].first;
        const auto [first, last] = std::ranges::equal_range(
            symbols, start, {}, [](const auto& symbol) { return symbol.first; });
        const Answer answer = agent.ask("symbol at=" + std::to_string(last->first - 1));
        EXPECT_EQ(agent.ask("symbol at=" + std::to_string(start)).text, answer.text);
        ASSERT_EQ(answer.number("start"), start) << symbols[at].second;
        EXPECT_EQ(answer.number("end"), last->first);
        for (auto symbol = first; symbol != last; ++symbol) {
            const char letter = symbol->second[0];
            const char* key = letter == 'T' ? " global=" : letter == 't' ? " local=" : " weak=";
            const bool code = std::string_view("TtWw").contains(letter);
            EXPECT_EQ(answer.text.contains(key + symbol->second.substr(2)), code)
                << symbol->second << " in " << answer.text;
        }
    }
    EXPECT_EQ(agent.ask("symbol at=" + std::to_string(UINT64_MAX)).text, "ok");
    EXPECT_EQ(agent.ask("symbol at=0").text, "ok");
}

TEST_F(Agent, SymbolsTakeNothingButAnAddress) {
    for (const char* wrong : {"symbols at=1", "symbol to=1"}) {
        EXPECT_THAT(agent.ask(wrong).refusal(), HasSubstr("does not know the key")) << wrong;
    }
    if (!agent.ask("symbols").is_ok()) {
        GTEST_SKIP() << "this kernel hides its symbols";
    }
    for (const char* wrong : {"symbol", "symbol at=0x10", "symbol at=-1",
                              "symbol at=", "symbol at=18446744073709551616"}) {
        EXPECT_EQ(agent.ask(wrong).refusal(), "no usage: at must be an address, in decimal");
    }
}

}  // namespace
}  // namespace kerntoll::agent
