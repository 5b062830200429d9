// SPDX-License-Identifier: MIT
// The recorder in a real QEMU with a real kernel: Debian's cloud kernel for amd64, where the set-up
// has unpacked one (KERNTOLL_TEST_KERNEL names it; it comes without symbols).
#include "lab/path/record.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "lab/experiment/count.hpp"
#include "lab/target/agent_code.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::Contains;
using testing::HasSubstr;

class RecordTest : public testing::Test {
protected:
    void SetUp() override {
        const char* kernel = std::getenv("KERNTOLL_TEST_KERNEL");
        if (kernel == nullptr || *kernel == '\0') {
            GTEST_SKIP() << "KERNTOLL_TEST_KERNEL names no kernel";
        }
        auto opened = open_target("linux:" + std::string(kernel) + ",accel=tcg,timeout=2m");
        ASSERT_TRUE(opened) << opened.error().message;
        target_ = *std::move(opened);
    }
    [[nodiscard]] RecordedPath recorded(const Wanted& wanted) {
        auto path = record_path(*target_, wanted);
        EXPECT_TRUE(path) << path.error().message;
        return path ? *std::move(path) : RecordedPath{};
    }

    std::unique_ptr<Target> target_;
};

TEST_F(RecordTest, ThePathAndTheLoopAreWhatIsCounted) {
    const auto counts = experiment::count_instructions(*target_, {"getpid"});
    ASSERT_TRUE(counts) << counts.error().message;
    ASSERT_TRUE(counts->front().exact);
    const RecordedPath path = recorded({});
    EXPECT_EQ(static_cast<double>(path.traced.anatomy.total.instructions) +
                  counts->front().loop_instructions,
              counts->front().instructions_per_op);
    if (!path.symbols) {
        EXPECT_THAT(path.traced.remarks, Contains(HasSubstr("No symbols")));
    }
}

/// As many round trips as take some ticks of the kernel's timer in between.
TEST_F(RecordTest, TheSameTraceIsRecordedEveryTimeToTheLastByte) {
    for (const char* workload : {"getpid", "open"}) {
        const Wanted wanted{.workload = workload, .rounds = 500};
        const auto once = record_trace(*target_, wanted);
        const auto again = record_trace(*target_, wanted);
        ASSERT_TRUE(once) << once.error().message;
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_GT(once->size(), 1000U);
        EXPECT_TRUE(*once == *again)
            << workload << ": " << once->size() << " and " << again->size() << " bytes";
    }
}

TEST_F(RecordTest, TreatmentsAreSetUpBeforeThePathIsRecorded) {
    const auto plain = recorded({});
    auto filtered = open_target(target_->spec().text + ",seccomp=args");
    ASSERT_TRUE(filtered) << filtered.error().message;
    const auto path = record_path(**filtered, {});
    if (!path && path.error().message.contains("CONFIG_SECCOMP_FILTER")) {
        GTEST_SKIP() << path.error().message;
    }
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_GT(path->traced.anatomy.total.instructions, plain.traced.anatomy.total.instructions);
}

TEST_F(RecordTest, AnOpThatMakesNoCallHasNoPath) {
    const auto path = record_path(*target_, {.workload = "empty"});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("make fewer than 100 round trips"));
}

TEST_F(RecordTest, ACallThatAnOpDoesNotMakeIsAUsageError) {
    const auto path = record_path(*target_, {.workload = "getpid", .call = 2});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::usage);
    EXPECT_THAT(path.error().message, HasSubstr("makes 1 call"));
}

TEST(Record, OfATargetThatIsNotEmulatedIsAUsageError) {
    const auto target = open_target("sim:ns=100");
    ASSERT_TRUE(target);
    const auto path = record_path(**target, {});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::usage);
}

TEST(AgentCode, LiesWhereItsElfFileSays) {
    for (const Arch arch :
         {Arch::x86_64, Arch::arm64, Arch::riscv64, Arch::s390x, Arch::loongarch64}) {
        for (const char* workload :
             {"getpid", "getppid", "getpgid", "mix", "close", "read", "write", "stat", "fstat",
              "open", "seek", "invalid", "clock", "empty"}) {
            const auto code = agent_code(arch, workload);
            ASSERT_TRUE(code) << name(arch) << " " << workload << ": " << code.error().message;
            EXPECT_LT(code->text.low, code->loop.low);
            EXPECT_LT(code->loop.high, code->text.high);
            EXPECT_LT(code->loop.high - code->loop.low, 4096U);
        }
    }
    EXPECT_EQ(agent_code(Arch::x86_64, "nothing").error().fault, Fault::usage);
    EXPECT_EQ(agent_code(Arch::x86_64, "").error().fault, Fault::usage);
}

}  // namespace
}  // namespace kerntoll::lab::path
