// SPDX-License-Identifier: MIT
// Every policy tells the same story as the model: same calls, same results, same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>

#include "tests/entry/model.hpp"
#include "tests/entry/policies.hpp"

namespace kerntoll::test {
namespace {

using Bytes = std::array<std::uint8_t, 224>;

Bytes random_bytes(std::mt19937_64& random) {
    Bytes bytes{};
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    return bytes;
}

TEST(Policies, AreEveryCombinationOnceAndNoneTwice) {
    std::set<std::string> seen;
    for (const PolicyRow& row : all_policies()) {
        seen.insert(spelled(row.policy));
    }
    EXPECT_EQ(seen.size(), all_policies().size());
    EXPECT_EQ(seen.size(), 27U * 24 + 24);
    EXPECT_TRUE(
        seen.contains("enter=outlined,exit=auto,common=inlined,vector=chain,"
                      "dispatch=switch,nospec=mask,frame=full,work=full,stack_offset=on,"
                      "debug=on,branch_protection=off"));
}

// 24 policies a scenario, so that each meets some four thousand of them.
TEST(Policies, TellWhatTheModelTells) {
    constexpr std::size_t scenarios = 120'000;
    constexpr std::size_t at_once = 24;
    std::mt19937_64 random(1);
    const std::vector<PolicyRow>& policies = all_policies();
    std::size_t next = 0;
    for (std::size_t i = 0; i < scenarios; ++i) {
        const Bytes bytes = random_bytes(random);
        const Scenario scenario = scenario_from(bytes.data(), bytes.size());
        // Told once for all policies between which a user sees no difference.
        std::array<std::optional<Story>, 4> models;
        for (std::size_t j = 0; j < at_once; ++j) {
            const PolicyRow& row = policies[next];
            next = (next + 1) % policies.size();
            const Visible visible = row.visible();
            std::optional<Story>& model = models[(visible.work ? 1 : 0) + (visible.checks ? 2 : 0)];
            if (!model) {
                model = tell_model(scenario, visible);
            }
            const Story& expected = *model;
            const Story told = row.tell(scenario);
            ASSERT_EQ(told, expected) << "scenario " << i << " of seed 1, " << spelled(row.policy)
                                      << "\nthe path tells:\n"
                                      << tell(told) << "the model tells:\n"
                                      << tell(expected);
        }
    }
}

// The scenarios reach what they are for: a comparison of two empty stories would prove nothing.
TEST(Policies, MeetEveryPartyAndEveryCall) {
    std::mt19937_64 random(1);
    std::array<std::size_t, party_count> turns{};
    std::set<long> results;
    for (int i = 0; i < 2000; ++i) {
        const Bytes bytes = random_bytes(random);
        const Scenario scenario = scenario_from(bytes.data(), bytes.size());
        for (const Event& event : tell_model(scenario, {.work = true, .checks = true})) {
            ++turns[static_cast<std::size_t>(event.party)];
            results.insert(event.result);
        }
    }
    for (std::size_t party = 0; party < party_count; ++party) {
        EXPECT_GT(turns[party], 20U) << name(static_cast<Party>(party));
    }
    for (long number = 0; number < static_cast<long>(calls); ++number) {
        EXPECT_TRUE(results.contains(100 + number));
    }
}

}  // namespace
}  // namespace kerntoll::test
