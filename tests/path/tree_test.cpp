// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

/// The tree in one line: "f@0 1/3(g@1 2/2)" is f from step 0 on, with 1 instruction of its own
/// of 3. Inlined frames have a tilde.
std::string text(const std::vector<Frame>& frames) {
    std::string line;
    for (const Frame& frame : frames) {
        line += fmt::format("{}{}{}@{} {}/{}", line.empty() ? "" : " ", frame.inlined ? "~" : "",
                            frame.name, frame.first_step, frame.own, frame.total);
        if (!frame.children.empty()) {
            line += "(" + text(frame.children) + ")";
        }
    }
    return line;
}

Scene scene_of_three() {
    Scene scene;
    scene.function("f", 0x100, 0x200).function("g", 0x200, 0x300).function("h", 0x300, 0x400);
    return scene;
}

TEST(Tree, calls_nest_in_path_order_and_totals_add_up) {
    const auto scene = scene_of_three()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "callq 0x300")
                           .run(0x300, "retq ")
                           .run(0x204, "retq ")
                           .run(0x104, "callq 0x208")
                           .run(0x208, "nop ")
                           .run(0x20c, "retq ")
                           .run(0x108, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 3/8(g@1 2/3(h@2 1/1) g@5 2/2)");
}

TEST(Tree, a_tail_call_stands_beside_the_function_that_made_it) {
    const auto scene = scene_of_three()
                           .run(0x100, "callq 0x200")
                           .run(0x200, "jmp 0x300")
                           .run(0x300, "retq ")
                           .run(0x104, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 2/4(g@1 1/1 h@2 1/1)");
}

TEST(Tree, the_stubs_labels_are_its_roots) {
    const auto scene = scene_of_three()
                           .run(0x1fc, "nop ")
                           .run(0x200, "callq 0x300")
                           .run(0x300, "retq ")
                           .run(0x204, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 1/1 g@1 2/3(h@2 1/1)");
}

TEST(Tree, inlined_functions_are_frames_and_hold_what_they_call) {
    const auto scene = scene_of_three()
                           .inlined(0x104, 0x10c, {"outer"})
                           .inlined(0x108, 0x10c, {"outer", "inner"})
                           .run(0x100, "nop ")
                           .run(0x104, "nop ")
                           .run(0x108, "callq 0x200")
                           .run(0x200, "retq ")
                           .run(0x10c, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 2/5(~outer@1 1/3(~inner@2 1/2(g@3 1/1)))");
}

TEST(Tree, an_inlined_frame_goes_on_over_instructions_of_the_function_around_it) {
    const auto scene = scene_of_three()
                           .inlined(0x100, 0x104, {"a"})
                           .inlined(0x108, 0x10c, {"a"})
                           .inlined(0x10c, 0x110, {"b"})
                           .inlined(0x110, 0x114, {"a"})
                           .run(0x100, "nop ")
                           .run(0x104, "nop ")
                           .run(0x108, "nop ")
                           .run(0x10c, "nop ")
                           .run(0x110, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 1/5(~a@0 2/2 ~b@3 1/1 ~a@4 1/1)");
}

TEST(Tree, a_function_is_not_taken_for_an_inlined_one_of_its_name) {
    const auto scene = scene_of_three()
                           .inlined(0x104, 0x108, {"g"})
                           .run(0x100, "callq 0x200")
                           .run(0x200, "retq ")
                           .run(0x104, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 1/3(g@1 1/1 ~g@2 1/1)");
}

TEST(Tree, a_call_within_a_function_stays_in_its_frame) {
    const auto scene = scene_of_three()
                           .run(0x100, "callq 0x108")
                           .run(0x108, "callq 0x200")
                           .run(0x200, "retq ")
                           .run(0x10c, "retq ")
                           .run(0x104, "nop ");
    EXPECT_EQ(text(scene.dissect().tree), "f@0 4/5(g@2 1/1)");
}

}  // namespace
}  // namespace kerntoll::lab::path
