// SPDX-License-Identifier: MIT
// What the lab makes of lines and agents that do not behave.
#include "lab/target/wire_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/leftovers.hpp"
#include "tests/target/fake_agent.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using WireMachineTest = LeavesNothing;

const Work getpid{"getpid", false};

WireSettings impatient() {
    auto settings = FakeAgent::usual_settings();
    settings.patience = 300ms;
    return settings;
}

/// The message of what must have failed.
template <class T>
std::string message(const Result<T>& result) {
    return result ? "no error" : result.error().message;
}

TEST_F(WireMachineTest, LearnsWhatTheAgentIs) {
    FakeAgent agent(behave);
    ASSERT_EQ(message(agent.machine().wait_ready()), "no error");
    const Identity& identity = agent.machine().identity();
    EXPECT_EQ(identity.arch, "riscv64");
    EXPECT_EQ(identity.kernel_release, "6.12");
    EXPECT_EQ(identity.kernel_version, "#1 SMP");
    EXPECT_EQ(identity.page_size, 4096U);
    EXPECT_EQ(identity.counter, "rdtime");
    EXPECT_EQ(identity.counter_hz, 0U);
    EXPECT_THAT(identity.workloads, ElementsAre(std::pair<std::string, unsigned>("getpid", 1),
                                                std::pair<std::string, unsigned>("mix", 5)));
}

TEST_F(WireMachineTest, MeasuresABatch) {
    FakeAgent agent(behave);
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().calibrate(getpid, 20ms).value_or(0), 1000U);
    const auto sample = agent.machine().run(getpid, 10);
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->ops, 10U);
    EXPECT_EQ(sample->elapsed_ns, 1000U);
    EXPECT_EQ(sample->ticks, 100U);
    EXPECT_EQ(sample->counters.instructions, 42U);
    EXPECT_EQ(agent.machine().prove(getpid).value_or(""), "it was called");
}

TEST_F(WireMachineTest, AsksForWhatTheCallerAsked) {
    std::vector<std::string> asked;
    auto settings = FakeAgent::usual_settings();
    settings.setup = {{"seccomp", "args"}, {"file", "/a b"}};
    {
        FakeAgent agent(
            [&](FakeLine& line) {
                line.say(response(0, "hello version=1 arch=riscv64"));
                while (const auto request = line.next()) {
                    asked.push_back(request->payload);
                    line.answer(*request, usual_answer(*request));
                }
            },
            settings);
        ASSERT_TRUE(agent.machine().wait_ready());
        ASSERT_TRUE(agent.machine().calibrate(getpid, 20ms));
        ASSERT_TRUE(agent.machine().run({"mix", true}, 7));
        ASSERT_TRUE(agent.machine().prove(getpid));
    }
    EXPECT_THAT(asked, ElementsAre("identify", "list", "setup seccomp=args file=/a%20b",
                                   "calibrate workload=getpid ns=20000000",
                                   "run workload=mix n=7 hollow=1", "prove workload=getpid"));
}

TEST_F(WireMachineTest, ABatchRunsOnceHoweverOftenItsAnswerIsLost) {
    std::vector<std::uint32_t> sequences;
    {
        FakeAgent agent(except("run", [&](FakeLine& line, const Request& request) {
            sequences.push_back(request.sequence);
            if (sequences.size() > 1) {
                line.answer(request, usual_answer(request));
            }
        }));
        ASSERT_TRUE(agent.machine().wait_ready());
        EXPECT_TRUE(agent.machine().run(getpid, 10));
    }
    ASSERT_EQ(sequences.size(), 2U);
    EXPECT_EQ(sequences[0], sequences[1]) << "a repetition must carry the same sequence number";
}

