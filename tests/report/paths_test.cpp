// SPDX-License-Identifier: MIT
// Count, path and time of a comparison, as they are told together. Every report here is worked out
// from what was stored.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "lab/report/notes.hpp"
#include "lab/report/path_reading.hpp"
#include "lab/report/plain.hpp"
#include "lab/report/render.hpp"
#include "tests/lines.hpp"
#include "tests/report/scene.hpp"

namespace kerntoll::lab::report {
namespace {

using nlohmann::json;
using store::Fate;
using store::FunctionChange;
using store::PathRecord;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> sentences(const Report& report) {
    std::vector<std::string> texts;
    for (const Note& note : notes(report)) {
        texts.push_back(note.text);
    }
    return texts;
}

PathRecord path_of(std::uint32_t arm, std::uint64_t instructions) {
    PathRecord path;
    path.arm = arm;
    path.counts = {.instructions = instructions,
                   .calls = 9,
                   .taken = 33,
                   .indirect = 2,
                   .code_lines = 20,
                   .specials = {{"swapgs", 2}}};
    path.remarks = {"All 100 round trips took this path."};
    return path;
}

/// 348 and 309 instructions per op, and the paths without the loop of four.
struct PathScene {
    Scene scene = emulated_scene();
    PathRecord base = path_of(0, 344);
    PathRecord change = path_of(2, 305);

