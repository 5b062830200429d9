// SPDX-License-Identifier: MIT
// What nano is given from outside: a parameter block and a program, neither of which it believes.
#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <string>

#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int unusable = 102;

class NanoLoading : public testing::Test {
protected:
    const Machine& machine_ = machines().front();
    const std::string image_ = images_of(machine_).front();
    const std::string program_ = read_program(machine_, "killed");

    void expect_refusal(const Ending& ending, std::string_view why) {
        EXPECT_THAT(ending.output, HasSubstr(why));
        EXPECT_EQ(ending.status, unusable) << ending.output;
    }
    /// The program with a value written into it.
    template <class T>
    [[nodiscard]] std::string with(size_t offset, T value) const {
        std::string changed = program_;
        std::memcpy(changed.data() + offset, &value, sizeof value);
        return changed;
    }
};

TEST_F(NanoLoading, RefusesAParameterBlockThatIsNotThere) {
    expect_refusal(run_nano(machine_, image_, program_, std::nullopt), "its magic is wrong");
}

TEST_F(NanoLoading, RefusesAParameterBlockOfAnotherVersion) {
    nano::Parameters parameters;
    parameters.program_size = program_.size();
    parameters.version = 2;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "another version");
    parameters.version = nano::Parameters::right_version;
    parameters.size = 8;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "another version");
}

TEST_F(NanoLoading, RefusesASizeBeyondTheProgramsPlace) {
    nano::Parameters parameters;
    for (const uint64_t size : {uint64_t{machine_.places.program_limit} + 1, UINT64_MAX}) {
        parameters.program_size = size;
        expect_refusal(run_nano(machine_, image_, program_, parameters), "larger than its place");
    }
}

TEST_F(NanoLoading, RefusesSwitchesThatItDoesNotKnow) {
    nano::Parameters parameters;
    parameters.program_size = program_.size();
    parameters.switches = nano::all_switches + 1;
    expect_refusal(run_nano(machine_, image_, program_, parameters), "does not know");
}

TEST_F(NanoLoading, RefusesWhatIsNoProgramForIt) {
    expect_refusal(run_nano(machine_, image_, ""), "shorter than an ELF header");
    expect_refusal(run_nano(machine_, image_, with<uint32_t>(0, 0)), "not a static");
    expect_refusal(run_nano(machine_, image_, with<uint16_t>(18, 3)), "another machine");
    expect_refusal(run_nano(machine_, image_, with<uint64_t>(32, UINT64_MAX - 8)),
                   "outside the file");
    expect_refusal(run_nano(machine_, image_, with<uint16_t>(56, 0xffff)), "too many");
    expect_refusal(run_nano(machine_, image_, with<uint64_t>(24, machine_.places.pool_begin)),
                   "first instruction");
}

/// Headers with a few bytes changed at random: refused in a sentence, or run until they do
/// something wrong; never a panic and never a hang.
TEST_F(NanoLoading, SurvivesHeadersChangedAtRandom) {
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

}  // namespace

}  // namespace kerntoll::nano_test
