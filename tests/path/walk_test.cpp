// SPDX-License-Identifier: MIT
// Which function a step is in, and how deep.
#include <gmock/gmock.h>

#include "lab/path/align.hpp"
#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::ElementsAre;

/// Each step's function and depth: "f/1".
std::vector<std::string> places(const Anatomy& anatomy) {
    std::vector<std::string> places;
    for (const Step& step : anatomy.steps) {
        places.push_back(anatomy.functions[step.function].name + "/" + std::to_string(step.depth));
    }
    return places;
}

/// Each function's visits: "f 2", in path order.
std::vector<std::string> visits(const Anatomy& anatomy) {
    std::vector<std::string> visits;
    for (const FunctionPart& function : anatomy.functions) {
        visits.push_back(function.name + " " + std::to_string(function.visits));
    }
    return visits;
}

Scene three_functions(Arch arch = Arch::x86_64) {
    Scene scene(arch);
    scene.function("f", 0x100, 0x200).function("g", 0x200, 0x300).function("h", 0x300, 0x400);
    return scene;
}

TEST(Walk, leaves_out_the_trap_and_what_it_accesses) {
    const auto scene = Scene().store(0x8000).run(0x100, "nop ").load(0x8008);
    const auto anatomy = scene.dissect();
    ASSERT_EQ(anatomy.steps.size(), 1U);
    EXPECT_EQ(anatomy.steps[0].instruction->text, "nop ");
    ASSERT_EQ(anatomy.steps[0].accesses.size(), 1U);
    EXPECT_EQ(anatomy.steps[0].accesses[0].address, 0x8008U);
    EXPECT_EQ(anatomy.total.stores, 0U);
}

TEST(Walk, of_nothing_is_nothing) {
    const auto anatomy = Scene().dissect();
    EXPECT_TRUE(anatomy.steps.empty());
    EXPECT_TRUE(anatomy.functions.empty());
    EXPECT_TRUE(anatomy.tree.empty());
    EXPECT_EQ(anatomy.total.instructions, 0U);
    EXPECT_EQ(dissect(Trace{}, Path{}, Arch::arm64, Locate{}).steps.size(), 0U);
}

TEST(Walk, calls_open_frames_and_returns_close_them) {
    const auto scene = three_functions()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq 0x300")
                           .run(0x300, "retq ")
                           .run(0x204, "retq ")
                           .run(0x104, "callq 0x300")
                           .run(0x300, "retq ")
                           .run(0x108, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy), ElementsAre("f/0", "g/1", "h/2", "g/1", "f/0", "h/1", "f/0"));
    EXPECT_THAT(visits(anatomy), ElementsAre("f 1", "g 1", "h 2"));
}

TEST(Walk, a_function_is_told_with_its_start_and_size_wherever_the_path_enters_it) {
    const auto scene = three_functions().run(0x140, "jmp 0x210").run(0x210, "nop ");
    const auto anatomy = scene.dissect();
    ASSERT_EQ(anatomy.functions.size(), 2U);
    EXPECT_EQ(anatomy.functions[0].start, 0x100U);
    EXPECT_EQ(anatomy.functions[1].start, 0x200U);
    EXPECT_EQ(anatomy.functions[1].size, 0x100U);
}

TEST(Walk, a_tail_call_is_a_visit_at_the_same_depth_and_returns_to_the_caller) {
    const auto scene = three_functions()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "jmp 0x300")
                           .run(0x300, "retq ")
                           .run(0x104, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy), ElementsAre("f/0", "g/1", "h/1", "f/0"));
    EXPECT_THAT(visits(anatomy), ElementsAre("f 1", "g 1", "h 1"));
}

TEST(Walk, code_that_runs_on_into_the_next_label_visits_it) {
    const auto scene = three_functions().run(0x1fc, "nop ").run(0x200, "nop ").run(0x204, "nop ");
    EXPECT_THAT(visits(scene.dissect()), ElementsAre("f 1", "g 1"));
}