    PathScene() {
        change.functions = {
            {"entry", Fate::unchanged, "", 100, 100, 500, 500},
            {"do_syscall", Fate::changed, "", 100, 110, 300, 340},
            {"exit_work", Fate::inlined, "do_syscall", 30, 0, 80, 80},
            {"audit", Fate::gone, "", 19, 0, 40, 0},
        };
        scene.arm_effects = {0, 0, -0.05};
    }
    /// Both paths execute the same instructions.
    void same() {
        change.counts = base.counts;
        change.functions = {{"entry", Fate::unchanged, "", 344, 344, 500, 500}};
        scene.counts[1].instructions_per_op = 348;
    }
    [[nodiscard]] Report report() {
        scene.paths = {base, change};
        return scene.report();
    }
    [[nodiscard]] std::vector<std::string> told() { return sentences(report()); }
};

TEST(PathTable, shows_calls_taken_branches_and_lines_beside_the_instructions) {
    PathScene scene;
    scene.change.counts.calls = 8;
    const std::string text = to_text(scene.report(), {120});
    EXPECT_THAT(
        line_with(text, "workload"),
        MatchesRegex("workload +instructions/op +calls +taken branches +code lines +ns/op.*"));
    EXPECT_THAT(line_with(text, "348 →"),
                MatchesRegex("getpid +348 → 309  -39 \\(-11.21 %\\) +9 → 8 +33 +20 +[0-9].*"));
    EXPECT_THAT(to_markdown(scene.report()), HasSubstr("| 9 → 8 | 33 | 20 |"));
}

TEST(PathTable, has_no_such_columns_where_nothing_was_recorded) {
    EXPECT_THAT(to_text(emulated_scene().report(), {120}), Not(HasSubstr("taken branches")));
}

TEST(PathTable, tells_what_has_no_room_under_the_row) {
    PathScene scene;
    scene.scene.run.workloads = {"a_workload_with_a_long_name"};
    EXPECT_THAT(to_text(scene.report(), {80}), HasSubstr("taken branches 33 · code lines 20"));
}

TEST(PathNotes, say_that_an_unchanged_path_leaves_layout_or_the_machine) {
    PathScene scene;
    scene.same();
    const auto told = scene.told();
    EXPECT_THAT(told, Contains("getpid: A and B execute the same number of instructions per op, "
                               "348."));
    EXPECT_THAT(told,
                Contains("getpid: the path of B is unchanged: the same 344 instructions in the "
                         "same order as on A. The difference in time is layout (where the "
                         "code lies) or the machine."));
}

TEST(PathNotes, make_nothing_of_a_time_that_did_not_change_either) {
    PathScene scene;
    scene.same();
    scene.scene.arm_effects = {};
    EXPECT_THAT(scene.told(), Contains("getpid: the path of B is unchanged: the same 344 "
                                       "instructions in the same order as on A."));
}

TEST(PathNotes, say_what_became_of_the_functions_and_where_the_whole_is) {
    PathScene scene;
    EXPECT_THAT(
        scene.told(),
        Contains("getpid: on the path of B, against A: exit_work is gone (-30); do_syscall "
                 "+10, which holds it now. audit is gone (-19). The whole: kerntoll explain "
                 "linux:a/bzImage 'linux:b/bzImage,append=\"x y\"'"));
}

TEST(PathNotes, name_the_serialising_and_system_instructions_that_differ) {
    PathScene scene;
    scene.base.counts.specials = {{"lfence", 3}, {"swapgs", 2}, {"sysretq", 1}};
    scene.change.counts.specials = {{"swapgs", 1}, {"sysretq", 1}, {"verw", 1}};
    EXPECT_THAT(scene.told(), Contains(HasSubstr(" audit is gone (-19). By name: lfence 3 → 0, "
                                                 "swapgs 2 → 1, verw 0 → 1. The whole: ")));
}

TEST(PathNotes, say_that_instructions_changed_and_time_did_not) {
    PathScene scene;
    scene.scene.arm_effects = {};
    EXPECT_THAT(
        scene.told(),
        Contains("getpid: the instructions changed, the time did not: 39 instructions fewer "
                 "per op, and an op takes the same time to within the margin."));
}

TEST(PathNotes, attribute_nothing_where_count_and_time_agree) {
    PathScene scene;
    const auto told = scene.told();
    EXPECT_THAT(told, Contains(StartsWith("getpid: B is faster")));
    EXPECT_THAT(told, Each(Not(HasSubstr("another order"))));
    EXPECT_THAT(told, Each(Not(HasSubstr("Hypothesis"))));
    EXPECT_THAT(told, Contains(HasSubstr("no time is attributed to any of them")));
}

TEST(PathNotes, suspect_what_the_slower_path_has_more_of) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.change.counts.indirect = 3;
    scene.change.counts.code_lines = 22;
    scene.change.counts.taken = 30;
    scene.change.counts.specials["lfence"] = 1;
    scene.change.counts.specials["swapgs"] = 1;
    EXPECT_THAT(
        scene.told(),
        Contains(
            "getpid: the counts predict another order than the time shows: B executes 39 "
            "instructions fewer per op than A, yet an op takes more time. Hypothesis: what B's "
            "path has more of costs more than its number says (from A to B: lfence 0 → 1, "
            "indirect branches 2 → 3, code lines 20 → 22). Emulated time also shows what is "
            "dear to QEMU and not to a processor. To test it, run on hardware, once with A's "
            "kernel booted and once with B's: perf stat -e "
            "cycles:k,instructions:k,branch-misses:k,L1-icache-load-misses:k kerntoll run host "
            "--workload getpid --max-time 30s"));
}

TEST(PathNotes, suspect_what_only_reads_a_register_last) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    for (const char* reg : {"esr_el1", "far_el1", "elr_el1", "spsr_el1", "tpidr_el1", "sp_el0"}) {
        scene.change.counts.specials[std::string("mrs ") + reg] = 1;
    }
    scene.change.counts.specials["msr daifset"] = 1;
    scene.change.counts.indirect = 3;
    scene.change.counts.code_lines = 22;
    scene.change.counts.data_lines = 5;
    EXPECT_THAT(
        scene.told(),
        Contains(AllOf(HasSubstr("(from A to B: msr daifset 0 → 1, indirect branches 2 → 3, code "
                                 "lines 20 → 22, data lines 0 → 5, mrs elr_el1 0 → 1 and 5 more)"),
                       HasSubstr("branch-misses:k,L1-icache-load-misses:k,L1-dcache-load-misses:k "
                                 "kerntoll"))));
}

TEST(PathNotes, test_also_what_has_no_room_in_the_sentence) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    for (const char* name : {"lfence", "cpuid", "rdmsr", "wrmsr", "verw", "invpcid"}) {
        scene.change.counts.specials[name] = 1;
    }
    scene.change.counts.indirect = 3;
    EXPECT_THAT(scene.told(), Contains(AllOf(HasSubstr(" and 2 more)"),
                                             HasSubstr("instructions:k,branch-misses:k "))));
    const json row = json::parse(to_json(scene.report()))["rows"][0];
    EXPECT_EQ(row["path"]["suspects"].size(), 7U);
}

