// SPDX-License-Identifier: MIT
// What cannot be is refused by the compiler, in a sentence: policies that a port has no step for,
// combinations that contradict each other, hooks of the wrong form. And what `kerntoll variants`
// says of a port is what its code says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "lab/base/subprocess.hpp"
#include "lab/target/axes.hpp"
#include "lab/target/machines.hpp"

namespace kerntoll {
namespace {

using testing::HasSubstr;

/// What the compiler says of the embedder for that port, with these macros.
lab::Captured compile(std::string_view port, const std::vector<std::string>& macros) {
    const std::string root = KERNTOLL_SOURCE_DIR;
    std::vector<std::string> command{KERNTOLL_CLANG,
                                     "-std=c++20",
                                     "-fsyntax-only",
                                     "-ffreestanding",
                                     "-nostdlibinc",
                                     "-fno-exceptions",
                                     "-fno-rtti",
                                     "-ferror-limit=0",
                                     "-I" + root + "/entry/include",
                                     fmt::format("-I{}/entry/arch/{}", root, port),
                                     root + "/tests/entry/must_not_compile/embedder.cpp"};
    if (port != "hosted") {
        const std::string_view machine = port == "arm64" ? "aarch64" : port;
        command.push_back(fmt::format("--target={}-linux-gnu", machine));
    }
    for (const std::string& macro : macros) {
        command.push_back("-D" + macro);
        if (macro == "KERNTOLL_branch_protection_on=1" && port == "x86_64") {
            command.emplace_back("-fcf-protection=branch");
        }
        if (macro == "KERNTOLL_branch_protection_on=1" && port == "arm64") {
            command.emplace_back("-mbranch-protection=standard");
        }
    }
    auto result = lab::run_captured(command, std::chrono::minutes(1));
    EXPECT_TRUE(result);
    return result ? *result : lab::Captured{};
}

std::vector<std::string> all_ports() {
    std::vector<std::string> ports{"hosted"};
    for (const lab::MachineRow& row : lab::machine_table()) {
        ports.emplace_back(name(row.arch));
    }
    return ports;
}

TEST(Embedder, CompilesOnEveryPortWithTheDefaults) {
    for (const std::string& port : all_ports()) {
        const auto result = compile(port, {});
        EXPECT_EQ(result.status.code, 0) << port << ": " << result.output;
    }
}

/// Every value of every axis, by the macro that chooses it.
struct Choice {
    std::string axis;
    std::string macro;
    bool is_default = false;
};
std::vector<Choice> all_choices() {
    std::vector<Choice> choices;
#define KERNTOLL_CHOICE(axis, identifier, spelling, meaning) \
    choices.push_back({#axis, "KERNTOLL_" #axis "_" #identifier "=1", false});
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) \
    {                                                                      \
        const std::size_t first = choices.size();                          \
        values(KERNTOLL_CHOICE, axis) choices[first].is_default = true;    \
    }
#include "kerntoll/entry/policy.def"
#undef KERNTOLL_CHOICE
    return choices;
}

/// A macro that is 0 chooses nothing, for the stub's `#if` and for the policy alike.
TEST(Embedder, CompilesWithMacrosThatAreZero) {
    EXPECT_EQ(compile("riscv64", {"KERNTOLL_frame_lazy=0", "KERNTOLL_exit_outlined=0"}).status.code,
              0);
}

TEST(Embedder, CompilesWithAValueWhereVariantsSaysThatThePortHasItAndNowhereElse) {
    for (const std::string& port : all_ports()) {
        for (const Choice& choice : all_choices()) {
            std::vector<std::string> macros{choice.macro};
            const auto has = [&port](std::string_view axis) {
                const auto found = std::ranges::find(lab::axes(), axis, &lab::Axis::name);
                return lab::has_axis(port, *found);
            };
            if (choice.macro == "KERNTOLL_frame_lazy=1" && has("vector")) {
                macros.emplace_back("KERNTOLL_vector_likely=1");
            }
            const auto result = compile(port, macros);
            if (choice.is_default || has(choice.axis)) {
                EXPECT_EQ(result.status.code, 0)
                    << port << ", " << choice.macro << ": " << result.output;
            } else {
                EXPECT_EQ(result.status.code, 1) << port << ", " << choice.macro;
                EXPECT_THAT(result.output, HasSubstr("static assertion failed")) << port;
                EXPECT_THAT(result.output, HasSubstr(choice.axis + "=")) << port;
            }
        }
    }
}

/// One mistake and a part of the sentence that it gets.
struct Mistake {
    std::string port;
    std::vector<std::string> macros;
    std::string sentence;
};

class RefusedEmbedder : public testing::TestWithParam<Mistake> {};

TEST_P(RefusedEmbedder, IsToldWhy) {
    const auto result = compile(GetParam().port, GetParam().macros);
    EXPECT_EQ(result.status.code, 1);
    EXPECT_THAT(result.output, HasSubstr(GetParam().sentence));
}

const std::vector<Mistake> mistakes{
    {"riscv64",
     {"KERNTOLL_frame_lazy=1"},
     "frame=lazy finds the system call before anything else is saved"},
    {"riscv64",
     {"KERNTOLL_frame_lazy=1", "KERNTOLL_vector_likely=1", "KERNTOLL_exit_outlined=1"},
     "frame=lazy has one fast path, all of it inlined"},
    // What the stub, which has no types, and C++ could read in two ways.
    {"riscv64",
     {"KERNTOLL_frame_lazy=1", "KERNTOLL_frame_full=1", "KERNTOLL_vector_likely=1"},
     "frame was given two values"},
    {"hosted", {"KERNTOLL_exit_outlined=1", "KERNTOLL_exit_automatic=1"}, "exit was given two"},
    {"hosted", {"KERNTOLL_debug_on=2"}, "KERNTOLL_debug_<value> is defined as something else"},
    {"hosted", {"KERNTOLL_debug_on="}, "KERNTOLL_debug_<value> is defined as something else"},
    {"x86_64", {"POLICY_OF_ITS_OWN"}, "the policy is not the one that the macros choose"},
    {"arm64", {"POLICY_OF_ITS_OWN"}, "the policy is not the one that the macros choose"},
    {"x86_64", {"KERNTOLL_branch_protection_on"}, "needs -fcf-protection=branch"},
    {"arm64", {"KERNTOLL_branch_protection_on"}, "needs -mbranch-protection=standard"},
    {"hosted",
     {"KERNTOLL_dispatch_by_switch=1", "KERNTOLL_nospec_off=1"},
     "nospec=off: dispatch=switch has no table"},
    {"hosted", {"KERNTOLL_dispatch_by_switch=1", "WITHOUT_SWITCH"}, "dispatch=switch needs"},
    {"hosted", {"WITHOUT_CALLS"}, "calls"},
    {"hosted", {"SECCOMP_ANSWERS_NOTHING"}, "seccomp"},
    {"hosted", {"SIGNAL_WITHOUT_FRAME"}, "signal"},
    // What is there in another form is not taken for missing, and nothing is converted.
    {"hosted", {"SECCOMP_OVERLOADED"}, "HasSeccomp"},
    {"hosted", {"SECCOMP_TEMPLATE"}, "HasSeccomp"},
    {"hosted", {"SECCOMP_OF_AN_OBJECT"}, "seccomp"},
    {"hosted", {"SECCOMP_PRIVATE"}, "seccomp"},
    {"hosted", {"PTRACE_GETS_COPIES"}, "ptrace_enter"},
    {"hosted", {"TRACEPOINT_CUTS_NUMBERS"}, "tracepoint_enter"},
    {"hosted", {"SWITCH_CUTS_NUMBERS"}, "call_by_switch"},
    {"hosted", {"MORE_CALLS_THAN_ROWS"}, "calls"},
    {"hosted", {"HOOKS_ARE_FINAL"}, "a struct or a class that is not final"},
    {"s390x", {"TOO_MANY_CALLS"}, "numbers of calls have 16 bits"},
    {"x86_64", {"USER_LIMIT_IS_AN_INT"}, "user_limit"},
};
INSTANTIATE_TEST_SUITE_P(Mistakes, RefusedEmbedder, testing::ValuesIn(mistakes));

}  // namespace
}  // namespace kerntoll
