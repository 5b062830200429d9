// SPDX-License-Identifier: MIT
// What is counted, and that the parts add up to the whole.
#include "lab/path/anatomy.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "lab/base/random.hpp"
#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Anatomy, counts_what_instructions_do) {
    const auto scene = Scene(Arch::arm64)
                           .run(0x100, "bl #0x200")
                           .run(0x200, "mrs x0, esr_el1")
                           .run(0x204, "ldxr x0, [x1]")
                           .run(0x208, "dsb ish")
                           .run(0x20c, "blr x1")
                           .run(0x300, "br x2")
                           .run(0x400, "ret ")
                           .run(0x210, "mrs x1, esr_el1")
                           .run(0x214, "ret ")
                           .run(0x104, "eret ");
    const Counts counts = scene.dissect().total;
    EXPECT_EQ(counts.instructions, 10U);
    EXPECT_EQ(counts.calls, 2U);
    EXPECT_EQ(counts.returns, 2U);
    EXPECT_EQ(counts.branches, 0U);
    EXPECT_EQ(counts.taken, 1U);
    EXPECT_EQ(counts.indirect, 2U);
    EXPECT_EQ(counts.atomics, 1U);
    EXPECT_EQ(counts.barriers, 1U);
    EXPECT_THAT(counts.specials,
                ElementsAre(Pair("dsb ish", 1), Pair("eret", 1), Pair("mrs esr_el1", 2)));
}

TEST(Anatomy, branches_are_taken_where_the_path_goes_on_elsewhere) {
    const auto scene = Scene()
                           .run(0x100, "je 0x200", 2)
                           .run(0x102, "je 0x200", 6)
                           .run(0x200, "jmp 0x205", 5)  // a jump is taken, also to what is next
                           .run(0x205, "callq 0x20a", 5)
                           .run(0x20a, "retq ", 1);
    const auto anatomy = scene.dissect();
    EXPECT_FALSE(anatomy.steps[0].taken);
    EXPECT_TRUE(anatomy.steps[1].taken);
    EXPECT_TRUE(anatomy.steps[2].taken);
    EXPECT_TRUE(anatomy.steps[3].taken);
    EXPECT_TRUE(anatomy.steps[4].taken);
    EXPECT_EQ(anatomy.total.branches, 2U);
    EXPECT_EQ(anatomy.total.taken, 2U);
}

TEST(Anatomy, the_last_branch_counts_as_not_taken) {
    const auto scene = Scene().run(0x100, "je 0x200");
    EXPECT_FALSE(scene.dissect().steps[0].taken);
    EXPECT_EQ(scene.dissect().total.taken, 0U);
}

TEST(Anatomy, repeated_instructions_count_each_time_and_take_their_bytes_once) {
    const auto scene = Scene()
                           .run(0x100, "rep stosq %rax, (%rdi)", 3)
                           .store(0x8000)
                           .run(0x100, "rep stosq %rax, (%rdi)", 3)
                           .store(0x8008)
                           .run(0x103, "nop ", 1);
    const Counts counts = scene.dissect().total;
    EXPECT_EQ(counts.instructions, 3U);
    EXPECT_EQ(counts.taken, 0U);
    EXPECT_EQ(counts.stores, 2U);
    EXPECT_EQ(counts.code_bytes, 4U);
    EXPECT_EQ(counts.code_lines, 1U);
}

TEST(Anatomy, an_access_counts_each_line_that_it_touches_once) {
    const auto scene = Scene()
                           .run(0x100, "nop ", 1)
                           .load(0x803f, 128)  // the end of one, a whole one, most of one
                           .store(0xffffffffffffffff, 2)  // both ends of memory
                           .load(0x10000, 32768);
    EXPECT_EQ(scene.dissect().total.data_lines, 3U + 2U + 32768U / 64);
}