TEST(Walk, recursion_visits_once_per_call) {
    const auto scene = three_functions()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "je 0x208")
                           .run(0x204, "callq 0x200")
                           .run(0x200, "je 0x208")
                           .run(0x208, "retq ")
                           .run(0x208, "retq ")
                           .run(0x104, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy), ElementsAre("f/0", "g/1", "g/1", "g/2", "g/2", "g/1", "f/0"));
    EXPECT_THAT(visits(anatomy), ElementsAre("f 1", "g 2"));
}

TEST(Walk, a_loop_to_a_functions_start_is_no_visit) {
    const auto scene = three_functions()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "jne 0x200")
                           .run(0x200, "jne 0x200")
                           .run(0x204, "retq ");
    EXPECT_THAT(visits(scene.dissect()), ElementsAre("f 1", "g 1"));
}

TEST(Walk, a_retpoline_leads_to_its_target_as_a_tail_call_does) {
    const auto scene = three_functions()
                           .function("thunk", 0x500, 0x520)
                           .run(0x100, "callq 0x500")
                           .run(0x500, "callq 0x50c")
                           .run(0x50c, "movq %rax, (%rsp)")
                           .run(0x510, "retq ")
                           .run(0x200, "retq ")
                           .run(0x104, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy), ElementsAre("f/0", "thunk/1", "thunk/2", "thunk/2", "g/1", "f/0"));
    EXPECT_THAT(visits(anatomy), ElementsAre("f 1", "thunk 1", "g 1"));
}

TEST(Walk, a_return_over_calls_that_never_come_back_closes_them_all) {
    // As AMD's safe return does: a call, the stack pointer moved over it, a return.
    const auto scene = three_functions()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq 0x300")
                           .run(0x300, "leaq 8(%rsp), %rsp")
                           .run(0x304, "retq ")
                           .run(0x104, "nop ");
    EXPECT_THAT(places(scene.dissect()), ElementsAre("f/0", "g/1", "h/2", "h/2", "f/0"));
}

TEST(Walk, a_return_with_no_call_open_stays_at_the_bottom) {
    const auto scene =
        three_functions().run(0x100, "retq ").run(0x200, "callq 0x300").run(0x300, "retq ");
    EXPECT_THAT(places(scene.dissect()), ElementsAre("f/0", "g/0", "h/1"));
}

TEST(Walk, a_jump_to_behind_an_open_call_returns_as_s390x_kernels_do) {
    const auto scene = three_functions(Arch::s390x)
                           .function("__s390_indirect_jump_r14", 0x500, 0x510)
                           .run(0x100, "brasl %r14, 0x200", 6)
                           .run(0x200, "jg 0x500", 6)
                           .run(0x500, ".byte 0xc6, 0x00, 0x00, 0x00, 0x00, 0x05",
                                std::string("\xc6\x00\x00\x00\x00\x05", 6))
                           .run(0x500, ".byte 0xc6, 0x00, 0x00, 0x00, 0x00, 0x05",
                                std::string("\x07\xfe\x00\x00\x00\x00", 6))
                           .run(0x106, "brasl %r14, 0x300", 6)
                           .run(0x300, "ber %r14", 2)
                           .run(0x302, "br %r1", 2)
                           .run(0x10c, "lgr %r1, %r2");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy),
                ElementsAre("f/0", "g/1", "__s390_indirect_jump_r14/1",
                            "__s390_indirect_jump_r14/1", "f/0", "h/1", "h/1", "f/0"));
    EXPECT_EQ(anatomy.total.returns, 1U);
    EXPECT_EQ(anatomy.total.indirect, 2U);
}

TEST(Walk, a_conditional_return_that_is_not_taken_returns_nowhere) {
    // The call ends where the callee goes on: `ber` falls through to what is also the way back.
    const auto scene = Scene(Arch::s390x)
                           .function("f", 0x100, 0x200)
                           .run(0x100, "brasl %r14, 0x104", 6)
                           .run(0x104, "ber %r14", 2)
                           .run(0x106, "lgr %r1, %r2");
    EXPECT_THAT(places(scene.dissect()), ElementsAre("f/0", "f/1", "f/1"));
}

