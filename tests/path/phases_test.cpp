// SPDX-License-Identifier: MIT
// The scenes follow real kernels' ways through entry, with fewer instructions.
#include <gtest/gtest.h>

#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

/// One letter per step: s(tub), e(nter), d(ispatch), c(all), x (exit), i(nside), r(eturn).
std::string letters(const Anatomy& anatomy) {
    std::string letters;
    for (const Step& step : anatomy.steps) {
        letters += "sedcxir"[static_cast<std::size_t>(step.phase)];
    }
    return letters;
}

Scene x86() {
    Scene scene;
    scene.function("entry_SYSCALL_64", 0x100, 0x180)
        .function("syscall_return_via_sysret", 0x180, 0x200)
        .function("do_syscall_64", 0x200, 0x300)
        .function("x64_sys_call", 0x300, 0x400)
        .function("__x64_sys_getpid", 0x400, 0x500)
        .function("__task_pid_nr_ns", 0x500, 0x600)
        .function("syscall_exit_to_user_mode", 0x600, 0x700)
        .function("entry_untrain_ret", 0x700, 0x710);
    return scene;
}

TEST(Phases, have_names) {
    EXPECT_EQ(name(Phase::stub), "stub");
    EXPECT_EQ(name(Phase::dispatch), "dispatch");
    EXPECT_EQ(name(Phase::ret), "return");
}

TEST(Phases, of_a_call_through_a_switch) {
    const auto scene = x86()
                           .run(0x100, "swapgs ")
                           .run(0x104, "callq 0x200")
                           .run(0x200, "sti ")
                           .run(0x204, "callq 0x300")
                           .run(0x300, "cmpl $39, %esi")
                           .run(0x304, "callq 0x400")
                           .run(0x400, "callq 0x500")
                           .run(0x500, "retq ")
                           .run(0x404, "retq ")
                           .run(0x308, "retq ")
                           .run(0x208, "callq 0x600")
                           .run(0x600, "retq ")
                           .run(0x20c, "retq ")
                           .run(0x108, "jmp 0x180")
                           .run(0x180, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "sseeddcccxxxxrr");
}

TEST(Phases, of_a_path_that_is_called_have_no_stub) {
    Scene scene;
    scene.function("kerntoll_entry_from_user", 0x100, 0x200)
        .function("kerntoll::hosted::Hooks::call_by_switch", 0x200, 0x300)
        .function("kerntoll::hosted::calls::getpid", 0x300, 0x400);
    scene.run(0x100, "pushq %rbx")
        .run(0x104, "callq 0x200")
        .run(0x200, "callq 0x300")
        .run(0x300, "retq ")
        .run(0x204, "retq ")
        .run(0x108, "popq %rbx")
        .run(0x10c, "retq ");
    EXPECT_EQ(letters(scene.dissect()), "eedcxxx");
}

TEST(Phases, of_a_switch_that_ends_in_a_tail_call) {
    const auto scene = x86()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq 0x300")
                           .run(0x300, "jmp 0x400")
                           .run(0x400, "retq ")
                           .run(0x204, "retq ")
                           .run(0x104, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "sedcxr");
}

TEST(Phases, a_call_from_the_entry_function_itself_has_no_dispatch) {
    const auto scene = x86()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq *%rax")
                           .run(0x400, "retq ")
                           .run(0x204, "retq ")
                           .run(0x104, "sysretq ");
    const auto anatomy = scene.dissect();
    EXPECT_EQ(letters(anatomy), "secxr");
    EXPECT_EQ(counts_of(anatomy, Phase::dispatch).instructions, 0U);
    EXPECT_FALSE(is_told(anatomy, Phase::dispatch));
    EXPECT_TRUE(is_told(anatomy, Phase::enter) && is_told(anatomy, Phase::call));
    EXPECT_FALSE(is_told(anatomy, Phase::inside));
    ASSERT_EQ(phase_sentences(anatomy).size(), 1U);
    EXPECT_TRUE(phase_sentences(anatomy)[0].contains("dispatch is a part of enter"));
}

TEST(Phases, what_the_stub_calls_against_guesses_is_the_stub) {
    const auto scene = x86()
                           .run(0x100, "callq 0x700")
                           .run(0x700, "retq ")
                           .run(0x104, "callq 0x200")
                           .run(0x200, "retq ")
                           .run(0x108, "callq 0x700")
                           .run(0x700, "retq ")
                           .run(0x10c, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "sssirrr");
}

