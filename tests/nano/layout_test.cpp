// SPDX-License-Identifier: MIT
// Another layout is the same code at other addresses: it executes the same number of instructions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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
    const auto machine = find_machine(GetParam());
    ASSERT_TRUE(machine);
    const std::string outlined = ",enter=outlined,exit=outlined,common=outlined";
    std::string hardest;  // with every stub and step that the lazy frame has of its own
    for (const std::string& choice : machine->hardest) {
        hardest += choice.starts_with("layout=") ? "" : "," + choice;
    }
    std::vector<std::string> variants = {"", outlined, hardest};
    if (images_of(*machine).size() > 1) {
        variants.push_back(outlined + ",cc=gcc");
    }
    int seed = 1;  // another order for each
    for (const std::string& variant : variants) {
        const double as_linked = count(variant);
        EXPECT_GT(as_linked, 0);
        for (const int end = seed + 2; seed < end; ++seed) {
            const std::string layout = variant + ",layout=" + std::to_string(seed);
            EXPECT_EQ(count(layout), as_linked) << layout;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoLayout, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
