// SPDX-License-Identifier: MIT
// The sentences under a table.
#include "lab/report/notes.hpp"

#include <gmock/gmock.h>

#include "lab/report/plain.hpp"
#include "tests/report/scene.hpp"

namespace kerntoll::lab::report {
namespace {

using store::Role;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> sentences(const Report& report) {
    std::vector<std::string> texts;
    for (const Note& note : notes(report)) {
        texts.push_back(note.text);
    }
    return texts;
}

void add_placebo(Scene& scene, double effect, double instructions) {
    scene.run.arms.push_back(scene.run.arms[0]);
    scene.run.arms.back().index = 3;
    scene.run.arms.back().role = Role::placebo;
    scene.arm_effects.resize(3);
    scene.arm_effects.push_back(effect);
    scene.counts.push_back({3, 0, instructions, 4, true});
}

TEST(Notes, say_slower_and_faster_and_by_how_much) {
    Scene scene = host_scene();
    scene.arm_effects = {0, 0, 0.05};
    EXPECT_THAT(sentences(scene.report()),
                Contains(AllOf(StartsWith("getpid: B is slower: an op takes 5.1"),
                               HasSubstr("% more time than on A."), Not(HasSubstr("untested")))));
    Scene other = host_scene();
    other.arm_effects = {0, 0, -0.05};
    EXPECT_THAT(sentences(other.report()),
                Contains(AllOf(StartsWith("mix: B is faster: an op takes 4.9"),
                               HasSubstr("% less time than on A."))));
}

TEST(Notes, say_equivalent_and_within_what) {
    EXPECT_THAT(sentences(host_scene().report()),
                Contains(AllOf(StartsWith("getpid: B is equivalent"),
                               HasSubstr("within the margin of 0.5 %"))));
}

TEST(Notes, say_what_an_undecided_row_would_take) {
    Scene scene = host_scene();
    scene.noise = 0.02;
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Contains(AllOf(
                           StartsWith("getpid: B is undecided: "),
                           HasSubstr("An interval of ±0.17 % would take about"),
                           HasSubstr("more at this pace: kerntoll resume 1 --db " +
                                     shell_word(scene.store().path().string()) + " --max-time "))));
}

TEST(Notes, do_not_send_anyone_to_measure_for_days) {
    Scene scene = host_scene();
    scene.noise = 2;
    EXPECT_THAT(sentences(scene.report()),
                Contains(AllOf(StartsWith("getpid: B is undecided"), HasSubstr(" days more at"),
                               Not(HasSubstr("resume")))));
}

TEST(Notes, say_untrusted_and_what_to_do) {
    Scene scene = host_scene();
    scene.arm_effects = {0, 0.03, 0};
    EXPECT_THAT(sentences(scene.report()),
                Contains(AllOf(StartsWith("getpid: B is untrusted: the control"),
                               HasSubstr("kerntoll doctor"))));
}

TEST(Notes, say_that_layout_is_untested_without_placebos) {
    EXPECT_THAT(sentences(emulated_scene().report()),
                Contains(AllOf(HasSubstr("B is slower"), HasSubstr("Layout untested"),
                               HasSubstr("--placebo"))));
}

TEST(Notes, say_layout_for_equal_counts_and_another_time) {
    Scene scene = emulated_scene();
    scene.counts[1].instructions_per_op = 348;
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Contains(StartsWith("getpid: B is layout-like: ")));
    EXPECT_THAT(texts, Contains("getpid: A and B execute the same number of instructions per op, "
                                "348: their difference in time is layout."));
}

TEST(Notes, give_the_counts_difference_and_the_loop) {
    const auto texts = sentences(emulated_scene().report());
    EXPECT_THAT(texts, Contains("getpid: B executes 39 instructions fewer per op than A (-11.21 "
                                "%), exactly."));
    EXPECT_THAT(
        texts,
        Contains("Instructions hold the user's own loop, the instruction that makes the call "
                 "included: "
                 "getpid 4."));
}

TEST(Notes, do_not_call_a_varying_count_exact) {
    Scene scene = emulated_scene();
    scene.counts[1].exact = false;
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Each(Not(HasSubstr("exactly"))));
    EXPECT_THAT(texts, Contains(AllOf(HasSubstr("Not the same count in every batch"),
                                      HasSubstr("getpid of B"))));
}

TEST(Notes, do_not_call_varying_counts_equal) {
    Scene scene = emulated_scene();
    scene.counts[1].instructions_per_op = 348;
    scene.counts[1].exact = false;
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Each(Not(HasSubstr("the same number of instructions"))));
    EXPECT_THAT(texts, Contains(HasSubstr("at least 348 instructions per op")));
}

TEST(Notes, never_let_emulated_time_stand_alone) {
    const std::string sentence = "Emulated time is never evidence of hardware time";
    EXPECT_THAT(sentences(emulated_scene().report()), Contains(StartsWith(sentence)));
    EXPECT_THAT(sentences(host_scene().report()), Each(Not(HasSubstr(sentence))));
}

TEST(Notes, give_control_and_placebos) {
    Scene scene = emulated_scene();
    add_placebo(scene, 0.06, 348);
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Contains(StartsWith("Control, A brought up a second time, against A: "
                                           "getpid ")));
    EXPECT_THAT(texts, Contains(StartsWith("Placebo P against A: getpid +6.")));
    EXPECT_THAT(texts, Each(Not(HasSubstr("is not a placebo"))));
}

