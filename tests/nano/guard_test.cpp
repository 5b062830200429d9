// SPDX-License-Identifier: MIT
// The guards of the stubs that no program can miss under an emulator, which speculates nothing:
// that they stand where frame.hpp and stub.S of each port say, read from images of nano.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "code.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using testing::IsEmpty;
using testing::Not;

class NanoGuards : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    void SetUp() override {
        machine_.arch = std::get<0>(GetParam());
        if (std::ranges::none_of(images_of(machine_), [](const std::string& image) {
                return image.ends_with(std::get<1>(GetParam()));
            })) {
            GTEST_SKIP() << "there is no image of nano by this compiler";
        }
    }
    [[nodiscard]] bool is(std::string_view arch) const { return machine_.arch == arch; }
    [[nodiscard]] EntryCode code_of(std::vector<std::string> choices) const {
        choices.insert(choices.begin(), std::string("cc=") + std::get<1>(GetParam()));
        return EntryCode::of(make_image(machine_, choices), machine_.arch);
    }
    [[nodiscard]] EntryCode full() const { return code_of({}); }
    [[nodiscard]] EntryCode lazy() const {
        return is("arm64") || is("riscv64") ? code_of({"frame=lazy", "vector=likely"})
                                            : code_of({"frame=lazy"});
    }

    Machine machine_{};
};

std::string text_of(const Instruction& one) {
    return one.operands.empty() ? one.mnemonic : one.mnemonic + ' ' + one.operands;
}
/// From this instruction on stand those whose texts begin so.
bool stands_at(std::span<const Instruction> code, const std::vector<std::string>& beginnings) {
    return code.size() >= beginnings.size() &&
           std::ranges::equal(code.first(beginnings.size()), beginnings,
                              [](auto& one, auto& text) { return text_of(one).starts_with(text); });
}
/// Behind each instruction of that name stands this.
void expect_behind_each(const EntryCode& code, std::string_view mnemonic,
                        const std::vector<std::string>& guard) {
    size_t count = 0;
    for (const auto& [name, instructions] : code.functions()) {
        for (const Instruction& one : instructions) {
            if (one.mnemonic == mnemonic) {
                ++count;
                EXPECT_TRUE(stands_at(std::span(&one + 1, &instructions.back() + 1), guard))
                    << mnemonic << " in " << name << " at " << std::hex << one.address;
            }
        }
    }
    EXPECT_GT(count, 0U) << "no " << mnemonic;
}

TEST_P(NanoGuards, NothingRunsOnBehindAReturn) {
    for (const EntryCode& code : {full(), lazy()}) {
        if (is("x86_64")) {
            expect_behind_each(code, "sysretq", {"int3"});
            expect_behind_each(code, "iretq", {"int3"});
        } else if (is("arm64")) {
            expect_behind_each(code, "eret", {"dsb nsh", "isb"});
        } else {
            GTEST_SKIP() << "Linux has no barrier there either";
        }
    }
}

/// Where a branch decides whether gs is exchanged, either way begins by a fence before it uses gs.
TEST_P(NanoGuards, ABranchAroundAnExchangeOfGsIsFencedOnBothSides) {
    if (!is("x86_64")) {
        GTEST_SKIP() << "gs is x86_64's";
    }
    const std::vector<std::string> decision = {"testb $0x3,", "je", "swapgs", "lfence"};
    for (const EntryCode& code : {full(), lazy()}) {
        for (const char* name : {"trap", "trap_on_own_stack"}) {
            ASSERT_TRUE(code.has(name));
            const std::span<const Instruction> way = *code.find(name);
            const auto test = std::ranges::find(way, "testb", &Instruction::mnemonic);
            ASSERT_TRUE(stands_at({test, way.end()}, decision)) << name;
            // The other side: in the same function, or at the label that comes next.
            const uint64_t other = *std::next(test)->target;
            const std::span<const Instruction> there =
                way.back().address < other ? std::span(*code.find("trap_from_kernel")) : way;
            const auto begin = std::ranges::find(there, other, &Instruction::address);
            ASSERT_NE(begin, there.end()) << name;
            const auto fence = std::find_if(begin, there.end(), [](const Instruction& one) {
                return one.mnemonic == "lfence" || one.operands.contains("%gs:") ||
                       one.mnemonic.starts_with("call");
            });
            ASSERT_NE(fence, there.end()) << name;
            EXPECT_EQ(fence->mnemonic, "lfence") << name;
        }
        // A branch on the address decides here.
        ASSERT_TRUE(code.has("return_failed"));
        EXPECT_TRUE(stands_at(*code.find("return_failed"), {"swapgs", "lfence"}));
    }
}