TEST(PathNotes, suspect_the_base_where_more_instructions_take_less_time) {
    PathScene scene;
    scene.scene.counts[1].instructions_per_op = 387;
    scene.change.counts.indirect = 1;
    scene.change.counts.code_lines = 25;
    EXPECT_THAT(scene.told(),
                Contains(AllOf(HasSubstr("B executes 39 instructions more per op than A, yet an op "
                                         "takes less time"),
                               HasSubstr("what A's path has more of"),
                               HasSubstr("(from A to B: indirect branches 2 → 1)"))));
}

TEST(PathNotes, suspect_layout_where_nothing_is_more) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    EXPECT_THAT(
        scene.told(),
        Contains(AllOf(HasSubstr("Nothing that is counted is more on B's path, which leaves "
                                 "layout"),
                       HasSubstr("perf stat -e cycles:k,instructions:k kerntoll"))));
}

TEST(PathNotes, test_a_hypothesis_with_the_treatments_of_each_side) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.scene.run.arms[2].target = "linux:b/bzImage,seccomp=args,cpu=EPYC";
    const Report report = scene.report();
    const auto reading = read_path(report, report.rows.front());
    ASSERT_TRUE(reading);
    EXPECT_THAT(reading->test_commands,
                ElementsAre(HasSubstr("kerntoll run host --workload"),
                            HasSubstr("kerntoll run host,seccomp=args --workload")));
}

TEST(PathNotes, test_hosted_programs_by_what_they_execute_themselves) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.scene.run.arms[0].target = "hosted:exit=outlined";
    scene.scene.run.arms[2].target = "hosted:";
    EXPECT_THAT(scene.told(),
                Contains(AllOf(HasSubstr("To test it, run where this CPU's counters can be read: "
                                         "perf stat -e cycles:u,instructions:u"),
                               HasSubstr("kerntoll run hosted:exit=outlined --workload"),
                               HasSubstr(" and perf stat"), HasSubstr("run hosted: --workload"),
                               Not(HasSubstr(":k")), Not(HasSubstr("boot")))));
}

TEST(PathNotes, test_two_command_lines_of_one_kernel_by_booting_it_with_each) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.scene.run.arms[0].target = "linux:a/bzImage";
    scene.scene.run.arms[2].target = "linux:a/bzImage,append=mitigations=off";
    EXPECT_THAT(scene.told(),
                Contains(HasSubstr("To test it, run on hardware, once with the kernel booted with "
                                   "A's command line (nothing added) and once with B's "
                                   "(\"mitigations=off\"): perf stat")));
    scene.scene.run.arms[2].target = "linux:a/bzImage,seccomp=args";
    EXPECT_THAT(scene.told(),
                Contains(AllOf(HasSubstr("To test it, run on hardware, with that kernel booted: "),
                               HasSubstr(" and perf stat"), HasSubstr("host,seccomp=args"))));
    scene.scene.run.arms[2].target = "linux:a/bzImage,cpu=EPYC";
    EXPECT_THAT(scene.told(), Contains(HasSubstr("To test it, run on processors like A's and like "
                                                 "B's, with that kernel booted: perf stat")));
}

TEST(PathNotes, fit_a_commit_message_as_markdown) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    for (const std::string& line : lines_of(to_markdown(scene.report()))) {
        if (line.starts_with("* ") || line.starts_with("  ")) {
            // A word that is wider stays whole: it may be a command's.
            EXPECT_TRUE(columns_of(line) <= 72 || !line.substr(2).contains(' ')) << line;
        }
    }
}

TEST(PathNotes, do_not_judge_by_a_verdict_that_is_none) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.scene.noise = 0.5;
    EXPECT_THAT(scene.told(), Each(Not(HasSubstr("another order"))));
}

TEST(PathNotes, tell_equal_numbers_from_equal_instructions) {
    PathScene scene;
    scene.scene.counts[1].instructions_per_op = 348;
    const auto told = scene.told();
    EXPECT_THAT(told, Contains("getpid: A and B execute as many instructions, but not the same "
                               "ones, so a difference in time need not be layout."));
    EXPECT_THAT(told, Each(Not(HasSubstr("difference in time is layout"))));
}

