// SPDX-License-Identifier: MIT
#include "lab/path/difference.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "lab/base/random.hpp"
#include "lab/path/align.hpp"
#include "tests/path/round_trip.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::ElementsAre;

const FunctionDifference& of(const Difference& difference, const std::string& name) {
    const auto found = std::ranges::find(difference.functions, name, &FunctionDifference::name);
    static const FunctionDifference none{.name = "none", .into = {}, .base = {}, .change = {}};
    EXPECT_NE(found, difference.functions.end()) << name;
    return found == difference.functions.end() ? none : *found;
}

std::vector<std::string> names(const Difference& difference) {
    std::vector<std::string> names;
    for (const FunctionDifference& function : difference.functions) {
        names.push_back(function.name);
    }
    return names;
}

std::size_t unmatched(const Difference& difference) {
    return static_cast<std::size_t>(std::ranges::count_if(
        difference.pairs, [](const auto& pair) { return !pair.base || !pair.change; }));
}

std::int64_t sum(const Difference& difference) {
    std::int64_t sum = 0;
    for (const FunctionDifference& function : difference.functions) {
        sum += function.instructions();
    }
    return sum;
}

/// A path of one function.
Anatomy body(const Texts& texts, const std::string& name = "f",
             std::uint64_t text = 0xffffffff80001000) {
    return PathWriter(text).enter(name).steps(texts).anatomy();
}

TEST(Difference, names_the_function_that_went_and_the_one_that_holds_it_now) {
    const auto difference = getpid_explanation().difference;
    EXPECT_EQ(difference.instructions, -13);
    const auto& gone = of(difference, "syscall_exit_to_user_mode");
    EXPECT_EQ(gone.fate, Fate::inlined);
    EXPECT_EQ(gone.into, "do_trap_ecall_u");
    EXPECT_EQ(gone.instructions(), -22);
    const auto& holder = of(difference, "do_trap_ecall_u");
    EXPECT_EQ(holder.fate, Fate::changed);
    EXPECT_EQ(holder.base.instructions, 44U);
    EXPECT_EQ(holder.change.instructions, 53U);
    EXPECT_EQ(of(difference, "ret_from_exception").fate, Fate::unchanged);
    EXPECT_EQ(sum(difference), -13);
    // The call and its argument went, ten instructions and the result came.
    EXPECT_EQ(unmatched(difference), 22U + 2U + 11U);
}

TEST(Difference, finds_nothing_where_the_linker_alone_moved_the_code) {
    const Anatomy here = getpid_path(WayOut::called, 0xffffffff80001000);
    const Anatomy there = getpid_path(WayOut::called, 0xffffffff81abc000);
    const Difference difference = compare(here, there);
    EXPECT_EQ(unmatched(difference), 0U);
    for (const FunctionDifference& function : difference.functions) {
        EXPECT_EQ(function.fate, Fate::unchanged) << function.name;
    }
}

TEST(Difference, sees_an_operand_that_changed) {
    const Difference difference =
        compare(body({"addi sp,sp,-32", "ld a0,8(tp)"}), body({"addi sp,sp,-32", "ld a0,16(tp)"}));
    EXPECT_EQ(of(difference, "f").fate, Fate::changed);
    EXPECT_EQ(unmatched(difference), 2U);
}

TEST(Difference, lists_what_went_before_what_came_in_its_place) {
    const Difference difference =
        compare(body({"nop", "add a0,a0,a1", "ret"}), body({"nop", "sub a0,a0,a1", "ret"}));
    ASSERT_EQ(difference.pairs.size(), 4U);
    EXPECT_TRUE(difference.pairs[1].base && !difference.pairs[1].change);
    EXPECT_TRUE(!difference.pairs[2].base && difference.pairs[2].change);
    EXPECT_EQ(difference.pairs[3].base, 2U);
    EXPECT_EQ(difference.pairs[3].change, 2U);
}

TEST(Difference, does_not_match_instructions_of_different_functions) {
    const Texts texts{"add a0,a0,a1", "sub a0,a0,a2", "ret"};
    const Difference difference = compare(body(texts, "f"), body(texts, "g"));
    EXPECT_EQ(unmatched(difference), 6U);
    EXPECT_THAT(names(difference), ElementsAre("f", "g"));
    EXPECT_EQ(of(difference, "f").fate, Fate::gone);
    EXPECT_EQ(of(difference, "g").fate, Fate::appeared);
}