/// Registers that instructions make 0, or the words of s390x that load them.
std::multiset<std::string> cleared(std::string_view arch, std::span<const Instruction> code) {
    const std::map<std::string_view, std::pair<std::string_view, std::string_view>> forms = {
        {"x86_64", {"xorl", ""}},
        {"arm64", {"mov", ", xzr"}},
        {"riscv64", {"li", ", 0x0"}},
        {"loongarch64", {"move", ", $zero"}},
        {"s390x", {"lmg", ""}}};
    const auto& [mnemonic, end] = forms.at(arch);
    std::multiset<std::string> registers;
    for (const Instruction& one : code) {
        const std::string_view operands = one.operands;
        if (one.mnemonic != mnemonic || !operands.ends_with(end)) {
            continue;
        }
        const std::string_view first = operands.substr(0, operands.find(','));
        if (arch == "s390x") {
            registers.emplace(operands);
        } else if (arch != "x86_64" || operands.ends_with(first)) {
            registers.emplace(first);
        }
    }
    return registers;
}
/// The instructions in front of the call of that function.
std::span<const Instruction> before_call_of(const EntryCode& code, std::string_view name,
                                            std::string_view callee) {
    const std::vector<Instruction>* const way = code.find(name);
    if (way == nullptr) {
        ADD_FAILURE() << "there is no " << name;
        return {};
    }
    // gcc may have put the unlikely part of a function in front of it.
    const std::vector<Instruction>& target = *code.find(callee);
    const auto call = std::ranges::find_if(*way, [&](const Instruction& one) {
        return one.target &&
               std::ranges::find(target, *one.target, &Instruction::address) != target.end();
    });
    EXPECT_TRUE(call != way->end()) << name << " does not call " << callee;
    return {way->begin(), call};
}

std::multiset<std::string> numbered(std::string_view prefix, int first, int last) {
    std::multiset<std::string> names;
    for (int number = first; number <= last; ++number) {
        names.insert(std::string(prefix) + std::to_string(number));
    }
    return names;
}
std::multiset<std::string> together(std::initializer_list<std::multiset<std::string>> sets) {
    std::multiset<std::string> all;
    for (const auto& set : sets) {
        all.insert(set.begin(), set.end());
    }
    return all;
}

/// Where C is called by a full frame: the way there and the function.
struct Door {
    const char* way;
    const char* callee;
    std::multiset<std::string> cleared;
};
std::vector<Door> doors_of(std::string_view arch) {
    const char* const call = "kerntoll_entry_call";
    const char* const trap = "kerntoll_entry_from_user";
    if (arch == "x86_64") {
        const std::multiset<std::string> all = {"%eax",  "%ebx",  "%ebp",  "%ecx",  "%edx",
                                                "%esi",  "%r8d",  "%r9d",  "%r10d", "%r11d",
                                                "%r12d", "%r13d", "%r14d", "%r15d"};
        return {{"kerntoll_entry_syscall", call, all}, {"trap_from_user", trap, all}};
    }
    if (arch == "arm64") {
        const auto all = numbered("x", 2, 29);
        return {{"from_user", trap, all},
                {"from_user_32", "kerntoll_entry_from_user_32", all},
                {"other_from_user", "kerntoll_entry_other_from_user", all}};
    }
    if (arch == "riscv64") {
        return {
            {"kerntoll_entry_vector", trap,
             together({{"gp"}, numbered("t", 0, 6), numbered("s", 0, 11), numbered("a", 2, 7)})}};
    }
    if (arch == "loongarch64") {
        const auto all = together({{"$tp", "$r21", "$fp"},
                                   numbered("$t", 0, 8),
                                   numbered("$s", 0, 8),
                                   numbered("$a", 2, 7)});
        return {{"kerntoll_entry_call_vector", call, together({all, {"$a1"}})},
                {"not_a_call", trap, all}};
    }
    // From LOWCORE_KERNEL, where all are 0 that are not the frame and the stack; r3 is the cause.
    return {{"kerntoll_entry_call_vector", call, {"%r14, %r13, 672"}},
            {"from_anywhere", trap, {"%r14, %r2, 672", "%r4, %r13, 720"}}};
}