TEST(Anatomy, lines_are_those_that_the_bytes_lie_in) {
    const auto scene = Scene()
                           .run(0x13c, "nop ", 4)  // up to a line's end
                           .run(0x140, "nop ", 4)
                           .run(0x17e, "nop ", 4)  // across a border
                           .load(0x8038, 8)
                           .load(0x803c, 8)  // across a border
                           .store(0x8044, 4)
                           .store(0x9000, 1);
    const Counts counts = scene.dissect().total;
    EXPECT_EQ(counts.code_lines, 3U);
    EXPECT_EQ(counts.data_lines, 3U);
    EXPECT_EQ(counts.loads, 2U);
    EXPECT_EQ(counts.stores, 2U);
}

/// The depth of a path of one function called by a stub, as `texts` move the stack pointer.
std::optional<std::uint64_t> depth_of(Arch arch, const std::string& call,
                                      const std::vector<std::string>& stub,
                                      const std::vector<std::string>& texts) {
    Scene scene(arch);
    scene.function("stub", 0x1000, 0x2000).function("f", 0x2000, 0x3000);
    std::uint64_t address = 0x1000;
    for (const std::string& text : stub) {
        scene.run(address += 8, text, 8);
    }
    scene.run(address += 8, call, 8);
    std::uint64_t within = 0x2000;
    for (const std::string& text : texts) {
        scene.run(within, text, 8);
        within += 8;
    }
    scene.run(address + 8, "nop ", 8);
    return scene.dissect().stack_bytes;
}

TEST(Stack, is_as_deep_as_the_path_moves_its_pointer) {
    EXPECT_EQ(
        depth_of(Arch::x86_64, "callq 0x2000", {"movq %gs:0x10, %rsp", "pushq $0x2b"},
                 {"pushq %rbp", "subq $0x18, %rsp", "addq $0x18, %rsp", "popq %rbp", "retq "}),
        8U + 8U + 8U + 0x18U);
    EXPECT_EQ(depth_of(Arch::arm64, "bl #0x2000", {"sub sp, sp, #0x150"},
                       {"stp x29, x30, [sp, #-0x20]!", "ldp x29, x30, [sp], #0x20", "ret "}),
              0x150U + 0x20U);
    EXPECT_EQ(depth_of(Arch::riscv64, "jal ra,8", {"ld sp,16(tp)", "addi sp,sp,-288"},
                       {"addi sp,sp,-32", "addi sp,sp,32", "ret"}),
              288U + 32U);
    EXPECT_EQ(depth_of(Arch::riscv64, "jal ra,8", {"addi sp,tp,-272"},
                       {"addi sp,sp,-32", "addi sp,sp,32", "ret"}),
              272U + 32U);
    EXPECT_EQ(depth_of(Arch::s390x, "brasl %r14, 0x2000", {"lg %r15, 0x348(%r13)"},
                       {"lay %r15, -0xa0(%r15)", "lmg %r6, %r15, 0xd0(%r15)", "br %r14"}),
              0xa0U);
    EXPECT_EQ(depth_of(Arch::loongarch64, "bl 8", {"addi_d r3, r3, -288"},
                       {"addi.d r3, r3, -16", "addi.d r3, r3, 16", "jirl r0, r1, 0"}),
              288U + 16U);
}

TEST(Stack, is_moved_by_shifted_numbers_and_by_none_that_no_machine_has) {
    EXPECT_EQ(depth_of(Arch::arm64, "bl #0x2000", {"sub sp, sp, #0x150"},
                       {"sub sp, sp, #1, lsl #12", "sub sp, sp, #0x20", "add sp, sp, #0x20",
                        "add sp, sp, #0x1, lsl #12", "str x0, [sp, #-0x10]!", "ret "}),
              0x150U + 0x1000U + 0x20U);
    constexpr std::uint64_t most = std::uint64_t{1} << 31U;
    EXPECT_EQ(depth_of(Arch::x86_64, "callq 0x2000", {"pushq $0x2b"},
                       {"subq $0x7fffffffffffffff, %rsp", "subq $0x7fffffffffffffff, %rsp"}),
              8U + 8U + 2 * most);
    EXPECT_EQ(depth_of(Arch::arm64, "bl #0x2000", {},
                       {"sub sp, sp, #0x7fffffffffffffff, lsl #9999999999"}),
              most);
}

