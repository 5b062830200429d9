// SPDX-License-Identifier: MIT
// The programs of tests/nano/programs, each a machine of its own.
#include <gmock/gmock.h>

#include <string>
#include <tuple>
#include <vector>

#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::IsEmpty;
using testing::SizeIs;

struct Case {
    const char* program;
    size_t least_checks;  ///< fewer lines mean that the program ended early
};

class NanoProgram : public testing::TestWithParam<std::tuple<const char*, Case>> {
protected:
    void SetUp() override {
        machine_ = find_machine(std::get<0>(GetParam()));
        if (!machine_) {
            GTEST_SKIP() << "there is no port to " << std::get<0>(GetParam()) << " in this build";
        }
    }
    void expect_good(const std::string& image) {
        SCOPED_TRACE(image);
        const auto& [program, least_checks] = std::get<1>(GetParam());
        const Ending ending = run_nano(*machine_, image, read_program(*machine_, program));
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "nano:"), IsEmpty());
        EXPECT_GE(lines_with(ending.output, "ok ").size(), least_checks);
        EXPECT_THAT(lines_with(ending.output, "end"), SizeIs(1)) << ending.output;
        EXPECT_EQ(ending.status, 0);
        EXPECT_EQ(ending.qemu_status, 0);
    }

    std::optional<Machine> machine_;
};

TEST_P(NanoProgram, HoldsOnEveryCompilersImage) {
    for (const std::string& image : images_of(*machine_)) {
        expect_good(image);
    }
}

TEST_P(NanoProgram, HoldsOnTheHardestVariant) {
    expect_good(make_image(*machine_, machine_->hardest));
}

INSTANTIATE_TEST_SUITE_P(All, NanoProgram,
                         testing::Combine(testing::ValuesIn(arch_names),
                                          testing::Values(Case{"bad_pointers", 200},
                                                          Case{"killed", 25}, Case{"signals", 25},
                                                          Case{"tasks", 18}, Case{"canary", 10},
                                                          Case{"work", 35})),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)) + "_" +
                                    std::get<1>(info.param).program;
                         });

}  // namespace

}  // namespace kerntoll::nano_test
