// SPDX-License-Identifier: MIT
// What the lab makes of clocks and counters that agents report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "lab/target/wire_machine.hpp"
#include "tests/base/leftovers.hpp"
#include "tests/target/fake_agent.hpp"

namespace kerntoll::lab {
namespace {

using testing::HasSubstr;
using WireClock = LeavesNothing;

const Work getpid{"getpid", false};

/// The message of what must have failed.
template <class T>
std::string message(const Result<T>& result) {
    return result ? "no error" : result.error().message;
}

/// Answers runs with these times, one after the other; a quarter of a tick per nanosecond.
Script with_times(std::vector<std::string> times) {
    auto next = std::make_shared<std::size_t>(0);
    return except("run", [=](FakeLine& line, const Request& request) {
        line.answer(request, "ok " + times.at((*next)++));
    });
}

TEST_F(WireClock, AClockThatGoesBackBehindItsStartIsAFault) {
    FakeAgent agent(with_times({"ns=18446744073709000000 ticks=500"}));
    ASSERT_TRUE(agent.machine().wait_ready());
    const auto sample = agent.machine().run(getpid, 10);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::measurement);
    EXPECT_THAT(sample.error().message, HasSubstr("its clock stepped while running getpid"));
}

TEST_F(WireClock, AClockThatStandsStillIsAFault) {
    FakeAgent agent(with_times({"ns=0 ticks=500"}));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_THAT(message(agent.machine().run(getpid, 10)), HasSubstr("its clock did not advance"));
}

TEST_F(WireClock, AClockThatStepsBackWithinABatchIsFoundByTheCounter) {
    auto settings = FakeAgent::usual_settings();
    settings.time = WireSettings::Time::counted;  // the fake's batches take no time at all
    FakeAgent agent(with_times({"ns=20000000 ticks=5000000", "ns=19900000 ticks=5000000",
                                "ns=8000000 ticks=5000000"}),
                    settings);
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_TRUE(agent.machine().run(getpid, 10));
    EXPECT_TRUE(agent.machine().run(getpid, 10));
    EXPECT_EQ(message(agent.machine().run(getpid, 10)),
              "fake: its clock stepped back while running getpid: 0.008 s by the clock, but 0.020 "
              "s by the counter (rdtime)");
}

TEST_F(WireClock, ShortBatchesSayNothingAboutClocks) {
    FakeAgent agent(with_times({"ns=20000 ticks=5000", "ns=9000 ticks=5000"}));
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_TRUE(agent.machine().run(getpid, 10));
    EXPECT_TRUE(agent.machine().run(getpid, 10));
}

TEST_F(WireClock, ATimeThatCannotBeDoesNotUpsetTheNextWait) {
    auto settings = FakeAgent::usual_settings();
    settings.time = WireSettings::Time::counted;
    FakeAgent agent(
        with_times({"ns=18446744073709551615 ticks=0", "ns=18446744073709551615 ticks=0"}),
        settings);
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_TRUE(agent.machine().run(getpid, 1));
    EXPECT_TRUE(agent.machine().run(getpid, 1'000'000));
}

TEST_F(WireClock, TheAgentsOwnWordOnItsCounterCounts) {
    auto settings = FakeAgent::usual_settings();
    settings.counter_hz = 62'500'000;
    FakeAgent agent(except("identify",
                           [](FakeLine& line, const Request& request) {
                               line.answer(request,
                                           "ok version=1 arch=riscv64 page=4096 release=6 build=x "
                                           "clock_ns=1 counter=x counter_hz=1000000000 pid=1");
                           }),
                    settings);
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().identity().counter_hz, 1'000'000'000U);
}

TEST_F(WireClock, TheBuilderOfAMachineKnowsACounterThatTheAgentDoesNot) {
    auto settings = FakeAgent::usual_settings();
    settings.counter_hz = 10'000'000;
    FakeAgent agent(behave, settings);
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().identity().counter_hz, 10'000'000U);
}

}  // namespace
}  // namespace kerntoll::lab
