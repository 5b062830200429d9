// SPDX-License-Identifier: MIT
// The recorder in a real QEMU, with nano and with a real kernel: Debian's cloud kernel for amd64,
// where the set-up has unpacked one (KERNTOLL_TEST_KERNEL names it; it comes without a list of
// symbols).
#include "lab/path/record.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "lab/experiment/count.hpp"
#include "lab/target/agent_code.hpp"
#include "lab/target/workloads.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

class RecorderTest : public testing::Test {
protected:
    void open(const std::string& text) {
        auto opened = open_target(text);
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

class RecordTest : public RecorderTest {
protected:
    void SetUp() override {
        const char* kernel = std::getenv("KERNTOLL_TEST_KERNEL");
        if (kernel == nullptr || *kernel == '\0') {
            GTEST_SKIP() << "KERNTOLL_TEST_KERNEL names no kernel";
        }
        open(fmt::format("linux:{},accel=tcg,timeout=2m", kernel));
    }
};

/// What does not depend on the kernel, in one that is up at once.
class NanoRecordTest : public RecorderTest {
protected:
    static void SetUpTestSuite() { setenv("XDG_CACHE_HOME", KERNTOLL_TEST_CACHE, 1); }
    void SetUp() override { open("nano:x86_64"); }
};

TEST_F(RecordTest, ThePathAndTheLoopAreWhatIsCounted) {
    const auto counts = experiment::count_instructions(*target_, {"getpid"});
    ASSERT_TRUE(counts) << counts.error().message;
    ASSERT_TRUE(counts->front().exact);
    const RecordedPath path = recorded({});
    EXPECT_EQ(static_cast<double>(path.traced.anatomy.total.instructions) +
                  counts->front().loop_instructions,
              counts->front().instructions_per_op);
}

/// A recorded machine's agent reads its requests from a file: the calls that take a descriptor must
/// find the same ones free that they find where requests come over the line.
TEST_F(RecordTest, CallsThatTakeADescriptorTakeThePathThatIsCounted) {
    const auto counts = experiment::count_instructions(*target_, {"close"});
    ASSERT_TRUE(counts) << counts.error().message;
    ASSERT_TRUE(counts->front().exact);
    const auto bytes = record_trace(*target_, {.workload = "close"});
    ASSERT_TRUE(bytes) << bytes.error().message;
    double instructions = counts->front().loop_instructions;
    for (const std::size_t call : {1U, 2U}) {
        const auto path = choose_path(read_trace(*bytes).value(), nullptr,
                                      {.workload = "close", .call = call}, "a guest");
        ASSERT_TRUE(path) << path.error().message;
        instructions += static_cast<double>(path->traced.anatomy.total.instructions);
    }
    EXPECT_EQ(instructions, counts->front().instructions_per_op);
}

TEST_F(RecordTest, FunctionsGoByTheNamesThatTheGuestTells) {
    const RecordedPath path = recorded({});
    EXPECT_THAT(path.traced.remarks, Contains(HasSubstr("the guest's own /proc/kallsyms")));
    std::vector<std::string> names;
    for (const FunctionPart& function : path.traced.anatomy.functions) {
        names.push_back(function.name);
        EXPECT_GT(function.size, 0U) << function.name;
    }
    EXPECT_THAT(names, IsSupersetOf({"entry_SYSCALL_64", "do_syscall_64", "__x64_sys_getpid"}));
}

TEST_F(RecordTest, AGuestThatHidesItsSymbolsHasAPathOfAddresses) {
    open(target_->spec().text + ",append=sysctl.kernel.kptr_restrict=2");
    const RecordedPath path = recorded({});
    EXPECT_THAT(path.traced.remarks,
                Contains(AllOf(HasSubstr("No symbols"), HasSubstr("hides its addresses"))));
    ASSERT_FALSE(path.traced.anatomy.functions.empty());
    EXPECT_THAT(path.traced.anatomy.functions.front().name, StartsWith("0xffff"));
}

TEST_F(RecordTest, SingleStepsShowTheSamePath) {
    const RecordedPath plugin = recorded({.recorder = Recorder::plugin});
    std::uint64_t told = 0;
    const RecordedPath steps =
        recorded({.recorder = Recorder::gdb,
                  .progress = [&told](const StepProgress& at) { told = at.instructions; }});
    ASSERT_FALSE(plugin.traced.anatomy.steps.empty());
    ASSERT_EQ(steps.traced.anatomy.steps.size(), plugin.traced.anatomy.steps.size());
    for (std::size_t at = 0; at < plugin.traced.anatomy.steps.size(); ++at) {
        const Instruction& expected = *plugin.traced.anatomy.steps[at].instruction;
        const Instruction& found = *steps.traced.anatomy.steps[at].instruction;
        ASSERT_EQ(found.address, expected.address) << at;
        EXPECT_EQ(found.bytes, expected.bytes) << at;
        EXPECT_EQ(found.text, expected.text) << at;
    }
    EXPECT_GT(told, 1000U);
    EXPECT_EQ(steps.traced.anatomy.total.loads, 0U);
    EXPECT_THAT(steps.traced.remarks, Contains(HasSubstr("Recorded by single steps")));
    EXPECT_THAT(plugin.traced.remarks, Not(Contains(HasSubstr("single steps"))));
}

/// QEMU begins to translate such an instruction as a part of what stands before it, and gives that
/// up at the border of the page; what it then executes is whole.
TEST_F(RecordTest, AnInstructionThatCrossesAPageHasAllItsBytes) {
    const RecordedPath path = recorded({.workload = "open", .rounds = 3});
    const auto& steps = path.traced.anatomy.steps;
    constexpr std::uint64_t page = 4096;
    std::size_t crossing = 0;
    for (std::size_t at = 0; at + 1 < steps.size(); ++at) {
        const std::uint64_t begin = steps[at].instruction->address;
        const std::uint64_t end = begin + steps[at].instruction->bytes.size();
        const std::uint64_t next = steps[at + 1].instruction->address;
        if (steps[at].kind.flow == Flow::next && next / page == begin / page + 1 &&
            next % page != 0 && next - begin <= 15) {
            EXPECT_EQ(end, next) << steps[at].instruction->text;
            ++crossing;
        }
    }
    EXPECT_GT(crossing, 0U);
}

TEST_F(NanoRecordTest, WithoutARecorderSingleStepsAreTaken) {
    const std::string empty = testing::TempDir();
    ASSERT_EQ(setenv("KERNTOLL_RECORDER_DIR", empty.c_str(), 1), 0);
    const RecordedPath path = recorded({.workload = "mix", .call = 3});
    const auto refused = record_path(*target_, {.recorder = Recorder::plugin});
    unsetenv("KERNTOLL_RECORDER_DIR");
    EXPECT_FALSE(path.traced.anatomy.steps.empty());
    EXPECT_THAT(path.traced.remarks,
                Contains(AllOf(HasSubstr("Recorded by single steps"),
                               HasSubstr("the recorder kerntoll-recorder-v1.so is missing"))));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, Fault::environment);
}

TEST_F(NanoRecordTest, StepsThroughALoopWithoutCallsFindNone) {
    const auto path = record_path(*target_, {.workload = "empty", .recorder = Recorder::gdb});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("no system call was seen"));
}