TEST(Difference, keeps_functions_in_path_order_with_those_of_A_first) {
    const auto chain = [](const std::vector<std::string>& functions) {
        PathWriter path;
        for (const std::string& function : functions) {
            path.enter(function).step("add " + function);
        }
        return path.anatomy();
    };
    const Difference difference = compare(chain({"stub", "old1", "old2", "sys", "end"}),
                                          chain({"first", "stub", "new1", "sys", "new2", "end"}));
    EXPECT_THAT(names(difference),
                ElementsAre("first", "stub", "old1", "old2", "new1", "sys", "new2", "end"));
}

TEST(Difference, calls_a_function_moved_that_another_one_enters_now) {
    const auto path = [](const std::string& caller) {
        return PathWriter()
            .enter("stub")
            .call("a")
            .steps({"add a", "add a"})
            .call(caller == "a" ? "g" : "b")
            .steps({caller == "a" ? "add g" : "add b"})
            .ret()
            .ret()
            .call("b")
            .steps({"add b", "add b"})
            .call(caller == "a" ? "b" : "g")
            .steps({caller == "a" ? "add b" : "add g"})
            .ret()
            .ret()
            .anatomy();
    };
    const Difference difference = compare(path("a"), path("b"));
    EXPECT_EQ(of(difference, "g").fate, Fate::moved);
    EXPECT_EQ(of(difference, "g").instructions(), 0);
}

TEST(Difference, calls_a_function_moved_whose_caller_went_though_it_aligns) {
    const auto path = [](bool wrapped) {
        PathWriter path;
        path.enter("stub");
        if (wrapped) {
            path.call("wrapper").steps({"sd ra,8(sp)"});
        }
        path.call("work").steps({"add a0,a0,a1", "xor a0,a0,a2"}).ret();
        if (wrapped) {
            path.steps({"ld ra,8(sp)"}).ret();
        }
        return path.step("sret").anatomy();
    };
    const Difference difference = compare(path(true), path(false));
    EXPECT_EQ(of(difference, "work").fate, Fate::moved);
    EXPECT_EQ(of(difference, "wrapper").fate, Fate::gone);
    EXPECT_EQ(of(difference, "stub").fate, Fate::unchanged);
}

TEST(Difference, believes_dwarf_before_what_instructions_look_like) {
    const Texts work{"ld a5,0(tp)", "andi a5,a5,12", "bnez a5,44", "csrrci zero,sstatus,2",
                     "xori a5,a5,1"};
    const auto base =
        PathWriter().enter("stub").call("helper").steps(work).ret().call("sys").ret().anatomy();
    PathWriter told;
    told.enter("stub")
        .steps(work)
        .call("sys")
        .inlined("helper")
        .step("li a0,0")
        .end_inlined()
        .ret();
    EXPECT_EQ(of(compare(base, told.anatomy()), "helper").into, "sys");
    PathWriter silent;
    silent.enter("stub").steps(work).call("sys").step("li a0,0").ret();
    EXPECT_EQ(of(compare(base, silent.anatomy()), "helper").into, "stub");
}

TEST(Difference, does_not_call_inlined_what_no_new_code_is_like) {
    const auto base = PathWriter()
                          .enter("stub")
                          .call("audit")
                          .steps({"ld a5,0(tp)", "andi a5,a5,12", "bnez a5,44", "xori a5,a5,1",
                                  "sd a5,0(tp)", "fence w,o"})
                          .ret()
                          .anatomy();
    const auto change = PathWriter()
                            .enter("stub")
                            .steps({"add a0,a0,a1", "mul a0,a0,a2", "sub a0,a0,a3", "or a0,a0,a4",
                                    "slli a0,a0,5", "fence w,o"})
                            .anatomy();
    EXPECT_EQ(of(compare(base, change), "audit").fate, Fate::gone);
    EXPECT_EQ(of(compare(base, change), "audit").into, "");
}