TEST(Stack, is_not_deeper_for_a_random_offset) {
    EXPECT_EQ(depth_of(Arch::x86_64, "callq 0x2000", {"pushq $0x2b"},
                       {"pushq %rbp", "movq %rsp, %rbp", "subq %rax, %rsp", "pushq %rbx",
                        "popq %rbx", "leave ", "retq "}),
              depth_of(Arch::x86_64, "callq 0x2000", {"pushq $0x2b"},
                       {"pushq %rbp", "movq %rsp, %rbp", "nop ", "pushq %rbx", "popq %rbx",
                        "leave ", "retq "}));
    EXPECT_EQ(depth_of(Arch::riscv64, "jal ra,8", {"addi sp,sp,-288"},
                       {"addi sp,sp,-32", "sub a0,sp,a0", "mv sp,a0", "addi sp,s0,-32",
                        "addi sp,sp,32", "ret"}),
              288U + 32U);
    EXPECT_EQ(depth_of(Arch::s390x, "brasl %r14, 0x2000", {},
                       {"aghi %r15, -0xa8", "sgrk %r1, %r15, %r1", "lgr %r15, %r1", "lgr %r15, %r0",
                        "lmg %r11, %r15, 0x100(%r11)", "br %r14"}),
              0xa8U);
}

TEST(Stack, stands_where_it_stood_when_a_function_has_come_back) {
    Scene scene;
    scene.function("stub", 0x100, 0x200).function("f", 0x200, 0x300).run(0x100, "pushq $0x2b");
    for (const std::uint64_t call : {0x104U, 0x108U}) {
        scene.run(call, "callq 0x200").run(0x200, "pushq %rbx").run(0x204, "movq %rsp, %rbp");
        scene.run(0x208, "leaq -8(%rbp), %rsp").run(0x20c, "retq ");
    }
    EXPECT_EQ(scene.run(0x10c, "nop ").dissect().stack_bytes, 8U + 8U + 8U);
}

TEST(Stack, does_not_hold_what_lies_near_its_pointer) {
    Scene scene(Arch::riscv64);
    scene.function("stub", 0x100, 0x200).run(0x100, "addi sp,sp,-288");
    scene.run(0x104, "sd a0,8(sp)").store(0x8008).run(0x108, "ld a0,8(sp)").load(0x8008);
    scene.run(0x10c, "ld a1,512(sp)").load(0x8200).run(0x110, "sd a1,-64(tp)").store(0x7f00);
    EXPECT_EQ(scene.dissect().stack_bytes, 288U);
}

TEST(Stack, is_not_known_of_a_path_that_never_moves_its_pointer) {
    EXPECT_EQ(Scene().run(0x100, "nop ").dissect().stack_bytes, std::nullopt);
}

TEST(Anatomy, functions_have_the_counts_of_their_steps_in_all_their_visits) {
    const auto scene = Scene()
                           .function("f", 0x100, 0x200)
                           .function("g", 0x200, 0x300)
                           .run(0x100, "callq 0x200")
                           .run(0x200, "retq ")
                           .load(0x8000)
                           .run(0x104, "callq 0x200")
                           .run(0x200, "retq ")
                           .load(0x8000)
                           .run(0x108, "swapgs ");
    const auto anatomy = scene.dissect();
    const Counts& f = anatomy.functions[0].counts;
    const Counts& g = anatomy.functions[1].counts;
    EXPECT_EQ(f.instructions, 3U);
    EXPECT_EQ(f.calls, 2U);
    EXPECT_EQ(f.code_bytes, 12U);
    EXPECT_THAT(f.specials, ElementsAre(Pair("swapgs", 1)));
    EXPECT_EQ(g.instructions, 2U);
    EXPECT_EQ(g.loads, 2U);
    EXPECT_EQ(g.data_lines, 1U);
    EXPECT_EQ(g.code_bytes, 4U);
}

std::uint64_t total_of(const std::vector<Frame>& frames) {
    std::uint64_t total = 0;
    for (const Frame& frame : frames) {
        EXPECT_EQ(frame.total, frame.own + total_of(frame.children)) << frame.name;
        total += frame.total;
    }
    return total;
}