TEST(Phases, the_return_begins_after_the_last_call_of_the_stub) {
    const auto scene = x86()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq 0x400")
                           .run(0x400, "retq ")
                           .run(0x204, "retq ")
                           .run(0x104, "callq 0x600")
                           .run(0x600, "retq ")
                           .run(0x108, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "secxxxr");
}

TEST(Phases, an_inlined_call_is_the_call) {
    const auto scene = x86()
                           .inlined(0x204, 0x208, {"x64_sys_call"})
                           .inlined(0x208, 0x218, {"x64_sys_call", "__do_sys_getpid"})
                           .run(0x100, "callq 0x200")
                           .run(0x200, "sti ")
                           .run(0x204, "cmpl $39, %esi")
                           .run(0x208, "nop ")
                           .run(0x218, "nop ")  // the compiler's mixing
                           .run(0x20c, "callq 0x500")
                           .run(0x500, "nop ")
                           .run(0x504, "retq ")
                           .run(0x210, "cli ")
                           .run(0x220, "retq ")
                           .run(0x104, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "sedccccccxr");
}

TEST(Phases, an_inlined_call_that_ends_in_a_call_holds_it) {
    const auto scene = x86()
                           .inlined(0x204, 0x208, {"__do_sys_getpid"})
                           .run(0x100, "callq 0x200")
                           .run(0x200, "sti ")
                           .run(0x204, "callq 0x500")
                           .run(0x500, "nop ")
                           .run(0x504, "retq ")
                           .run(0x208, "retq ")
                           .run(0x104, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "secccxr");
}

TEST(Phases, an_inlined_call_ends_before_other_functions_with_a_calls_name) {
    const auto scene = x86()
                           .inlined(0x204, 0x208, {"__do_sys_getpid"})
                           .function("sys_exit_work", 0x800, 0x900)
                           .run(0x100, "callq 0x200")
                           .run(0x204, "nop ")
                           .run(0x208, "callq 0x800")
                           .run(0x800, "retq ")
                           .run(0x20c, "retq ")
                           .run(0x104, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "scxxxr");
}

TEST(Phases, of_riscv64_whose_stub_jumps_with_the_way_back_set_by_hand) {
    const auto scene = Scene(Arch::riscv64)
                           .function("handle_exception", 0x100, 0x140)
                           .function("save_context", 0x140, 0x180)
                           .function("ret_from_exception", 0x180, 0x200)
                           .function("do_trap_ecall_u", 0x200, 0x300)
                           .function("__riscv_sys_getpid", 0x300, 0x400)
                           .function("thunk", 0x400, 0x500)
                           .run(0x100, "jr t1")  // within the stub
                           .run(0x120, "j 32")
                           .run(0x140, "jr t0")
                           .run(0x200, "jal ra,512")
                           .run(0x400, "jal t0,8")
                           .run(0x408, "ret")  // to elsewhere, but not to the stub
                           .run(0x410, "ret")
                           .run(0x204, "jalr ra,a5,0")
                           .run(0x300, "ret")
                           .run(0x208, "ret")
                           .run(0x180, "sret");
    EXPECT_EQ(letters(scene.dissect()), "ssseeeeecxr");
}

TEST(Phases, of_riscv64_whose_function_ends_in_a_tail_call) {
    const auto scene = Scene(Arch::riscv64)
                           .function("handle_exception", 0x100, 0x180)
                           .function("ret_from_exception", 0x180, 0x200)
                           .function("do_trap_ecall_u", 0x200, 0x300)
                           .function("__riscv_sys_getpid", 0x300, 0x400)
                           .function("syscall_exit_to_user_mode", 0x400, 0x500)
                           .run(0x100, "jalr ra,t1,0")
                           .run(0x200, "jalr ra,a5,0")
                           .run(0x300, "ret")
                           .run(0x204, "jr a5")
                           .run(0x400, "ret")
                           .run(0x104, "j 124")
                           .run(0x180, "sret");
    EXPECT_EQ(letters(scene.dissect()), "secxxrr");
}

