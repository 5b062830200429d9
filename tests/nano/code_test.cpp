// SPDX-License-Identifier: MIT
// What the compilers make of the entry path, read from images of nano: what a choice promises is in
// the code. That no image calls anything that docs/entry.md does not allow is nano/build's to see,
// for every image that it makes, and so for these.
#include "code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "lab/base/subprocess.hpp"
#include "lab/target/variant.hpp"
#include "machine.hpp"
#include "pairs.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool holds_one_of(std::string_view name, const std::vector<std::string_view>& words) {
    return std::ranges::any_of(words, [&](auto word) { return name.contains(word); });
}

class NanoCode : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    void SetUp() override {
        machine_.arch = std::get<0>(GetParam());
        const std::vector<std::string> images = images_of(machine_);
        if (std::ranges::none_of(images, [](const std::string& image) {
                return image.ends_with(std::get<1>(GetParam()));
            })) {
            GTEST_SKIP() << "there is no image of nano by this compiler";
        }
    }
    [[nodiscard]] bool decodes_class() const { return is("arm64") || is("riscv64"); }
    [[nodiscard]] bool is(std::string_view arch) const { return machine_.arch == arch; }
    /// The function that the stub calls for a system call.
    [[nodiscard]] std::string root() const {
        return decodes_class() ? "kerntoll_entry_from_user" : "kerntoll_entry_call";
    }
    /// Makes the image of a variant.
    [[nodiscard]] std::string image_of(std::vector<std::string> choices) const {
        choices.insert(choices.begin(), std::string("cc=") + std::get<1>(GetParam()));
        return make_image(machine_, choices);
    }
    /// The code of a variant. nano/build has seen that nothing is called in it that may not be.
    [[nodiscard]] EntryCode code_of(const std::vector<std::string>& choices) const {
        return EntryCode::of(image_of(choices), machine_.arch);
    }
    /// Direct calls of a function into the path itself, but for what is not a system call.
    [[nodiscard]] static std::vector<Edge> steps_from(const EntryCode& code,
                                                      const std::string& function) {
        std::vector<Edge> edges = code.edges_from(function);
        std::erase_if(edges, [&](const Edge& edge) {
            return edge.from != function || code.part_of(edge.to) != Part::path ||
                   holds_one_of(edge.to, {"13InterruptPath", "5other", "5abort", "9exception",
                                          "11other_class"});
        });
        return edges;
    }
    /// The instruction that nospec=mask is known by.
    [[nodiscard]] std::string mask() const {
        return is("x86_64")    ? "sbbq"
               : is("arm64")   ? "csdb"
               : is("s390x")   ? "slbgr"
               : is("riscv64") ? "neg"
                               : "maskeqz";
    }
    [[nodiscard]] bool has_mask(const std::vector<Instruction>& code) const {
        return std::ranges::count(code, mask(), &Instruction::mnemonic) > 0;
    }
    void expect_mask_before_load(const std::vector<Instruction>& code) const;
    /// Of the three steps, this one alone is a function, called once by each that handles calls.
    void expect_outlined(const std::string& axis, const std::string& step) const;

    Machine machine_{};
};

/// The number goes through the mask, and what comes of it is where the table is read.
void NanoCode::expect_mask_before_load(const std::vector<Instruction>& code) const {
    const auto call = std::ranges::find_if(code, &Instruction::is_indirect);
    ASSERT_NE(call, code.end());
    auto masked = std::ranges::find(code.begin(), call, mask(), &Instruction::mnemonic);
    ASSERT_NE(masked, call) << "no " << mask() << " in front of the call";
    if (is("arm64")) {
        --masked;  // the selection: csdb behind it has no operands
        EXPECT_EQ(masked->mnemonic, "csel");
    }
    EXPECT_TRUE(depends_on(machine_.arch, {masked, call + 1}))
        << call->mnemonic << ' ' << call->operands << " is not reached by what " << mask()
        << " gives";
}

void NanoCode::expect_outlined(const std::string& axis, const std::string& step) const {
    const EntryCode code = code_of({axis + "=outlined"});
    std::vector<std::string> functions;
    for (const auto& [name, instructions] : code.functions()) {
        if (name.contains("11SyscallPath")) {
            functions.push_back(name);
            EXPECT_TRUE(name.contains(step)) << name;
        }
    }
    EXPECT_FALSE(functions.empty());
    const std::vector<Edge> steps = steps_from(code, root());
    // gcc may have the way there twice, for numbers that are found in two ways.
    ASSERT_FALSE(steps.empty());
    for (const Edge& edge : steps) {
        EXPECT_TRUE(edge.to.contains(step)) << edge.to;
        EXPECT_EQ(edge.to, steps.front().to);
    }
}

TEST_P(NanoCode, InlinedLeavesNoCallOfAStep) {
    const EntryCode code = code_of({});
    EXPECT_FALSE(code.has("11SyscallPath"));
    EXPECT_THAT(steps_from(code, root()), IsEmpty());
    ASSERT_TRUE(code.has(root()));
    EXPECT_EQ(count_indirect(*code.find(root())), 1);
    expect_mask_before_load(*code.find(root()));
}

