// SPDX-License-Identifier: MIT
// `hosted:` targets: the entry path as a function of a process of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/subprocess.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/target.hpp"
#include "lab/target/variant.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
/// Its programs are kept in the build tree.
class HostedTest : public LeavesNothing {
protected:
    static void SetUpTestSuite() { setenv("XDG_CACHE_HOME", KERNTOLL_TEST_CACHE, 1); }
};

std::unique_ptr<Target> opened(std::string_view text) {
    auto target = open_target(text);
    EXPECT_TRUE(target) << target.error().message;
    return target ? *std::move(target) : nullptr;
}

std::unique_ptr<Machine> up(Target& target, const Launch& how = {}) {
    auto machine = target.launch(how);
    EXPECT_TRUE(machine) << machine.error().message;
    const auto ready = (*machine)->wait_ready();
    EXPECT_TRUE(ready) << ready.error().message;
    return *std::move(machine);
}

Error refused(std::string_view text) {
    const auto target = open_target(text);
    EXPECT_FALSE(target) << text;
    return target ? Error{} : target.error();
}

std::string fact(const Target& target, std::string_view key) {
    for (const auto& [name, value] : target.provenance()) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

std::string code_of(const std::string& image, const std::string& function) {
    const auto text = run_captured(
        {"llvm-objdump-19", "-d", "--no-show-raw-insn", "--disassemble-symbols=" + function, image},
        30s);
    EXPECT_TRUE(text) << text.error().message;
    EXPECT_THAT(text->output, HasSubstr(function));
    return text->output;
}

/// The functions that one function of an image calls, or leaves for by a jump; "*" where a call is
/// indirect.
std::vector<std::string> calls_of(const std::string& image, const std::string& function) {
    const std::string code = code_of(image, function);
    std::vector<std::string> calls;
    std::istringstream lines(code);
    for (std::string line; std::getline(lines, line);) {
        const auto any_of = [&line](std::initializer_list<const char*> mnemonics) {
            return std::ranges::any_of(
                mnemonics, [&line](const char* one) { return line.find(one) != line.npos; });
        };
        const bool is_call = any_of({"\tcall", "\tbl"});
        if (!is_call && !any_of({"\tj", "\tb"})) {
            continue;
        }
        const auto open = line.find('<');
        if (open == line.npos && !is_call) {
            continue;  // bt and its like
        }
        const std::string target =
            open == line.npos ? "*" : line.substr(open + 1, line.find('>') - open - 1);
        // Its own parts have its name in front.
        if (is_call || !target.starts_with(function)) {
            calls.push_back(target);
        }
    }
    return calls;
}

std::string image_of(std::string_view text) {
    const auto spec = parse_target(text);
    EXPECT_TRUE(spec);
    const auto variant = read_variant(*spec, "hosted");
    EXPECT_TRUE(variant) << variant.error().message;
    const auto image = build_variant(*variant, std::nullopt);
    EXPECT_TRUE(image) << image.error().message;
    return image ? image->string() : std::string();
}

constexpr auto from_user = "kerntoll_entry_from_user";

TEST_F(HostedTest, DescribesItself) {
    const auto target = opened("hosted:exit=outlined,dispatch=switch");
    EXPECT_EQ(target->scope(), Scope::images);
    EXPECT_TRUE(target->can_count());
    EXPECT_EQ(target->entrance(), Entrance::call);
    EXPECT_EQ(target->grade(), opened("host")->grade());
    EXPECT_EQ(target->layout_key(), fact(*target, "image_sha256"));
    EXPECT_THAT(target->provenance(), Contains(Pair("variant", "exit=outlined,dispatch=switch")));
    EXPECT_THAT(target->provenance(), Contains(Pair("compiler", "clang")));
    EXPECT_THAT(target->remarks(), Contains(HasSubstr("no trap")));
}

/// Every workload on every kind of variant whose way differs, by both compilers.
class HostedWorkloads : public HostedTest, public testing::WithParamInterface<const char*> {};

TEST_P(HostedWorkloads, RunAndProveThatTheyEnterThePath) {
    const auto target = opened(GetParam());
    ASSERT_TRUE(target);
    const auto machine = up(*target);
    const auto& workloads = machine->identity().workloads;
    ASSERT_THAT(workloads, Not(IsEmpty()));
    for (const auto& [name, calls] : workloads) {
        const auto proved = machine->prove({.workload = name});
        ASSERT_TRUE(proved) << name << ": " << proved.error().message;
        if (calls != 0) {
            EXPECT_THAT(*proved, HasSubstr("entries per op: " + std::to_string(calls) +
                                           ", by function call (no mode switch)"))
                << name;
        }
        for (const bool hollow : {false, true}) {
            const auto sample = machine->run({.workload = name, .hollow = hollow}, 1000);
            ASSERT_TRUE(sample) << name << ": " << sample.error().message;
            EXPECT_EQ(sample->ops, 1000U);
        }
    }
    EXPECT_THAT(machine->console_tail(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Variants, HostedWorkloads,
                         testing::Values("hosted:", "hosted:cc=gcc", "hosted:enter=outlined",
                                         "hosted:common=outlined,cc=gcc", "hosted:exit=auto",
                                         "hosted:dispatch=switch", "hosted:work=none",
                                         "hosted:debug=on,stack_offset=on",
                                         "hosted:debug=on,stack_offset=on,cc=gcc"));

TEST_F(HostedTest, SmallCallsAreAnsweredHereAndFilesByTheHost) {
    const auto target = opened("hosted:");
    const auto machine = up(*target);
    const auto handed_on = [&](const char* workload) {
        const auto proved = machine->prove({.workload = workload});
        EXPECT_TRUE(proved) << proved.error().message;
        return proved.value_or("");
    };
    for (const char* workload : {"getpid", "getppid", "getpgid", "invalid"}) {
        EXPECT_THAT(handed_on(workload), HasSubstr(", 0 of them handed on to the host's kernel"));
    }
    EXPECT_THAT(handed_on("mix"), HasSubstr(", 2 of them handed on"));
    EXPECT_THAT(handed_on("stat"), HasSubstr(", 1 of them handed on"));
}

TEST_F(HostedTest, TheFlagWordIsLookedAtUnlessTheVariantLeavesItOut) {
    const auto seen = HasSubstr("seen by a tracepoint");
    EXPECT_THAT(up(*opened("hosted:"))->prove({}).value_or(""), seen);
    EXPECT_THAT(up(*opened("hosted:work=none"))->prove({}).value_or(""), Not(seen));
}

TEST_F(HostedTest, InlinedLeavesTheCallOfTheTableAlone) {
    for (const char* text : {"hosted:", "hosted:cc=gcc"}) {
        std::vector<std::string> others;
        for (const std::string& call : calls_of(image_of(text), from_user)) {
            // Slow work stands out of line always.
            if (call != "*" && call.find("SlowWork") == call.npos) {
                others.push_back(call);
            }
        }
        EXPECT_THAT(others, IsEmpty()) << text;
    }
}

TEST_F(HostedTest, OutlinedLeavesACallOfTheStep) {
    for (const std::string cc : {"clang", "gcc"}) {
        for (const std::string step : {"enter", "exit", "common"}) {
            const std::string text = "hosted:" + step + "=outlined,cc=" + cc;
            // Of that step alone, and where it is the last, by a jump.
            for (const std::string& other : {"enter", "exit", "common"}) {
                const std::string outlined = other + "_outlined";
                EXPECT_EQ(code_of(image_of(text), from_user).find(outlined) != std::string::npos,
                          other == step)
                    << text << ": " << outlined;
            }
        }
    }
}

TEST_F(HostedTest, SaysWhatTheCompilerMadeOfAStepThatWasLeftToIt) {
    for (const std::string cc : {"clang", "gcc"}) {
        for (const std::string step : {"enter", "exit", "common"}) {
            const std::string text = "hosted:" + step + "=auto,cc=" + cc;
            const bool is_called =
                code_of(image_of(text), from_user).find(step + "_automatic") != std::string::npos;
            EXPECT_THAT(opened(text)->remarks(),
                        Contains(step + "=auto: " + cc +
                                 (is_called ? " made it a function of its own" : " inlined it")));
        }
    }
    EXPECT_THAT(opened("hosted:")->remarks(), Not(Contains(HasSubstr("=auto"))));
}

TEST_F(HostedTest, SwitchLeavesNoIndirectCall) {
    EXPECT_THAT(calls_of(image_of("hosted:"), from_user), Contains("*"));
    for (const char* text : {"hosted:dispatch=switch", "hosted:dispatch=switch,cc=gcc"}) {
        EXPECT_THAT(calls_of(image_of(text), from_user), Not(Contains("*"))) << text;
    }
}

TEST_F(HostedTest, ALayoutIsADifferentImageOfTheSameCode) {
    const auto as_linked = opened("hosted:");
    const auto first = opened("hosted:layout=1");
    EXPECT_NE(first->layout_key(), as_linked->layout_key());
    EXPECT_NE(first->layout_key(), opened("hosted:layout=2")->layout_key());
    EXPECT_EQ(first->layout_key(), opened("hosted:layout=1")->layout_key());
    EXPECT_EQ(first->scope(), Scope::images);
    EXPECT_TRUE(up(*first)->prove({}));
}

TEST_F(HostedTest, RandomLayoutsAreDrawnForEveryMachineAndRepeatWithTheSeed) {
    const auto target = opened("hosted:layout=random");
    EXPECT_EQ(target->scope(), Scope::layouts);
    const auto spec = parse_target("hosted:layout=random");
    const auto variant = read_variant(*spec, "hosted");
    ASSERT_TRUE(variant);
    const auto bytes = [&](const Launch& how) {
        const auto image = draw_image(*variant, how);
        EXPECT_TRUE(image) << image.error().message;
        const auto mapped = MappedFile::map(*image);
        EXPECT_TRUE(mapped);
        const auto all = mapped->bytes();
        return std::string(reinterpret_cast<const char*>(all.data()), all.size());
    };
    const Launch base{.seed = 7, .replicate = 3, .arm = 0};
    const std::string drawn = bytes(base);
    EXPECT_TRUE(drawn == bytes(base));
    EXPECT_FALSE(drawn == bytes({.seed = 8, .replicate = 3, .arm = 0}));
    EXPECT_FALSE(drawn == bytes({.seed = 7, .replicate = 4, .arm = 0}));
    EXPECT_FALSE(drawn == bytes({.seed = 7, .replicate = 3, .arm = 1}));
    EXPECT_TRUE(up(*target, base)->prove({.workload = "mix"}));
}

TEST_F(HostedTest, TakesThePadAndTheFileOfTheAgent) {
    const auto target = opened("hosted:pad=10,file=/etc/passwd");
    EXPECT_THAT(up(*target)->prove({.workload = "stat"}).value_or(""), HasSubstr("/etc/passwd"));
}

TEST_F(HostedTest, RefusesWhatItHasNot) {
    using testing::AllOf;
    const auto usage = [](std::string_view text) {
        const Error error = refused(text);
        EXPECT_EQ(error.fault, Fault::usage) << text;
        return error.message;
    };
    EXPECT_THAT(usage("hosted:exit=outline"), HasSubstr("inlined, outlined, auto"));
    EXPECT_THAT(usage("hosted:cc=icc"), HasSubstr("clang or gcc"));
    EXPECT_THAT(usage("hosted:layout=often"), HasSubstr("random, or a seed"));
    EXPECT_THAT(usage("hosted:vector=table"), HasSubstr("hosted has no such step"));
    EXPECT_THAT(usage("hosted:frame=lazy"), HasSubstr("hosted has no such step"));
    EXPECT_THAT(usage("hosted:branch_protection=on"), HasSubstr("hosted has no such step"));
    // Treatments of a kernel.
    EXPECT_THAT(usage("hosted:seccomp=allow"), HasSubstr("unknown option seccomp"));
    EXPECT_THAT(usage("hosted:sud=on"), HasSubstr("unknown option sud"));
    EXPECT_THAT(usage("hosted:getpid"), StartsWith("the target 'hosted:getpid' has 'getpid'"));
}

}  // namespace
}  // namespace kerntoll::lab