/// As many round trips as take some ticks of the kernel's timer in between.
TEST_F(RecordTest, TheSameTraceIsRecordedEveryTimeToTheLastByte) {
    const Wanted wanted{.workload = "open", .rounds = 500};
    const auto once = record_trace(*target_, wanted);
    const auto again = record_trace(*target_, wanted);
    ASSERT_TRUE(once) << once.error().message;
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_GT(once->size(), 1000U);
    EXPECT_TRUE(*once == *again) << once->size() << " and " << again->size() << " bytes";
}

TEST_F(NanoRecordTest, TreatmentsAreSetUpBeforeThePathIsRecorded) {
    const auto plain = recorded({});
    open("nano:x86_64,seccomp=args");
    EXPECT_GT(recorded({}).traced.anatomy.total.instructions,
              plain.traced.anatomy.total.instructions);
}

TEST_F(NanoRecordTest, AnOpThatMakesNoCallHasNoPath) {
    const auto path = record_path(*target_, {.workload = "empty"});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::measurement);
    EXPECT_THAT(path.error().message, HasSubstr("no system call was seen"));
}

TEST_F(NanoRecordTest, ACallThatAnOpDoesNotMakeIsAUsageError) {
    const auto path = record_path(*target_, {.workload = "getpid", .call = 2});
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::usage);
    EXPECT_THAT(path.error().message, HasSubstr("makes 1 call"));
}

TEST(Record, OfATargetThatIsNotEmulatedIsAUsageError) {
    for (const char* text : {"sim:ns=100", "sim:insns=348"}) {
        const auto target = open_target(text);
        ASSERT_TRUE(target);
        EXPECT_FALSE(can_record(**target));
        const auto path = record_path(**target, {});
        ASSERT_FALSE(path);
        EXPECT_EQ(path.error().fault, Fault::usage);
    }
}

/// An s390x kernel may have the same addresses as its users: those of its image, one to one.
TEST(AgentCode, LiesWhereNoKernelDoes) {
    constexpr std::uint64_t above_any_kernel = 256U << 20U;
    EXPECT_GE(agent_code(Arch::s390x, "getpid").value().text.low, above_any_kernel);
}

TEST(AgentCode, LiesWhereItsElfFileSays) {
    for (const Arch arch :
         {Arch::x86_64, Arch::arm64, Arch::riscv64, Arch::s390x, Arch::loongarch64}) {
        for (const std::string_view workload : agent_workloads) {
            const auto code = agent_code(arch, workload);
            ASSERT_TRUE(code) << name(arch) << " " << workload << ": " << code.error().message;
            EXPECT_LT(code->text.low, code->loop.low);
            EXPECT_LT(code->loop.high, code->text.high);
            EXPECT_LT(code->loop.high - code->loop.low, 4096U);
            const auto padded = agent_code(arch, workload, Pad::on);
            ASSERT_TRUE(padded) << name(arch) << " " << workload;
            EXPECT_NE(padded->loop.low, code->loop.low);
        }
    }
    EXPECT_EQ(agent_code(Arch::x86_64, "nothing").error().fault, Fault::usage);
    EXPECT_THAT(agent_code(Arch::x86_64, "getpit").error().message,
                HasSubstr("did you mean 'getpid'? There are getpid, getppid, "));
    EXPECT_EQ(agent_code(Arch::x86_64, "").error().fault, Fault::usage);
}

}  // namespace
}  // namespace kerntoll::lab::path