TEST(Walk, without_symbols_functions_go_by_the_address_that_the_path_enters_them_at) {
    const auto scene = Scene()
                           .run(0xffffffff81000010, "nop ")
                           .run(0xffffffff81000014, "callq 0xffffffff81002000")
                           .run(0xffffffff81002000, "jmp 0xffffffff81003000")
                           .run(0xffffffff81003000, "retq ")
                           .run(0xffffffff81000018, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(places(anatomy),
                ElementsAre("0xffffffff81000010/0", "0xffffffff81000010/0", "0xffffffff81002000/1",
                            "0xffffffff81002000/1", "0xffffffff81000010/0"));
    EXPECT_EQ(anatomy.functions[1].size, 0U);
    EXPECT_EQ(anatomy.functions[1].start, 0xffffffff81002000U);
}

TEST(Walk, without_symbols_a_return_to_no_open_call_enters_a_function) {
    const auto scene = Scene()
                           .run(0x100, "callq 0x500")
                           .run(0x500, "callq 0x50c")
                           .run(0x50c, "retq ")
                           .run(0x200, "retq ")
                           .run(0x104, "nop ");
    EXPECT_THAT(places(scene.dissect()),
                ElementsAre("0x100/0", "0x500/1", "0x50c/2", "0x200/1", "0x100/0"));
}

TEST(Walk, code_between_functions_goes_by_its_address_where_the_others_have_names) {
    const auto scene = three_functions()
                           .run(0x100, "jmp 0x1000")
                           .run(0x1000, "nop ")
                           .run(0x1004, "jmp 0x200")
                           .run(0x200, "nop ");
    EXPECT_THAT(places(scene.dissect()), ElementsAre("f/0", "0x1000/0", "0x1000/0", "g/0"));
}

TEST(Walk, inlined_functions_are_given_with_each_step) {
    const auto scene = three_functions()
                           .inlined(0x104, 0x108, {"outer", "inner"})
                           .run(0x100, "nop ")
                           .run(0x104, "nop ");
    const auto anatomy = scene.dissect();
    EXPECT_THAT(anatomy.steps[0].inlined, ElementsAre());
    EXPECT_THAT(anatomy.steps[1].inlined, ElementsAre("outer", "inner"));
}

TEST(Walk, what_an_exrl_executes_has_a_text_of_its_own) {
    const auto executed = [](const std::string& bytes, const std::string& text) {
        Scene scene(Arch::s390x);
        scene.run(0x10000, text, std::string("\xc6\0\0\0\0\x05", 6)).run(0x10000, text, bytes);
        const auto anatomy = scene.dissect();
        EXPECT_NE(comparable(anatomy.steps)[0], comparable(anatomy.steps)[1]);
        return anatomy.steps[1].text;
    };
    constexpr const char* bytes = ".byte 0xc6, 0x00, 0x00, 0x00, 0x00, 0x05";
    EXPECT_EQ(executed("\x07\xf1", bytes), ".byte 0x07, 0xf1");
    EXPECT_EQ(executed("\x07\xfe", bytes), ".byte 0x07, 0xfe");
    EXPECT_EQ(executed(std::string("\x07\xf1\0\0\0\0", 6), bytes), ".byte 0x07, 0xf1");
    EXPECT_EQ(executed("\x07\xf1", "exrl    %r0, 0x1000a"), ".byte 0x07, 0xf1");
}

TEST(Walk, bytes_that_are_counted_by_name_are_shown_with_it) {
    Scene scene(Arch::s390x);
    scene.run(0x10000, ".byte 0xb2, 0x09, 0xd2, 0xb8", "\xb2\x09\xd2\xb8")
        .run(0x10004, "lg      %r1, 0x2c8(%r0)", 6);
    const auto anatomy = scene.dissect();
    EXPECT_EQ(anatomy.steps[0].text, "stpt (.byte 0xb2, 0x09, 0xd2, 0xb8)");
    EXPECT_EQ(anatomy.steps[1].text, "lg %r1, 0x2c8(%r0)");
}

}  // namespace
}  // namespace kerntoll::lab::path
