// SPDX-License-Identifier: MIT
#include "lab/path/difference.hpp"

#include <gmock/gmock.h>

#include "lab/base/random.hpp"
#include "lab/path/align.hpp"
#include "lab/path/explain.hpp"
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

const Texts exit_like{"ld a5,0(tp)",  "andi a5,a5,12", "bnez a5,44",
                      "xori a5,a5,1", "sd a5,0(tp)",   "fence w,o"};

TEST(Difference, leaves_the_saving_of_registers_out_of_what_was_inlined) {
    Texts called{"addi sp,sp,-32", "sd ra,24(sp)", "sd s0,16(sp)", "sd s1,8(sp)"};
    called.insert(called.end(), exit_like.begin(), exit_like.begin() + 4);
    for (const char* text : {"ld ra,24(sp)", "ld s0,16(sp)", "ld s1,8(sp)", "addi sp,sp,32"}) {
        called.emplace_back(text);
    }
    Texts inlined(6, "mul a0,a0,a1");
    inlined.insert(inlined.end(), exit_like.begin(), exit_like.begin() + 4);
    const auto base = PathWriter().enter("stub").call("helper").steps(called).ret().anatomy();
    const auto change = PathWriter().enter("stub").steps(inlined).anatomy();
    EXPECT_EQ(of(compare(base, change), "helper").into, "stub");
}

TEST(Difference, does_not_call_inlined_what_was_on_both_paths_already) {
    const auto path = [](bool with_helper) {
        PathWriter path;
        path.enter("stub").call("like").steps(exit_like).ret();
        if (with_helper) {
            path.call("helper").steps(exit_like).ret();
        }
        return path.anatomy();
    };
    EXPECT_EQ(of(compare(path(true), path(false)), "helper").fate, Fate::gone);
}

TEST(Difference, does_not_call_inlined_what_debug_information_has_inlined_on_both_paths) {
    const auto path = [](bool with_helper) {
        PathWriter path;
        path.enter("stub").call("like").inlined("helper").steps(exit_like).end_inlined().ret();
        if (with_helper) {
            path.call("helper").steps(exit_like).ret();
        }
        return path.anatomy();
    };
    EXPECT_EQ(of(compare(path(true), path(false)), "helper").fate, Fate::gone);
}

TEST(Difference, does_not_call_inlined_what_shares_little_with_much_new_code) {
    Texts large = exit_like;
    large.insert(large.end(), 10, "mul a0,a0,a1");
    Texts other(10, "sub a0,a0,a1");
    other.insert(other.end(), exit_like.begin(), exit_like.end());
    const auto base = PathWriter().enter("stub").call("helper").steps(large).ret().anatomy();
    const auto change = PathWriter().enter("stub").steps(other).anatomy();
    EXPECT_EQ(of(compare(base, change), "helper").fate, Fate::gone);
}

TEST(Difference, calls_a_function_moved_that_is_entered_in_another_order) {
    const auto path = [](const std::string& first, const std::string& second) {
        PathWriter path;
        path.enter("stub");
        for (const std::string& function : {first, second}) {
            path.call(function).steps(Texts(function == "short" ? 1 : 5, "add " + function)).ret();
        }
        return path.anatomy();
    };
    const Difference difference = compare(path("short", "long"), path("long", "short"));
    EXPECT_EQ(of(difference, "short").fate, Fate::moved);
    EXPECT_EQ(of(difference, "long").fate, Fate::unchanged);
}

TEST(Difference, pairs_no_functions_without_symbols_that_share_little) {
    const Difference difference =
        compare(body({"add a0", "add a1", "add a2", "nop", "ret"}, "0xffffffff80001000"),
                body({"sub a0", "sub a1", "sub a2", "nop", "ret"}, "0xffffffff80001040"));
    EXPECT_THAT(names(difference), ElementsAre("0xffffffff80001000", "0xffffffff80001040"));
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

/// The same path as it is without symbols: by the addresses that it was entered at. Only calls
/// begin functions there.
Anatomy without_names(Anatomy anatomy) {
    std::vector<std::uint32_t> called(anatomy.functions.size(), 0);
    for (std::size_t at = 0; at + 1 < anatomy.steps.size(); ++at) {
        if (anatomy.steps[at].kind.flow == Flow::call) {
            called[anatomy.steps[at + 1].function] = anatomy.steps[at + 1].function;
        }
    }
    for (FunctionPart& function : anatomy.functions) {
        function.name = fmt::format("{:#x}", function.start);
    }
    for (Step& step : anatomy.steps) {
        step.function = called[step.function];  // else the stub's
        step.phase = Phase::inside;
    }
    recount(anatomy);
    return anatomy;
}

Explanation explained(Anatomy base, Anatomy change) {
    return explain({.target = "a", .workload = "getpid", .anatomy = std::move(base)},
                   {.target = "b", .workload = "getpid", .anatomy = std::move(change)});
}

TEST(NamesOfOneSide, AreThoseOfTheOtherWhereTheInstructionsAreTheSame) {
    for (const bool base_named : {true, false}) {
        Anatomy named = getpid_path(WayOut::called, 0xffffffff80001000);
        Anatomy nameless = without_names(getpid_path(WayOut::called, 0xffffffff80001000));
        ASSERT_LT(nameless.functions.size(), 20U);
        const auto explanation =
            base_named ? explained(named, nameless) : explained(nameless, named);
        EXPECT_EQ(unmatched(explanation.difference), 0U);
        for (const FunctionDifference& function : explanation.difference.functions) {
            EXPECT_EQ(function.fate, Fate::unchanged) << function.name;
        }
        EXPECT_EQ(of(explanation.difference, "ret_from_exception").instructions(), 0);
        const Traced& lent = base_named ? explanation.change : explanation.base;
        ASSERT_EQ(lent.remarks.size(), 1U);
        EXPECT_TRUE(lent.remarks[0].contains("210 of 210")) << lent.remarks[0];
        EXPECT_EQ(counts_of(lent.anatomy, Phase::exit).instructions,
                  counts_of(named, Phase::exit).instructions);
    }
}

TEST(NamesOfOneSide, CallNothingInlined) {
    const auto explanation =
        explained(getpid_path(WayOut::called, 0xffffffff80001000),
                  without_names(getpid_path(WayOut::inlined, 0xffffffff80023000)));
    EXPECT_EQ(sum(explanation.difference), -13);
    for (const FunctionDifference& function : explanation.difference.functions) {
        EXPECT_NE(function.fate, Fate::inlined) << function.name;
    }
    EXPECT_EQ(of(explanation.difference, "handle_exception").fate, Fate::unchanged);
}

TEST(NamesOfOneSide, AreNotGivenToCodeThatIsLikeNone) {
    const Anatomy named = PathWriter()
                              .enter("stub")
                              .call("f")
                              .steps({"add a0,a0,a1", "sub a0,a0,a2"})
                              .ret()
                              .anatomy();
    const Anatomy other = without_names(PathWriter()
                                            .enter("stub")
                                            .call("g")
                                            .steps({"xor a0,a0,a1", "and a0,a0,a1", "or a0,a0,a1"})
                                            .ret()
                                            .anatomy());
    const auto explanation = explained(named, other);
    EXPECT_EQ(of(explanation.difference, "f").fate, Fate::gone);
    const auto fate = std::ranges::find_if(
        explanation.difference.functions,
        [](const FunctionDifference& function) { return function.name.starts_with("0x"); });
    ASSERT_NE(fate, explanation.difference.functions.end());
    EXPECT_EQ(fate->fate, Fate::appeared);
}

}  // namespace
}  // namespace kerntoll::lab::path