TEST_P(NanoGuards, AFullFrameLeavesNoRegisterOfTheUsers) {
    const EntryCode code = full();
    for (const Door& door : doors_of(machine_.arch)) {
        ASSERT_TRUE(code.has(door.callee)) << door.callee;
        EXPECT_EQ(cleared(machine_.arch, before_call_of(code, door.way, door.callee)), door.cleared)
            << door.way;
    }
}

/// What a call loses by convention, a lazy frame does not have; it must not come back as the
/// kernel left it.
TEST_P(NanoGuards, ALazyFrameGivesBackNothingInWhatACallLoses) {
    if (!is("loongarch64")) {
        GTEST_SKIP() << "calls keep all registers elsewhere";
    }
    const EntryCode code = lazy();
    ASSERT_TRUE(code.has("kerntoll_entry_call_vector"));
    EXPECT_EQ(cleared(machine_.arch, *code.find("kerntoll_entry_call_vector")),
              numbered("$t", 0, 8));
}

/// The key that return addresses are signed with goes to no C function, whose frame or whose
/// interrupt would leave it in memory.
TEST_P(NanoGuards, TheKeyStaysInNoRegister) {
    if (!is("arm64")) {
        GTEST_SKIP() << "signed return addresses are arm64's";
    }
    const EntryCode code = code_of({"frame=lazy", "vector=likely", "branch_protection=on"});
    EXPECT_EQ(cleared(machine_.arch, before_call_of(code, "call_fast", "kerntoll_entry_call_fast")),
              numbered("x", 2, 3));
    const EntryCode whole = code_of({"branch_protection=on"});
    for (const Door& door : doors_of(machine_.arch)) {
        EXPECT_EQ(cleared(machine_.arch, before_call_of(whole, door.way, door.callee)),
                  door.cleared)
            << door.way;
    }
}

/// Whatever the compiler made of it; NanoAsynchronous has one come.
TEST_P(NanoGuards, AnSErrorIsNeverAUsers) {
    if (!is("arm64")) {
        GTEST_SKIP() << "asynchronous aborts are arm64's";
    }
    const EntryCode code = full();
    const auto edges = code.edges_from("kerntoll_entry_other_from_user");
    const auto leads_to = [&](std::string_view words) {
        return std::ranges::any_of(edges, [&](const Edge& one) { return one.to.contains(words); });
    };
    EXPECT_TRUE(leads_to("16kernel_exception"));
    EXPECT_FALSE(leads_to("9exception")) << testing::PrintToString(edges);
}

/// Where one is masked, so is the other: the timer's may be either.
TEST_P(NanoGuards, FastInterruptsAreMaskedAndLetInWithTheOthers) {
    if (!is("arm64")) {
        GTEST_SKIP() << "FIQs are arm64's";
    }
    for (const EntryCode& code : {full(), lazy()}) {
        size_t count = 0;
        for (const auto& [name, instructions] : code.functions()) {
            for (const Instruction& one : instructions) {
                if (one.mnemonic == "msr" && one.operands.starts_with("DAIF")) {
                    ++count;
                    EXPECT_TRUE(one.operands.ends_with("#0x3")) << text_of(one) << " in " << name;
                }
            }
        }
        EXPECT_GT(count, 1U);
    }
}