TEST(Difference, pairs_functions_without_symbols_by_their_code) {
    const Texts first{"ld a0,0(tp)", "add a0,a0,a1"};
    const Texts second{"csrrci zero,sstatus,2", "xori a0,a0,1", "sd a0,0(tp)"};
    const auto path = [&](const std::string& f, const std::string& g, const Texts& extra) {
        return PathWriter().enter(f).steps(first).enter(g).steps(second).steps(extra).anatomy();
    };
    const Difference difference =
        compare(path("0xffffffff80001000", "0xffffffff80002000", {}),
                path("0xffffffff80001040", "0xffffffff80002040", {"fence w,o"}));
    EXPECT_THAT(names(difference), ElementsAre("0xffffffff80001000 / 0xffffffff80001040",
                                               "0xffffffff80002000 / 0xffffffff80002040"));
    EXPECT_EQ(difference.functions[0].fate, Fate::unchanged);
    EXPECT_EQ(difference.functions[1].fate, Fate::changed);
    EXPECT_EQ(sum(difference), 1);
}

TEST(Difference, counts_each_of_two_functions_with_one_name_once) {
    const auto twice = [](std::uint64_t second) {
        Anatomy anatomy =
            PathWriter().enter("f").step("add").enter("g").steps({"sub", "sub"}).anatomy();
        anatomy.functions[1].name = second == 0 ? "f" : "g";
        return anatomy;
    };
    const Difference difference = compare(twice(0), body({"add"}));
    EXPECT_THAT(names(difference), ElementsAre("f", "f"));
    EXPECT_EQ(sum(difference), -2);
}

TEST(Difference, takes_empty_paths) {
    const Difference difference = compare(Anatomy{}, body({"ret"}));
    EXPECT_EQ(difference.instructions, 1);
    EXPECT_EQ(difference.pairs.size(), 1U);
    EXPECT_TRUE(compare(Anatomy{}, Anatomy{}).functions.empty());
}

Anatomy random_path(Random& random, std::size_t steps) {
    PathWriter path;
    path.enter("stub");
    std::size_t depth = 0;
    for (std::size_t at = 0; at < steps; ++at) {
        switch (random.below(6)) {
            case 0:
                path.call(fmt::format("f{}", random.below(6)));
                ++depth;
                break;
            case 1:
                if (depth > 0) {
                    path.ret();
                    --depth;
                    break;
                }
                [[fallthrough]];
            default:
                path.step(fmt::format("add a{}", random.below(5)));
        }
    }
    return path.anatomy();
}

TEST(Difference, accounts_for_every_instruction_of_random_paths) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const Anatomy base = random_path(random, random.below(120));
        const Anatomy change = random_path(random, random.below(120));
        const Difference difference = compare(base, change);
        ASSERT_EQ(sum(difference), difference.instructions) << seed;
        ASSERT_EQ(difference.instructions, static_cast<std::int64_t>(change.steps.size()) -
                                               static_cast<std::int64_t>(base.steps.size()));
        std::uint32_t next_base = 0;
        std::uint32_t next_change = 0;
        const auto base_texts = comparable(base.steps);
        const auto change_texts = comparable(change.steps);
        for (const auto& [left, right] : difference.pairs) {
            ASSERT_TRUE(left || right);
            ASSERT_EQ(left.value_or(next_base), next_base);
            ASSERT_EQ(right.value_or(next_change), next_change);
            if (left && right) {
                ASSERT_EQ(base_texts[*left], change_texts[*right]);
                ASSERT_EQ(base.functions[base.steps[*left].function].name,
                          change.functions[change.steps[*right].function].name);
            }
            next_base += left ? 1U : 0U;
            next_change += right ? 1U : 0U;
        }
        ASSERT_EQ(next_base, base.steps.size());
        ASSERT_EQ(next_change, change.steps.size());
    }
}

/// The length of a longest common subsequence, by the definition.
std::size_t slow_length(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1
                                              : std::max(best[i - 1][j], best[i][j - 1]);
        }
    }
    return best[a.size()][b.size()];
}

TEST(Alignment, matches_as_much_as_can_be_matched) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const std::uint64_t letters = 1 + random.below(8);
        const auto draw = [&] {
            std::vector<std::uint32_t> sequence(random.below(30));
            for (auto& element : sequence) {
                element = static_cast<std::uint32_t>(random.below(letters));
            }
            return sequence;
        };
        const auto a = draw();
        const auto b = draw();
        const Matches matches = longest_common(a, b);
        ASSERT_EQ(matches.size(), slow_length(a, b)) << seed;
        std::uint32_t next_a = 0;
        std::uint32_t next_b = 0;
        for (const auto& [left, right] : matches) {
            ASSERT_GE(left, next_a);
            ASSERT_GE(right, next_b);
            ASSERT_EQ(a[left], b[right]);
            next_a = left + 1;
            next_b = right + 1;
        }
    }
}