TEST(PathNotes, say_which_call_of_several_was_recorded) {
    PathScene scene;
    scene.base.calls_per_op = 5;
    scene.change.calls_per_op = 5;
    EXPECT_THAT(scene.told(), Contains(StartsWith(
                                  "getpid: on the path of B, against A, of call 1 of the 5 that an "
                                  "op makes: ")));
}

TEST(PathNotes, go_by_the_path_where_nothing_was_counted) {
    PathScene scene;
    scene.scene.counts = {};
    scene.scene.arm_effects = {};
    EXPECT_THAT(scene.told(), Contains(HasSubstr("the time did not: 39 instructions fewer")));
}

TEST(PathNotes, say_why_a_path_is_missing) {
    Scene scene = emulated_scene();
    scene.events = {{std::nullopt, 2, "path", "no path of getpid: the recorder is gone.", {}}};
    scene.paths = {path_of(0, 344)};
    const Report report = scene.report();
    EXPECT_THAT(sentences(report), Contains("B: no path of getpid: the recorder is gone."));
    EXPECT_THAT(to_text(report, {120}), Not(HasSubstr("taken branches")));
    EXPECT_TRUE(json::parse(to_json(report))["rows"][0]["path"].is_null());
}

TEST(PathNotes, give_sizes_and_how_each_path_was_recorded_once) {
    PathScene scene;
    scene.base.image.labels = store::ImageSize{1000, 100};
    scene.change.image.labels = store::ImageSize{1040, 100};
    const auto told = scene.told();
    EXPECT_THAT(told, Contains("B against A: The images' code: 1000 → 1040 bytes (+40); their "
                               "read-only data: 100 bytes (0); by the labels around text and "
                               "rodata."));
    EXPECT_THAT(told, Contains("getpid, B against A: The code of the functions on the path: 920 → "
                               "840 bytes (-80)."));
    EXPECT_THAT(told,
                Contains("getpid, B against A: Off the path, but still in B's image: exit_work "
                         "(80 bytes)."));
    EXPECT_THAT(told, Contains("Recorded path, getpid of A, getpid of B: All 100 round trips took "
                               "this path."));
}

TEST(PathJson, has_both_paths_and_what_they_say) {
    PathScene scene;
    scene.scene.arm_effects = {0, 0, 0.05};
    scene.change.counts.indirect = 3;
    scene.base.image.sections = store::ImageSize{1000, 100};
    scene.change.image.sections = store::ImageSize{1040, 100};
    const json row = json::parse(to_json(scene.report()))["rows"][0];
    const json& path = row["path"];
    EXPECT_EQ(path["call"], 1);
    EXPECT_EQ(path["same"], false);
    EXPECT_EQ(path["base"]["counts"]["instructions"], 344);
    EXPECT_EQ(path["change"]["counts"]["indirect"], 3);
    EXPECT_EQ(path["change"]["counts"]["specials"]["swapgs"], 2);
    EXPECT_EQ(path["change"]["image"]["text_bytes"], 1040);
    EXPECT_EQ(path["change"]["image"]["by"], "sections");
    EXPECT_EQ(path["counts_and_time_disagree"], true);
    EXPECT_EQ(path["suspects"], json({"indirect branches 2 → 3"}));
    EXPECT_EQ(path["test_commands"].size(), 1U);
    const json& inlined = path["functions"][2];
    EXPECT_EQ(inlined["name"], "exit_work");
    EXPECT_EQ(inlined["fate"], "inlined");
    EXPECT_EQ(inlined["into"], "do_syscall");
    EXPECT_EQ(inlined["instructions"]["base"], 30);
    EXPECT_EQ(inlined["size_bytes"]["change"], 80);
    EXPECT_EQ(path["functions"][3]["size_bytes"]["change"], 0);
}

TEST(PathJson, is_null_without_paths) {
    const json row = json::parse(to_json(emulated_scene().report()))["rows"][0];
    EXPECT_TRUE(row["path"].is_null());
}

TEST(PathText, cannot_be_made_to_obey_an_image) {
    PathScene scene;
    scene.change.functions[3].name = "\x1b[2J<b>|`";
    scene.change.counts.specials["\x1b[2J"] = 1;
    scene.scene.arm_effects = {0, 0, 0.05};
    const Report report = scene.report();
    for (const std::string& text : {to_text(report, {100}), to_markdown(report), to_json(report)}) {
        EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    }
}

}  // namespace
}  // namespace kerntoll::lab::report
