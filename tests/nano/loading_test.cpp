// SPDX-License-Identifier: MIT
// What nano is given from outside: a parameter block and a program, neither of which it believes.
#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <string>

#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class NanoLoading : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto found = find_machine(GetParam());
        if (!found) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
        machine_ = *found;
        image_ = images_of(machine_).front();
        program_ = read_program(machine_, "killed");
    }
    void expect_refusal(const Ending& ending, std::string_view why) {
        EXPECT_THAT(ending.output, HasSubstr(why));
        EXPECT_EQ(ending.status, unusable) << ending.output;
    }
    /// The program with a number of `size` bytes written into it, as its machine has them.
    [[nodiscard]] std::string with(size_t offset, size_t size, uint64_t value) const {
        std::string changed = program_;
        for (size_t i = 0; i < size; ++i) {
            const size_t place = machine_.is_big_endian ? size - 1 - i : i;
            changed[offset + place] = static_cast<char>(value >> 8 * i);
        }
        return changed;
    }

    Machine machine_;
    std::string image_;
    std::string program_;
};

/// What all other tests of this folder rest on.
TEST_P(NanoLoading, AMachineThatNeverStartedDidNotEndWell) {
    EXPECT_EQ(run_nano(machine_, image_ + "-that-is-not-there", program_).status, -1);
}

TEST_P(NanoLoading, RefusesAParameterBlockThatIsNotThere) {
    expect_refusal(run_nano(machine_, image_, program_, std::nullopt), "its magic is wrong");
}

TEST_P(NanoLoading, RefusesAParameterBlockOfAnotherVersion) {
    nano::Parameters parameters;
    parameters.program_size = program_.size();
    parameters.version = 2;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "another version");
    parameters.version = nano::Parameters::right_version;
    parameters.size = 8;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "another version");
}

TEST_P(NanoLoading, RefusesASizeBeyondTheProgramsPlace) {
    nano::Parameters parameters;
    for (const uint64_t size : {uint64_t{machine_.places.program_limit} + 1, UINT64_MAX}) {
        parameters.program_size = size;
        expect_refusal(run_nano(machine_, image_, program_, parameters), "larger than its place");
    }
}

TEST_P(NanoLoading, RefusesSwitchesThatItDoesNotKnow) {
    nano::Parameters parameters;
    parameters.program_size = program_.size();
    parameters.switches = nano::all_switches + 1;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "does not know");
}

TEST_P(NanoLoading, RefusesWhatIsNoProgramForIt) {
    expect_refusal(run_nano(machine_, image_, ""), "shorter than an ELF header");
    expect_refusal(run_nano(machine_, image_, with(0, 4, 0)), "not a static");
    expect_refusal(run_nano(machine_, image_, with(18, 2, 3)), "another machine");
    expect_refusal(run_nano(machine_, image_, with(32, 8, UINT64_MAX - 8)), "outside the file");
    expect_refusal(run_nano(machine_, image_, with(56, 2, 0xffff)), "too many");
    expect_refusal(run_nano(machine_, image_, with(24, 8, machine_.places.pool_begin)),
                   "first instruction");
}

/// Headers with a few bytes changed at random: refused in a sentence, or run until they do
/// something wrong; never a panic and never a hang.
TEST_P(NanoLoading, SurvivesHeadersChangedAtRandom) {
    constexpr int rounds = 40;
    constexpr size_t headers = 400;
    std::mt19937 random(1);
    for (int round = 0; round < rounds; ++round) {
        std::string changed = program_;
        for (unsigned i = random() % 8 + 1; i != 0; --i) {
            const char byte = random() % 2 == 0 ? '\xff' : static_cast<char>(random());
            changed[random() % headers] = byte;
        }
        const Ending ending = run_nano(machine_, image_, changed);
        EXPECT_THAT(lines_with(ending.output, "nano: panic"), IsEmpty()) << "round " << round;
        EXPECT_THAT(ending.output, Not(IsEmpty())) << "round " << round;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoLoading, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