std::uint64_t frames_in(const std::vector<Frame>& frames) {
    std::uint64_t count = 0;
    for (const Frame& frame : frames) {
        count += (frame.inlined ? 0 : 1) + frames_in(frame.children);
    }
    return count;
}

/// A path that calls, returns and jumps at random, also to where no call is open and no symbol is.
Scene random_scene(std::uint64_t seed) {
    Random random(seed);
    Scene scene;
    const char* names[] = {"entry",    "do_syscall_64", "x64_sys_call", "__x64_sys_read",
                           "vfs_read", "__do_sys_read", "exit_loop",    "thunk"};
    std::uint64_t start = 0x1000;
    for (const char* name : names) {
        scene.function(name, start, start + 0x60);  // gaps have no name
        start += 0x80;
    }
    scene.inlined(0x1090, 0x10a0, {"enter_from_user_mode"});
    scene.inlined(0x10a0, 0x10b0, {"x64_sys_call", "__do_sys_open"});
    const std::string texts[] = {
        "nop ",    "nop ",       "nop ",   "callq 0x1", "retq ",
        "jmp 0x1", "jmpq *%rax", "je 0x1", "lfence ",   "lock incl (%rax)"};
    std::vector<std::uint64_t> open;
    std::uint64_t address = 0x1000;
    for (int step = 0; step < 400; ++step) {
        // An address has the same instruction each time.
        const std::string& text = texts[Random(seed << 32U ^ address).below(std::size(texts))];
        scene.run(address, text);
        if (random.below(3) == 0) {
            scene.store(0x8000 + 8 * random.below(64)).load(0x8000 + 8 * random.below(64));
        }
        address += 4;
        if (text.starts_with("call")) {
            open.push_back(address);
        }
        if (text.starts_with("ret") && !open.empty() && random.below(4) != 0) {
            address = open.back();
            open.pop_back();
        } else if (text != "je 0x1" ? classify(Arch::x86_64, text).flow != Flow::next
                                    : random.below(2) == 0) {
            address = 0x1000 + 4 * random.below(0x100);
        }
    }
    return scene;
}

TEST(Anatomy, parts_add_up_to_the_whole_whatever_the_path_does) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto scene = random_scene(seed);
        const auto anatomy = scene.dissect();
        const auto of_functions = [&](auto member) {
            return std::accumulate(anatomy.functions.begin(), anatomy.functions.end(),
                                   std::uint64_t{0}, [&](std::uint64_t sum, const auto& function) {
                                       return sum + function.counts.*member;
                                   });
        };
        const auto of_phases = [&](auto member) {
            return std::accumulate(
                anatomy.phases.begin(), anatomy.phases.end(), std::uint64_t{0},
                [&](std::uint64_t sum, const Counts& counts) { return sum + counts.*member; });
        };
        ASSERT_EQ(anatomy.total.instructions, 400U);
        for (const auto member :
             {&Counts::instructions, &Counts::calls, &Counts::returns, &Counts::branches,
              &Counts::taken, &Counts::indirect, &Counts::loads, &Counts::stores, &Counts::atomics,
              &Counts::barriers}) {
            ASSERT_EQ(of_functions(member), anatomy.total.*member) << "seed " << seed;
            ASSERT_EQ(of_phases(member), anatomy.total.*member) << "seed " << seed;
        }
        ASSERT_EQ(total_of(anatomy.tree), anatomy.total.instructions) << "seed " << seed;
        const auto visits = std::accumulate(
            anatomy.functions.begin(), anatomy.functions.end(), std::uint64_t{0},
            [](std::uint64_t sum, const auto& function) { return sum + function.visits; });
        ASSERT_EQ(frames_in(anatomy.tree), visits) << "seed " << seed;
        for (std::size_t step = 1; step < anatomy.steps.size(); ++step) {
            ASSERT_GE(anatomy.steps[step].phase, anatomy.steps[step - 1].phase) << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace kerntoll::lab::path
