// SPDX-License-Identifier: MIT
// Another layout is the same code at other addresses: it executes the same number of instructions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "lab/experiment/count.hpp"
#include "lab/target/target.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

class NanoLayout : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        Machine machine{};
        machine.arch = GetParam();
        if (images_of(machine).empty()) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
        // What is built here stays in the build's folder.
        ASSERT_EQ(setenv("XDG_CACHE_HOME", KERNTOLL_TEST_IMAGES "/lab", 1), 0);
    }
    /// Instructions of one getpid, exactly; -1 and a test failure where they cannot be told.
    [[nodiscard]] static double count(const std::string& options) {
        const auto target = lab::open_target(std::string("nano:") + GetParam() + options);
        if (!target) {
            ADD_FAILURE() << target.error().message;
            return -1;
        }
        const auto counts = lab::experiment::count_instructions(**target, {"getpid"});
        if (!counts) {
            ADD_FAILURE() << counts.error().message;
            return -1;
        }
        EXPECT_TRUE(counts->front().exact) << options;
        return counts->front().instructions_per_op;
    }
};

TEST_P(NanoLayout, EveryOneOfAVariantHasTheSameCount) {
    // Three functions on the way, so that there is something to move.
    const std::string variant = ",enter=outlined,exit=outlined,common=outlined";
    const double as_linked = count(variant);
    EXPECT_GT(as_linked, 0);
    for (const char* layout : {",layout=1", ",layout=2", ",layout=3"}) {
        EXPECT_EQ(count(variant + layout), as_linked) << layout;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoLayout, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
