// SPDX-License-Identifier: MIT
// The programs of tests/nano/programs, each a machine of its own.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::IsEmpty;
using testing::SizeIs;

struct Case {
    std::string program;
    size_t least_checks;  ///< fewer lines mean that the program ended early
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.program;
}

class NanoProgram : public testing::TestWithParam<Case> {
protected:
    void expect_good(const Machine& machine, const std::string& image) {
        SCOPED_TRACE(image);
        if (!has_program(machine, GetParam().program)) {
            return;
        }
        const Ending ending = run_nano(machine, image, read_program(machine, GetParam().program));
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "nano:"), IsEmpty());
        EXPECT_GE(lines_with(ending.output, "ok ").size(), GetParam().least_checks);
        EXPECT_THAT(lines_with(ending.output, "end"), SizeIs(1)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
};

TEST_P(NanoProgram, HoldsOnEveryImage) {
    for (const Machine& machine : machines()) {
        for (const std::string& image : images_of(machine)) {
            expect_good(machine, image);
        }
    }
}

/// The choices under which most can go wrong with registers, stacks and interrupts.
TEST_P(NanoProgram, HoldsOnALazyFrame) {
    for (const Machine& machine : machines()) {
        std::vector<std::string> choices = {"frame=lazy", "debug=on", "stack_offset=on",
                                            "layout=7"};
        if (machine.decodes_class) {
            choices.emplace_back("vector=likely");
        }
        expect_good(machine, make_image(machine, choices));
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoProgram,
                         testing::Values(Case{"bad_pointers", 200}, Case{"killed", 30},
                                         Case{"port", 24}, Case{"signals", 25}, Case{"tasks", 18},
                                         Case{"canary", 10}, Case{"work", 35}),
                         [](const auto& info) { return info.param.program; });

}  // namespace

}  // namespace kerntoll::nano_test