TEST_P(NanoCode, OutlinedEnterIsOneCall) {
    expect_outlined("enter", "14enter_outlined");
}
TEST_P(NanoCode, OutlinedExitIsOneCall) {
    expect_outlined("exit", "13exit_outlined");
}
TEST_P(NanoCode, OutlinedCommonStepIsOneCall) {
    expect_outlined("common", "15common_outlined");
}

/// A user's address and a descriptor are numbers, too, and what they lead to is read: a mask stands
/// behind the check of each, whatever the policy says of the table of calls.
TEST_P(NanoCode, AddressesAndDescriptorsAreMasked) {
    const std::string image = image_of({"nospec=off"});
    for (const std::string_view function : {"_ZNK8kerntoll4nano12AddressSpace4findEmRNS1_7MappingE",
                                            "_ZN8kerntoll4nano5calls4readERNS_5entry5FrameE"}) {
        const auto code =
            lab::run_captured({"llvm-objdump-19", "-d", "--no-show-raw-insn",
                               "--disassemble-symbols=" + std::string(function), image},
                              std::chrono::seconds(60));
        ASSERT_TRUE(code && code->status.code == 0) << function;
        EXPECT_THAT(code->output, HasSubstr(mask())) << function;
    }
}

TEST_P(NanoCode, WithoutAMaskTheNumberIsOnlyCompared) {
    const EntryCode code = code_of({"nospec=off"});
    ASSERT_TRUE(code.has(root()));
    EXPECT_FALSE(has_mask(*code.find(root())));
    EXPECT_EQ(count_indirect(*code.find(root())), 1);
}

TEST_P(NanoCode, ASwitchOverTheNumbersHasNoIndirectBranch) {
    const EntryCode code = code_of({"dispatch=switch", "debug=on"});
    for (const auto& [name, instructions] : code.functions()) {
        EXPECT_EQ(count_indirect(instructions), 0) << name;
    }
}

TEST_P(NanoCode, TheLazyFrameHasNoDirectCallAtAll) {
    std::vector<std::string> choices = {"frame=lazy"};
    if (decodes_class()) {
        choices.emplace_back("vector=likely");
    }
    const EntryCode code = code_of(choices);
    ASSERT_TRUE(code.has("kerntoll_entry_call_fast"));
    EXPECT_THAT(code.edges_from("kerntoll_entry_call_fast"), IsEmpty());
    EXPECT_EQ(count_indirect(*code.find("kerntoll_entry_call_fast")), 1);
    expect_mask_before_load(*code.find("kerntoll_entry_call_fast"));
}

TEST_P(NanoCode, EverythingOnCallsNothingElse) {
    std::vector<std::string> choices = {"enter=outlined", "exit=outlined", "common=outlined",
                                        "debug=on", "stack_offset=on"};
    if (is("x86_64") || is("arm64")) {
        choices.emplace_back("branch_protection=on");
    }
    EXPECT_TRUE(code_of(choices).has("10StateFault"));
}

/// What holds for two values of two axes may not hold for both: any two meet in one of these.
TEST_P(NanoCode, NoPairOfChoicesCallsAnythingElse) {
    for (const Choices& choices : variants_for_every_pair(machine_.arch)) {
        SCOPED_TRACE(testing::PrintToString(words_of(choices)));
        const EntryCode code = code_of(words_of(choices));
        const bool lazy = choices.at("frame") == "lazy";
        const std::string handler = lazy ? "kerntoll_entry_call_fast" : root();
        ASSERT_TRUE(code.has(handler));
        // What the table is read by stands elsewhere with these two.
        const bool by_handler = choices.at("common") == "inlined" &&
                                (!choices.contains("vector") || choices.at("vector") != "table");
        if (by_handler && choices.at("dispatch") == "table" && choices.at("nospec") == "mask") {
            expect_mask_before_load(*code.find(handler));
        }
    }
}

/// What is inlined is so because it has to be, and not because an optimiser thinks so.
TEST_P(NanoCode, NothingElseIsCalledWithoutOptimisation) {
    for (const char* level : {"0", "g"}) {
        for (const char* frame : {"frame=full", "frame=lazy"}) {
            std::vector<std::string> words = {frame, "debug=on", "stack_offset=on", "-O", level};
            if (decodes_class()) {
                words.emplace_back("vector=likely");
            }
            SCOPED_TRACE(testing::PrintToString(words));
            EXPECT_FALSE(code_of(words).functions().empty());
        }
    }
}