TEST(Notes, tell_a_placebo_that_is_none) {
    Scene scene = emulated_scene();
    add_placebo(scene, 0.06, 340);
    EXPECT_THAT(sentences(scene.report()),
                Contains("P is not a placebo of A: it executes 340 instructions per op of getpid, "
                         "and A 348, so its time does not widen what is layout."));
}

TEST(Notes, mention_the_correction_where_there_is_one) {
    EXPECT_THAT(sentences(host_scene().report()),
                Contains(HasSubstr("corrected for 2 comparisons (Holm)")));
    EXPECT_THAT(sentences(emulated_scene().report()), Each(Not(HasSubstr("Holm"))));
}

TEST(Notes, show_replicates_that_failed_with_the_last_console) {
    Scene scene = host_scene();
    scene.events = {{3, 0, "fault", "first", {}},
                    {9, 2, "fault", "the guest hung", {"line 1", "line 2"}}};
    const auto all = notes(scene.report());
    const auto note = std::ranges::find_if(
        all, [](const Note& each) { return each.text.contains("the guest hung"); });
    ASSERT_NE(note, all.end());
    EXPECT_EQ(note->text,
              "2 replicates failed and do not count; the last, B in replicate 9: the guest hung.");
    EXPECT_THAT(note->console, testing::ElementsAre("line 1", "line 2"));
}

TEST(Notes, say_how_to_go_on_after_an_interruption) {
    Scene scene = host_scene();
    scene.state = store::RunState::interrupted;
    scene.why = "Ctrl-C";
    EXPECT_THAT(
        sentences(scene.report()),
        Contains("Interrupted after 30 replicates in 60 s (Ctrl-C); kerntoll resume 1 --db " +
                 shell_word(scene.store().path().string()) + " goes on."));
}

TEST(Notes, say_why_a_run_failed) {
    Scene scene = host_scene();
    scene.replicates = 0;
    scene.state = store::RunState::failed;
    scene.why = "the guest did not boot";
    EXPECT_THAT(sentences(scene.report()),
                Contains("The measurement failed after 0 replicates in 0 s: the guest did not "
                         "boot."));
}

TEST(Notes, give_a_remark_of_several_arms_once) {
    Scene scene = host_scene();
    scene.run.arms[0].remarks = {"no KVM here"};
    scene.run.arms[1].remarks = {"no KVM here"};
    scene.run.arms[2].remarks = {"no KVM here", "only mine"};
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Contains("A, B: no KVM here"));
    EXPECT_THAT(texts, Contains("B: only mine"));
}

TEST(Notes, give_provenance_once_and_the_leading_facts_of_it) {
    Scene scene = host_scene();
    scene.run.environment = {{"cpu_model", "EPYC"}, {"governor", "none"}, {"system", "Debian"}};
    scene.run.arms[0].provenance = {{"cpu_model", "EPYC"},
                                    {"qemu_version", "7.2"},
                                    {"image_sha256", std::string(64, 'a')},
                                    {"command_line", std::string(200, 'z')},
                                    {"kernel_release", ""}};
    scene.run.arms[2].provenance = {
        {"cpu_model", "EPYC"}, {"qemu_version", "7.2"}, {"image_sha256", std::string(64, 'b')}};
    const auto texts = sentences(scene.report());
    EXPECT_THAT(texts, Contains("Machine: cpu_model EPYC · governor none"));
    EXPECT_THAT(texts, Contains("All arms: qemu_version 7.2"));
    EXPECT_THAT(texts, Contains("A: image_sha256 aaaaaaaaaaaa · command_line " +
                                std::string(60, 'z') + "…"));
    EXPECT_THAT(texts, Contains("B: image_sha256 bbbbbbbbbbbb"));
}

TEST(Notes, tell_what_was_proved_once) {
    Scene scene = host_scene();
    scene.run.workloads = {"getpid", "close"};
    scene.events = {{0, 0, "proof", "getpid in a child answers 17", {}},
                    {0, 1, "proof", "getpid in a child answers 18", {}},
                    {0, 2, "proof", "getpid in a child answers 19", {}},
                    {0, 0, "proof", "dup answers what was free", {}},
                    {0, 1, "proof", "dup answers what was free", {}}};
    EXPECT_THAT(sentences(scene.report()),
                Contains("Proved on some arms: getpid in a child answers 17; dup answers what was "
                         "free."));
    scene.events.push_back({0, 2, "proof", "dup answers what was free", {}});
    Scene complete(scene.run);
    complete.events = scene.events;
    EXPECT_THAT(sentences(complete.report()),
                Contains("Proved on every arm: getpid in a child answers 17; dup answers what was "
                         "free."));
}

TEST(Notes, repeat_a_run_with_its_seed) {
    Scene scene = emulated_scene();
    EXPECT_THAT(repeat_command(scene.report().run),
                "kerntoll compare linux:a/bzImage 'linux:b/bzImage,append=\"x y\"' --seed "
                "18364758544493064720");
    scene.run.argv = {"kerntoll", "compare", "host", "host", "--seed", "5"};
    Scene seeded(scene.run);
    EXPECT_EQ(repeat_command(seeded.report().run), "kerntoll compare host host --seed 5");
}

TEST(Notes, name_modes_where_there_are_some) {
    Report report = host_scene().report();
    report.figures[0].modes = {{103.2, 31}, {127.4, 9}};
    EXPECT_THAT(sentences(report), Contains("getpid: A has 2 layouts: 103 ns (31 replicates) and "
                                            "127 ns (9 replicates)."));
}

}  // namespace
}  // namespace kerntoll::lab::report