/// Access to user memory, executable-as-readable, the floating-point and the vector unit: no user
/// can set the first two, and no program sees what the kernel could do with the others.
TEST_P(NanoGuards, TheStatusOfTheUserIsTakenAwayOnEveryWayIn) {
    if (!is("riscv64")) {
        GTEST_SKIP() << "sstatus is riscv64's";
    }
    for (const EntryCode& code : {full(), lazy()}) {
        size_t count = 0;
        for (const auto& [name, instructions] : code.functions()) {
            for (const Instruction& one : instructions) {
                if (one.mnemonic == "csrrc" && one.operands.starts_with("t2, sstatus")) {
                    ++count;
                    ASSERT_GE(&one - instructions.data(), 2) << name;
                    EXPECT_EQ(text_of(*(&one - 2)), "lui t2, 0xc6") << name;
                    EXPECT_EQ(text_of(*(&one - 1)), "addiw t2, t2, 0x600") << name;
                }
            }
        }
        EXPECT_GE(count, 2U);
    }
}

/// Whether the stack pointer is what an instruction computes.
bool moves_stack(std::string_view arch, const Instruction& one) {
    if (arch == "x86_64") {
        return one.operands.ends_with(", %rsp") && !one.mnemonic.starts_with("cmp") &&
               !one.mnemonic.starts_with("test");
    }
    const std::string_view stack = arch == "s390x"         ? "%r15,"
                                   : arch == "loongarch64" ? "$sp,"
                                                           : "sp,";
    return one.operands.starts_with(stack) && !one.mnemonic.starts_with("st");
}
/// And by how much stands in a register.
bool displaces_stack(std::string_view arch, const Instruction& one) {
    static const std::set<std::string_view> forms = {"movq", "subq",  "mov", "sub", "mv",
                                                     "move", "sub.d", "lgr", "sgr", "slgr"};
    return moves_stack(arch, one) && forms.contains(one.mnemonic) && !one.operands.contains('#') &&
           !one.operands.starts_with("$0x");
}

/// The random offset is still there when the call is made.
TEST_P(NanoGuards, ADisplacedStackStaysSoUntilTheCall) {
    const bool decodes_class = is("arm64") || is("riscv64");
    for (const bool is_lazy : {false, true}) {
        SCOPED_TRACE(is_lazy ? "lazy" : "full");
        std::vector<std::string> choices = {is_lazy ? "frame=lazy" : "frame=full",
                                            "stack_offset=on"};
        if (decodes_class) {
            choices.emplace_back("vector=likely");
        }
        const EntryCode code = code_of(choices);
        const char* const handler = is_lazy         ? "kerntoll_entry_call_fast"
                                    : decodes_class ? "kerntoll_entry_from_user"
                                                    : "kerntoll_entry_call";
        ASSERT_TRUE(code.has(handler));
        const std::vector<Instruction>& whole = *code.find(handler);
        const auto call = std::ranges::find_if(whole, &Instruction::is_indirect);
        ASSERT_NE(call, whole.end());
        const auto displacement = std::find_if(whole.begin(), call, [this](const auto& one) {
            return displaces_stack(machine_.arch, one);
        });
        ASSERT_NE(displacement, call) << "the stack is not displaced in front of the call";
        const auto next = std::find_if(displacement + 1, call, [this](const auto& one) {
            return moves_stack(machine_.arch, one);
        });
        EXPECT_EQ(next, call) << text_of(*next) << " takes it back";
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoGuards,
                         testing::Combine(testing::ValuesIn(arch_names),
                                          testing::Values("clang", "gcc")),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)) + "_" +
                                    std::get<1>(info.param);
                         });

}  // namespace

}  // namespace kerntoll::nano_test