/// The lab looks for names; here it is seen who calls them.
TEST_P(NanoCode, WhatIsLeftToTheCompilerIsReportedAsItIs) {
    for (const char* axis : {"enter", "exit", "common"}) {
        const std::string choice = std::string(axis) + "=auto";
        const std::string image = image_of({choice, "work=none"});
        const EntryCode code = EntryCode::of(image, machine_.arch);
        const bool is_called = std::ranges::any_of(steps_from(code, root()), [](const Edge& edge) {
            return edge.to.contains("_automatic");
        });
        std::ifstream file(image, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        const std::string compiler = std::get<1>(GetParam());
        EXPECT_THAT(lab::left_to_compiler({.port = std::string(machine_.arch),
                                           .compiler = compiler,
                                           .choices = {{axis, "auto"}}},
                                          bytes),
                    ElementsAre(choice + ": " + compiler +
                                (is_called ? " made it a function of its own" : " inlined it")));
    }
}

/// QEMU ends a reservation by the trap itself, so that no program could miss the instruction.
TEST_P(NanoCode, EveryWayBackEndsAReservation) {
    if (!is("riscv64")) {
        GTEST_SKIP() << "other machines end it by the instruction that returns";
    }
    const auto has_one = [](const std::vector<Instruction>& code) {
        return std::ranges::any_of(
            code, [](const Instruction& one) { return one.mnemonic.starts_with("sc."); });
    };
    const EntryCode full = code_of({});
    ASSERT_TRUE(full.has("kerntoll_entry_return_to_user"));
    EXPECT_TRUE(has_one(*full.find("kerntoll_entry_return_to_user")));
    const EntryCode lazy = code_of({"frame=lazy", "vector=likely"});
    ASSERT_TRUE(lazy.has("kerntoll_entry_vector"));
    EXPECT_TRUE(has_one(*lazy.find("kerntoll_entry_return_to_user")));
    EXPECT_TRUE(has_one(*lazy.find("kerntoll_entry_vector")));
}

TEST_P(NanoCode, ATableOfHandlersIsOneIndirectCall) {
    if (!decodes_class()) {
        GTEST_SKIP() << "the machine itself tells the classes apart";
    }
    const EntryCode code = code_of({"vector=table"});
    ASSERT_TRUE(code.has("15call_from_table"));
    EXPECT_EQ(count_indirect(*code.find(root())), 1);
    EXPECT_EQ(count_indirect(*code.find("15call_from_table")), 1);
    expect_mask_before_load(*code.find("15call_from_table"));
}

TEST_P(NanoCode, AProtectedCallThroughTheTableStandsBetweenSignatureAndCheck) {
    if (!is("arm64")) {
        GTEST_SKIP() << "signed return addresses are arm64's";
    }
    const EntryCode code = code_of({"vector=table", "branch_protection=on"});
    ASSERT_TRUE(code.has(root()));
    const std::vector<Instruction>& handler = *code.find(root());
    const auto at = [&](std::string_view mnemonic) {
        return std::ranges::find(handler, mnemonic, &Instruction::mnemonic) - handler.begin();
    };
    const auto end = std::ssize(handler);
    // paciasp is a landing pad itself; gcc puts one of its own in front and signs later.
    EXPECT_EQ(std::min(at("bti"), at("paciasp")), 0);
    EXPECT_LT(at("paciasp"), at("blr"));
    EXPECT_LT(at("blr"), at("autiasp"));
    EXPECT_LT(at("autiasp"), at("ret"));
    EXPECT_LT(at("ret"), end);
    EXPECT_EQ(at("br"), end);
    EXPECT_EQ(count_indirect(handler), 1);
}

TEST_P(NanoCode, LikelyTestsTheSystemCallFirst) {
    if (!decodes_class()) {
        GTEST_SKIP() << "the machine itself tells the classes apart";
    }
    const EntryCode code = code_of({"vector=likely"});
    ASSERT_TRUE(code.has(root()));
    const std::vector<Instruction>& handler = *code.find(root());
    const auto branch = std::ranges::find_if(handler, [](const Instruction& one) {
        return one.target.has_value() && one.mnemonic.starts_with('b');
    });
    ASSERT_NE(branch, handler.end());
    // The class of a call, in place or as it stands in the register: the last constant that was
    // named before the first branch.
    std::string constant;
    for (auto one = handler.begin(); one != branch; ++one) {
        if (is("arm64") ? one->mnemonic == "cmp" || one->mnemonic == "mov"
                        : one->mnemonic == "li") {
            const size_t number = one->operands.rfind(is("arm64") ? "#0x" : "0x");
            if (number != std::string::npos) {
                constant = one->operands.substr(number, one->operands.find(' ', number) - number);
            }
        }
    }
    // Clang compares with the class where it stands in ESR_EL1.
    EXPECT_THAT(constant, testing::AnyOf(is("arm64") ? "#0x15" : "0x8", "#0x54000000"));
    EXPECT_TRUE(branch->mnemonic == "b.ne" || branch->mnemonic == "bne") << branch->mnemonic;
}

INSTANTIATE_TEST_SUITE_P(
    All, NanoCode, testing::Combine(testing::ValuesIn(arch_names), testing::Values("clang", "gcc")),
    [](const auto& info) {
        return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
    });

}  // namespace

}  // namespace kerntoll::nano_test
