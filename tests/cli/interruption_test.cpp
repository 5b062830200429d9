// SPDX-License-Identifier: MIT
// Measurements of this machine that are interrupted, killed and gone on with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

pid_t first_child(pid_t parent) {
    const std::string thread = std::to_string(parent);
    std::ifstream list("/proc/" + thread + "/task/" + thread + "/children");
    pid_t child = 0;
    list >> child;
    return child;
}

class Interruption : public ::testing::Test {
protected:
    /// A comparison that would go on for minutes.
    [[nodiscard]] std::vector<std::string> long_comparison() const {
        return {"compare", "host",    "host,pad=40", "--precision", "0.0001", "--max-time",
                "5m",      "--batch", "2ms",         "--db",        file()};
    }
    [[nodiscard]] json runs() const {
        const Finished listed = run_kerntoll({"runs", "--format", "json", "--db", file()});
        const json parsed = json::parse(listed.output, nullptr, false);
        return parsed.is_object() && parsed.contains("runs") ? parsed["runs"] : json::array();
    }
    /// Waits until a run has this many complete replicates.
    void await_replicates(std::size_t wanted) const {
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (std::chrono::steady_clock::now() < deadline) {
            const json list = runs();
            if (!list.empty() && list.back()["replicates"] >= wanted) {
                return;
            }
            std::this_thread::sleep_for(20ms);
        }
        FAIL() << "no " << wanted << " replicates in 30 s";
    }
    [[nodiscard]] std::string file() const { return scratch_ / "results.db"; }

private:
    ScratchDirectory scratch_;
};

class Signal : public Interruption, public ::testing::WithParamInterface<int> {};

TEST_P(Signal, EndsInATableOfWhatThereIs) {
    Kerntoll comparison(long_comparison());
    await_replicates(7);
    comparison.send(GetParam());
    const Finished finished = comparison.wait(10s);
    EXPECT_EQ(finished.code, 3) << finished.errors;
    EXPECT_THAT(finished.output, HasSubstr("host,pad=40"));
    EXPECT_THAT(finished.errors, HasSubstr("kerntoll resume 1 --db " + file()));
    EXPECT_THAT(children_left(), IsEmpty());
    const json list = runs();
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0]["state"], "interrupted");
    EXPECT_GE(list[0]["replicates"], 7);
}

INSTANTIATE_TEST_SUITE_P(Kerntoll, Signal, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(Interruption, AtAnyMomentLeavesNoProcess) {
    for (int tenths = 1; tenths < 40; tenths += 3) {
        Kerntoll comparison(long_comparison());
        std::this_thread::sleep_for(tenths * 10ms);
        comparison.send(SIGINT);
        const Finished finished = comparison.wait(10s);
        // A process that has not come to its first line yet dies of the signal itself.
        EXPECT_TRUE(finished.code == 3 || finished.signal == SIGINT)
            << "after " << tenths * 10 << " ms: " << finished.errors;
        EXPECT_THAT(children_left(), IsEmpty());
    }
}

TEST_F(Interruption, KilledGoesOnWithWhatIsThere) {
    Kerntoll comparison(long_comparison());
    await_replicates(3);
    comparison.send(SIGKILL);
    EXPECT_EQ(comparison.wait().signal, SIGKILL);
    EXPECT_THAT(children_left(), IsEmpty());
    const json killed = runs();
    ASSERT_EQ(killed.size(), 1U);
    EXPECT_EQ(killed[0]["state"], "interrupted");
    const std::size_t before = killed[0]["replicates"];
    EXPECT_GE(before, 3U);

    Kerntoll resumed({"resume", "last", "--db", file()});
    await_replicates(before + 2);
    resumed.send(SIGINT);
    EXPECT_EQ(resumed.wait().code, 3);
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_GE(runs()[0]["replicates"], before + 2);
}

TEST_F(Interruption, ARunThatIsMeasuredCannotBeResumed) {
    Kerntoll comparison(long_comparison());
    await_replicates(1);
    const Finished second = run_kerntoll({"resume", "last", "--db", file()});
    EXPECT_NE(second.code, 0);
    EXPECT_THAT(second.errors, HasSubstr("kerntoll: "));
    comparison.send(SIGINT);
    EXPECT_EQ(comparison.wait().code, 3);
}

TEST_F(Interruption, AKilledAgentIsReportedAndReplaced) {
    Kerntoll comparison(long_comparison());
    await_replicates(1);
    // An agent that is killed just when it has done its part is not missed: kill until one is.
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    std::string events;
    while (events.find("killed by signal 9") == std::string::npos &&
           std::chrono::steady_clock::now() < deadline) {
        if (const pid_t agent = first_child(comparison.pid()); agent > 0) {
            kill(agent, SIGKILL);
        }
        std::this_thread::sleep_for(100ms);
        const Finished shown = run_kerntoll({"show", "last", "--format", "json", "--db", file()});
        events = json::parse(shown.output)["events"].dump();
    }
    EXPECT_THAT(events, HasSubstr("killed by signal 9"));
    comparison.send(SIGINT);
    EXPECT_EQ(comparison.wait().code, 3);
}

}  // namespace
}  // namespace kerntoll::test