TEST(Phases, of_arm64_whose_trampoline_returns_into_the_vectors) {
    // tramp_vectors: bl over a trap for guesses, then a return by hand; tramp_exit: br at the end.
    const auto scene = Scene(Arch::arm64)
                           .function("vectors", 0x100, 0x180)
                           .function("el0t_64_sync", 0x180, 0x200)
                           .function("el0t_64_sync_handler", 0x200, 0x300)
                           .function("invoke_syscall.constprop.0", 0x300, 0x400)
                           .function("__arm64_sys_getpid", 0x400, 0x500)
                           .run(0xf000, "bl #0xf008")
                           .run(0xf008, "msr vbar_el1, x30")
                           .run(0xf00c, "ret ")
                           .run(0x104, "b #0x180")
                           .run(0x180, "bl #0x200")
                           .run(0x200, "bl #0x300")
                           .run(0x300, "blr x1")
                           .run(0x400, "ret ")
                           .run(0x304, "ret ")
                           .run(0x204, "ret ")
                           .run(0x184, "br x29")
                           .run(0xf100, "eret ");
    EXPECT_EQ(letters(scene.dissect()), "sssssedcxxrr");
}

/// The ways of nano: with the steps in one function, or each in its own.
Scene nano() {
    Scene scene(Arch::riscv64);
    scene.function("kerntoll_entry_vector", 0x100, 0x180)
        .function("kerntoll_entry_return_to_user", 0x180, 0x200)
        .function("kerntoll_entry_from_user", 0x200, 0x300)
        .function("kerntoll::entry::SyscallPath::enter_outlined", 0x300, 0x400)
        .function("kerntoll::nano::Hooks::call_by_switch", 0x400, 0x500)
        .function("kerntoll::nano::calls::getpid", 0x500, 0x600)
        .function("kerntoll::entry::SyscallPath::exit_outlined", 0x600, 0x700);
    return scene;
}

TEST(Phases, of_nano_whose_steps_are_inlined) {
    const auto scene = nano()
                           .run(0x100, "jal ra,256")
                           .run(0x200, "jalr ra,a5,0")
                           .run(0x500, "ret")
                           .run(0x204, "nop")
                           .run(0x208, "ret")
                           .run(0x104, "j 124")
                           .run(0x180, "sret");
    EXPECT_EQ(letters(scene.dissect()), "secxxrr");
}

TEST(Phases, of_nano_whose_steps_are_functions) {
    const auto scene = nano()
                           .run(0x100, "jal ra,256")
                           .run(0x200, "jal ra,256")
                           .run(0x300, "ret")
                           .run(0x204, "jal ra,508")
                           .run(0x400, "jal ra,256")
                           .run(0x500, "ret")
                           .run(0x404, "ret")
                           .run(0x208, "jal ra,1016")
                           .run(0x600, "ret")
                           .run(0x20c, "ret")
                           .run(0x104, "j 124")
                           .run(0x180, "sret");
    EXPECT_EQ(letters(scene.dissect()), "seeedcxxxxrr");
}

TEST(Phases, a_call_that_the_path_ends_in_lasts_to_its_end) {
    const auto scene = x86().run(0x100, "callq 0x200").run(0x200, "callq 0x400").run(0x400, "nop ");
    EXPECT_EQ(letters(scene.dissect()), "sec");
}

TEST(Phases, without_symbols_know_the_stub_alone) {
    const auto scene = Scene()
                           .run(0x100, "swapgs ")
                           .run(0x104, "callq 0x200")
                           .run(0x200, "callq 0x400")
                           .run(0x400, "retq ")
                           .run(0x204, "retq ")
                           .run(0x108, "sysretq ");
    const auto anatomy = scene.dissect();
    EXPECT_EQ(letters(anatomy), "ssiiir");
    for (const Phase phase : {Phase::enter, Phase::dispatch, Phase::call, Phase::exit}) {
        EXPECT_FALSE(is_told(anatomy, phase)) << name(phase);
    }
    EXPECT_TRUE(is_told(anatomy, Phase::stub) && is_told(anatomy, Phase::inside));
    ASSERT_EQ(phase_sentences(anatomy).size(), 1U);
    EXPECT_TRUE(phase_sentences(anatomy)[0].contains("cannot be told apart"));
}

TEST(Phases, a_path_that_calls_nothing_is_all_stub) {
    const auto scene = x86().run(0x100, "swapgs ").run(0x104, "sysretq ");
    EXPECT_EQ(letters(scene.dissect()), "ss");
}

}  // namespace
}  // namespace kerntoll::lab::path