TEST(Alignment, takes_ten_thousand_elements_that_share_little) {
    std::vector<std::uint32_t> up(10'000);
    std::iota(up.begin(), up.end(), 0U);
    std::vector<std::uint32_t> down(up.rbegin(), up.rend());
    EXPECT_EQ(longest_common(up, down).size(), 1U);
    EXPECT_EQ(longest_common(up, up).size(), up.size());
}

/// One instruction, comparable.
std::string one(const std::string& text, Flow flow = Flow::next, bool indirect = false) {
    const Instruction instruction{.address = 0, .bytes = {}, .text = text};
    Step step;
    step.instruction = &instruction;
    step.kind.flow = flow;
    step.kind.indirect = indirect;
    return comparable({&step, 1}).front();
}

TEST(Alignment, leaves_addresses_out_in_the_spelling_of_every_architecture) {
    EXPECT_EQ(one("beqz            a0,24                   # 0xffffffff80001234", Flow::branch),
              "beqz a0,@");
    EXPECT_EQ(one("callq    0xffffffff81a00000", Flow::call), "callq @");
    EXPECT_EQ(one("movq     0x1ab2c3(%rip), %rax"), "movq @(%rip), %rax");
    EXPECT_EQ(one("movq     $0xffffffff82345678, %rdi"), "movq $@, %rdi");
    EXPECT_EQ(one("movq     -0x7dffe0a0(, %rax, 8), %rax"), "movq @(, %rax, 8), %rax");
    EXPECT_EQ(one("jmpq     *-0x7dffe0a0(, %rax, 8)", Flow::jump, true), "jmpq *@(, %rax, 8)");
    EXPECT_EQ(one("movq     %gs:0x20c80, %rsp"), "movq %gs:@, %rsp");
    EXPECT_EQ(one("tbnz     w0, #3, #0xffff800080012345", Flow::branch), "tbnz w0, #3, @");
    EXPECT_EQ(one("brasl    %r14, 0x3ffe0123456", Flow::call), "brasl %r14, @");
    EXPECT_EQ(one("larl     %r1, 0x3ffe0123456"), "larl %r1, @");
    EXPECT_EQ(one("bl           -12345 # 0x900000000123456", Flow::call), "bl @");
}

TEST(Alignment, keeps_what_is_no_address) {
    EXPECT_EQ(one("addi            sp,sp,-32"), "addi sp,sp,-32");
    EXPECT_EQ(one("movq     -8(%rbp), %r12"), "movq -8(%rbp), %r12");
    EXPECT_EQ(one("testl    $0x20000000, %ecx"), "testl $0x20000000, %ecx");
    EXPECT_EQ(one("ldr      x30, [sp, #0x18]"), "ldr x30, [sp, #0x18]");
    EXPECT_EQ(one("jr       t0", Flow::jump, true), "jr t0");
}

TEST(Alignment, leaves_out_both_halves_of_an_address_made_from_the_program_counter) {
    const auto texts = [](const Texts& instructions) {
        return comparable(body(instructions).steps);
    };
    EXPECT_THAT(texts({"auipc a5,2597", "li a4,5", "ld a3,-1172(a5)", "sd a4,-1164(a5)",
                       "addi a5,a5,-40", "ld a3,8(a5)"}),
                ElementsAre("auipc a5,@", "li a4,5", "ld a3,@(a5)", "sd a4,@(a5)", "addi a5,a5,@",
                            "ld a3,8(a5)"));
    EXPECT_THAT(texts({"adrp x0, #0xffff800081234000", "add x0, x0, #0x123", "ldr x1, [x0, #8]"}),
                ElementsAre("adrp x0, @", "add x0, x0, #@", "ldr x1, [x0, #8]"));
}

TEST(Alignment, drops_registers_where_inlining_may_choose_others) {
    EXPECT_EQ(without_registers("andi a5,a4,1024"), without_registers("andi s1,a0,1024"));
    EXPECT_NE(without_registers("andi a5,a4,1024"), without_registers("andi a5,a4,512"));
    EXPECT_NE(without_registers("andi a5,a4,1024"), without_registers("ori a5,a4,1024"));
}

}  // namespace
}  // namespace kerntoll::lab::path