TEST_F(WireMachineTest, ADamagedAnswerIsAskedForAgain) {
    int asked = 0;
    FakeAgent agent(except("run", [&](FakeLine& line, const Request& request) {
        std::string frame = response(request.sequence, usual_answer(request));
        if (++asked == 1) {
            frame.insert(frame.size() / 2, "[  1.2] random: crng init done");
        }
        line.say(frame);
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_TRUE(agent.machine().run(getpid, 10));
}

TEST_F(WireMachineTest, SurvivesEchoCarriageReturnsPortionsAndKernelMessages) {
    FakeAgent agent([](FakeLine& line) {
        line.say("[    0.1] Run /init as init process\r\n");
        line.say("half a message" + response(0, "hello version=1 arch=riscv64"));
        while (const auto request = line.next()) {
            char echo[wire::max_frame];
            const std::size_t length =
                wire::encode(wire::Direction::request, request->sequence,
                             {request->payload.data(), request->payload.size()}, echo);
            line.say({echo, length - 1});
            line.say("\r\n");
            std::string answer = response(request->sequence, usual_answer(*request));
            answer.insert(answer.size() - 1, "\r");
            for (const char byte : answer) {
                line.say({&byte, 1});
            }
        }
    });
    ASSERT_EQ(message(agent.machine().wait_ready()), "no error");
    EXPECT_TRUE(agent.machine().run(getpid, 10));
    EXPECT_THAT(agent.machine().console_tail(),
                ElementsAre("[    0.1] Run /init as init process", "half a message"));
}

TEST_F(WireMachineTest, AnAnswerToAnEarlierRequestIsNoAnswer) {
    FakeAgent agent(except("run", [](FakeLine& line, const Request& request) {
        line.say(response(request.sequence - 1, "ok ns=5 ticks=5"));
        std::this_thread::sleep_for(50ms);  // so that it arrives alone
        line.answer(request, usual_answer(request));
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().run(getpid, 10).value_or(Sample{}).elapsed_ns, 1000U);
}

TEST_F(WireMachineTest, ALostHelloIsAskedFor) {
    FakeAgent agent([](FakeLine& line) {
        while (const auto request = line.next()) {
            line.answer(*request, usual_answer(*request));
        }
    });
    EXPECT_EQ(message(agent.machine().wait_ready()), "no error");
}

TEST_F(WireMachineTest, ARequestThatCameBeforeTheHelloIsRepeatedAtOnce) {
    auto settings = FakeAgent::usual_settings();
    settings.patience = 3s;  // the lab asks after 2 s, and would ask again after 4 s
    FakeAgent agent(
        [](FakeLine& line) {
            if (line.next()) {
                behave(line);
            }
        },
        settings);
    EXPECT_EQ(message(agent.machine().wait_ready()), "no error");
}

TEST_F(WireMachineTest, ALateAnswerIsWaitedFor) {
    FakeAgent agent(except("run", [](FakeLine& line, const Request& request) {
        std::this_thread::sleep_for(700ms);
        line.answer(request, usual_answer(request));
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_TRUE(agent.machine().run(getpid, 10));
    EXPECT_TRUE(agent.machine().run(getpid, 10)) << "answers to repetitions must not confuse it";
}

TEST_F(WireMachineTest, SilenceEndsInASentence) {
    FakeAgent agent(except("run", [](FakeLine& line, const Request&) { line.say("hm\n"); }),
                    impatient());
    ASSERT_TRUE(agent.machine().wait_ready());
    const auto sample = agent.machine().run(getpid, 10);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::measurement);
    EXPECT_EQ(sample.error().message,
              "fake: no answer from the agent within 0.3 s while running getpid; the machine "
              "printed 3 bytes beside it");
    EXPECT_THAT(sample.error().console, ElementsAre("hm"));
}

TEST_F(WireMachineTest, GarbageForeverEndsInASentenceAndBoundedMemory) {
    FakeAgent agent(
        [](FakeLine& line) {
            std::atomic<bool> over = false;
            std::thread printer([&] {
                while (!over) {
                    line.say("garbage \x1b[2J\x07\n\xff\xfe@K< nonsense ");
                }
            });
            while (line.next()) {
            }
            over = true;
            printer.join();
        },
        impatient());
    const auto ready = agent.machine().wait_ready();
    ASSERT_FALSE(ready);
    EXPECT_THAT(ready.error().message,
                AllOf(StartsWith("fake: no answer from the agent within 0.3 s while starting"),
                      HasSubstr("bytes beside it")));
    EXPECT_LE(ready.error().console.size(), Console::most_lines + 1);
    EXPECT_THAT(ready.error().console, Contains(HasSubstr("garbage ?")));
}

TEST_F(WireMachineTest, DeathIsToldWithWhatTheMachineWasDoing) {
    FakeAgent* self = nullptr;
    FakeAgent agent(except("run", [&](FakeLine& line, const Request&) {
        line.say("last words\n");
        self->world().end();
    }));
    self = &agent;
    ASSERT_TRUE(agent.machine().wait_ready());
    const auto sample = agent.machine().run(getpid, 10);
    EXPECT_EQ(message(sample), "fake: the machine went up in smoke while running getpid");
    EXPECT_THAT(sample.error().console, ElementsAre("last words"));
    EXPECT_FALSE(agent.machine().run(getpid, 10)) << "a dead machine stays dead";
}

TEST_F(WireMachineTest, ALineThatCloses) {
    FakeAgent agent(except("run", [](FakeLine& line, const Request&) { line.hang_up(); }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(message(agent.machine().run(getpid, 10)),
              "fake: the agent closed its line while running getpid");
}

TEST_F(WireMachineTest, HopelessnessEndsTheWait) {
    auto settings = FakeAgent::usual_settings();
    settings.patience = 60s;
    FakeAgent agent(
        [](FakeLine& line) {
            while (line.next()) {
            }
        },
        settings);
    agent.world().hopeless = "the kernel panicked";
    EXPECT_EQ(message(agent.machine().wait_ready()), "fake: the kernel panicked while starting");
}

TEST_F(WireMachineTest, ASecondHelloIsARestart) {
    FakeAgent agent(except("run", [](FakeLine& line, const Request&) {
        line.say(response(0, "hello version=1 arch=riscv64"));
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(message(agent.machine().run(getpid, 10)),
              "fake: the machine started anew while running getpid");
}

TEST_F(WireMachineTest, AnotherVersionIsRefused) {
    FakeAgent agent(except("identify", [](FakeLine& line, const Request& request) {
        line.answer(request, "ok version=9 arch=riscv64");
    }));
    EXPECT_THAT(message(agent.machine().wait_ready()),
                HasSubstr("speaks version 9 of the wire protocol, this kerntoll speaks version 1"));
}

TEST_F(WireMachineTest, AnotherArchitectureIsRefused) {
    FakeAgent agent(except("identify", [](FakeLine& line, const Request& request) {
        line.answer(request, "ok version=1 arch=s390x");
    }));
    EXPECT_EQ(message(agent.machine().wait_ready()),
              "fake: its agent is for s390x, but the machine is riscv64");
}

TEST_F(WireMachineTest, WhatTheKernelRefusesIsTheEnvironmentsFault) {
    auto settings = FakeAgent::usual_settings();
    settings.setup = {{"seccomp", "args"}};
    FakeAgent agent(except("setup",
                           [](FakeLine& line, const Request& request) {
                               line.answer(request, "no kind=kernel reason=no%20seccomp%20here");
                           }),
                    settings);
    const auto ready = agent.machine().wait_ready();
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().fault, Fault::environment);
    EXPECT_EQ(ready.error().message, "fake: no seccomp here");
}

TEST_F(WireMachineTest, RefusalsKeepTheirKind) {
    FakeAgent agent(except("prove", [](FakeLine& line, const Request& request) {
        line.answer(request, request.payload == "prove workload=no-such"
                                 ? "no kind=usage reason=unknown"
                                 : "no kind=fault reason=cached");
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().prove({"no-such", false}).error().fault, Fault::usage);
    EXPECT_EQ(agent.machine().prove(getpid).error().fault, Fault::measurement);
}

TEST_F(WireMachineTest, AnAnswerWithoutItsFieldsIsNone) {
    FakeAgent agent(except(
        "run", [](FakeLine& line, const Request& request) { line.answer(request, "ok ns=many"); }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_THAT(message(agent.machine().run(getpid, 10)), HasSubstr("makes no sense"));
}

TEST_F(WireMachineTest, InterruptionEndsTheWait) {
    FakeAgent agent(except("run", [](FakeLine&, const Request&) { request_interrupt(); }));
    ASSERT_TRUE(agent.machine().wait_ready());
    const auto sample = agent.machine().run(getpid, 10);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::interrupted);
}

TEST_F(WireMachineTest, WhatTheKernelSaysOfItselfCannotCommandTheTerminal) {
    FakeAgent agent(except("identify", [](FakeLine& line, const Request& request) {
        line.answer(request,
                    "ok version=1 arch=riscv64 page=4096 release=6.12%1B[2J%FF build=x clock_ns=1 "
                    "counter=rdtime counter_hz=0 pid=1");
    }));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().identity().kernel_release, "6.12?[2J?");
}

TEST_F(WireMachineTest, ABatchThatCannotBeFollowedIsNotWaitedFor) {
    auto settings = FakeAgent::usual_settings();
    settings.patience = 1h;
    FakeAgent agent(except("run", [](FakeLine&, const Request&) {}), settings);
    ASSERT_TRUE(agent.machine().wait_ready());
    agent.world().lost_track = "it stepped into the dark";
    EXPECT_THAT(message(agent.machine().run(getpid, 10)), HasSubstr("it stepped into the dark"));
}

}  // namespace
}  // namespace kerntoll::lab
