// SPDX-License-Identifier: MIT
// The programs of tests/nano/programs, each a machine of its own.
#include <gmock/gmock.h>

#include <algorithm>
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

std::string name_of(const testing::TestParamInfo<NanoProgram::ParamType>& info) {
    return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).program;
}
INSTANTIATE_TEST_SUITE_P(All, NanoProgram,
                         testing::Combine(testing::ValuesIn(arch_names),
                                          testing::Values(Case{"bad_pointers", 200},
                                                          Case{"killed", 25}, Case{"signals", 25},
                                                          Case{"tasks", 18}, Case{"canary", 14},
                                                          Case{"work", 35}, Case{"hostile", 4})),
                         name_of);

/// Numbers and results, where numbers are told apart by direct calls instead of the table.
class NanoSwitch : public NanoProgram {};

TEST_P(NanoSwitch, HoldsWhereASwitchDispatches) {
    expect_good(make_image(*machine_, {"dispatch=switch"}));
}

INSTANTIATE_TEST_SUITE_P(All, NanoSwitch,
                         testing::Combine(testing::ValuesIn(arch_names),
                                          testing::Values(Case{"bad_pointers", 200},
                                                          Case{"work", 35})),
                         name_of);

/// Landing pads, and on arm64 a key that every way in and out exchanges: a kernel that returns
/// under another key than it was called with ends in a panic. (QEMU looks for no pads on x86_64, so
/// that there this shows only that they stand in nobody's way; arm64's are looked for.)
class NanoProtected : public NanoProgram {};

TEST_P(NanoProtected, HoldsWithLandingPadsAndSignedReturns) {
    std::vector<std::vector<std::string>> variants = {{"branch_protection=on", "debug=on"}};
    if (machine_->arch == "arm64") {
        // QEMU's own algorithm for signatures: the architected one takes most of a second.
        std::ranges::replace(machine_->qemu, std::string("max"),
                             std::string("max,pauth-impdef=on"));
        variants.push_back({"branch_protection=on", "vector=table"});
    }
    variants.push_back(machine_->hardest);
    variants.back().emplace_back("branch_protection=on");
    for (const auto& choices : variants) {
        expect_good(make_image(*machine_, choices));
    }
}

INSTANTIATE_TEST_SUITE_P(Own, NanoProtected,
                         testing::Combine(testing::Values("x86_64", "arm64"),
                                          testing::Values(Case{"signals", 25}, Case{"tasks", 18},
                                                          Case{"canary", 14}, Case{"killed", 25},
                                                          Case{"port", 1})),
                         name_of);

/// What only these ports have to be tried.
INSTANTIATE_TEST_SUITE_P(Own, NanoProgram,
                         testing::Combine(testing::Values("x86_64", "arm64", "riscv64",
                                                          "loongarch64"),
                                          testing::Values(Case{"port", 1})),
                         name_of);

class NanoEnd : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        machine_ = find_machine(GetParam());
        if (!machine_) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
    }
    std::optional<Machine> machine_;
};

constexpr int killed_by_fault = 128 + 11;

TEST_P(NanoEnd, AFaultOfTheFirstTaskIsTheEnd) {
    const Ending ending =
        run_nano(*machine_, images_of(*machine_).front(), read_program(*machine_, "fault"));
    EXPECT_EQ(ending.status, killed_by_fault) << ending.output;
}

/// Without work words there is no way out on which a signal could be delivered.
TEST_P(NanoEnd, AFaultEndsATaskWithoutWorkWordsToo) {
    const std::string image = make_image(*machine_, {"work=none"});
    const Ending ending = run_nano(*machine_, image, read_program(*machine_, "fault"));
    EXPECT_EQ(ending.status, killed_by_fault) << ending.output;
}

/// The status of the first task is the machine's, as far as the machine has one.
TEST_P(NanoEnd, TheMachineTellsTheStatus) {
    const Ending ending =
        run_nano(*machine_, images_of(*machine_).front(), read_program(*machine_, "status"));
    EXPECT_EQ(ending.status, 3) << ending.output;
    EXPECT_EQ(ending.qemu_status, machine_->status_3);
}

/// The status is asked for by an instruction that is undefined where nobody listens.
TEST(NanoArm64, EndsWithoutAPanicWhereThereIsNoSemihosting) {
    auto machine = find_machine("arm64");
    if (!machine) {
        GTEST_SKIP() << "there is no port to arm64 in this build";
    }
    const auto option = std::ranges::find(machine->qemu, "-semihosting-config");
    ASSERT_NE(option, machine->qemu.end());
    machine->qemu.erase(option, option + 2);
    const Ending ending =
        run_nano(*machine, images_of(*machine).front(), read_program(*machine, "fault"));
    EXPECT_EQ(ending.status, killed_by_fault) << ending.output;
    EXPECT_THAT(lines_with(ending.output, "nano: "), SizeIs(1)) << ending.output;
}

INSTANTIATE_TEST_SUITE_P(All, NanoEnd, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
