// SPDX-License-Identifier: MIT
// Recorder, single steps and -icount agree to the last instruction: on nano, which every
// architecture has, for every workload that it serves.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "lab/experiment/count.hpp"
#include "lab/path/record.hpp"

namespace kerntoll::lab::path {
namespace {

class Agreement : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        // What is built here stays in the build's folder.
        ASSERT_EQ(setenv("XDG_CACHE_HOME", KERNTOLL_TEST_CACHE, 1), 0);
    }
    [[nodiscard]] static std::unique_ptr<Target> target(const std::string& options) {
        auto opened = open_target("nano:" + GetParam() + options);
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? *std::move(opened) : nullptr;
    }
    /// Instructions of all calls of an op.
    [[nodiscard]] static std::uint64_t recorded(Target& target, const Wanted& wanted) {
        const auto bytes = record_trace(target, wanted);
        EXPECT_TRUE(bytes) << wanted.workload << ": " << bytes.error().message;
        std::uint64_t instructions = 0;
        std::size_t calls = bytes ? 1 : 0;
        for (std::size_t call = 1; call <= calls; ++call) {
            Wanted one = wanted;
            one.call = call;
            const auto path = path_of_trace(target, *bytes, one);
            if (!path) {
                ADD_FAILURE() << wanted.workload << ": " << path.error().message;
                return 0;
            }
            instructions += path->traced.anatomy.total.instructions;
            calls = path->calls_per_op;
        }
        return instructions;
    }
};

TEST_P(Agreement, OfRecorderSingleStepsAndCount) {
    const std::vector<std::string> workloads{"getpid", "close", "mix", "read", "write"};
    const auto nano = target("");
    ASSERT_NE(nano, nullptr);
    const auto counts = experiment::count_instructions(*nano, workloads);
    ASSERT_TRUE(counts) << counts.error().message;
    for (const experiment::Count& count : *counts) {
        ASSERT_TRUE(count.exact) << count.workload;
        const auto path =
            static_cast<std::uint64_t>(count.instructions_per_op - count.loop_instructions);
        for (const Recorder recorder : {Recorder::plugin, Recorder::gdb}) {
            EXPECT_EQ(
                recorded(*nano, {.workload = count.workload, .rounds = 3, .recorder = recorder}),
                path)
                << count.workload << (recorder == Recorder::gdb ? " by single steps" : "");
        }
    }
}

TEST_P(Agreement, OfTheTextsThatRecorderAndSingleStepsHave) {
    const auto nano = target("");
    ASSERT_NE(nano, nullptr);
    const auto plugin = record_path(*nano, {.recorder = Recorder::plugin});
    const auto steps = record_path(*nano, {.recorder = Recorder::gdb});
    ASSERT_TRUE(plugin && steps);
    const auto& expected = plugin->traced.anatomy.steps;
    const auto& found = steps->traced.anatomy.steps;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        EXPECT_EQ(found[at].instruction->text, expected[at].instruction->text);
        EXPECT_EQ(found[at].instruction->bytes, expected[at].instruction->bytes);
    }
    // None of them has a table of vectors in its size.
    for (const FunctionPart& function : plugin->traced.anatomy.functions) {
        EXPECT_LT(function.size, 4096U) << function.name;
    }
    EXPECT_EQ(steps->traced.anatomy.total.returns, plugin->traced.anatomy.total.returns);
    EXPECT_EQ(steps->traced.anatomy.total.indirect, plugin->traced.anatomy.total.indirect);
}

TEST_P(Agreement, OfTheRoundsOfEachCallAndThoseAskedFor) {
    const auto nano = target("");
    ASSERT_NE(nano, nullptr);
    for (const Recorder recorder : {Recorder::plugin, Recorder::gdb}) {
        for (const std::size_t call : {1U, 2U}) {
            const auto path = record_path(
                *nano, {.workload = "close", .call = call, .rounds = 7, .recorder = recorder});
            ASSERT_TRUE(path) << path.error().message;
            EXPECT_EQ(path->calls_per_op, 2U);
            EXPECT_THAT(path->traced.remarks,
                        testing::Contains(testing::HasSubstr("ll 7 round trips took this path")));
        }
    }
}

TEST_P(Agreement, OfAPaddedLoopAndOneWithout) {
    const auto plain = target("");
    const auto padded = target(",pad=7");
    ASSERT_TRUE(plain && padded);
    for (const Recorder recorder : {Recorder::plugin, Recorder::gdb}) {
        EXPECT_EQ(recorded(*padded, {.recorder = recorder}), recorded(*plain, {}));
    }
}

INSTANTIATE_TEST_SUITE_P(Nano, Agreement,
                         testing::Values("x86_64", "arm64", "riscv64", "s390x", "loongarch64"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kerntoll::lab::path
