// SPDX-License-Identifier: MIT
#include "lab/report/render.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "lab/report/plain.hpp"
#include "tests/lines.hpp"
#include "tests/report/scene.hpp"

namespace kerntoll::lab::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST(Text, leads_with_the_counts_and_then_the_times) {
    const std::string text = to_text(emulated_scene().report(), {120});
    EXPECT_THAT(line_with(text, "workload"),
                MatchesRegex("workload +instructions/op +ns/op +effect +95 % interval +verdict "
                             "+replicates +scope +grade"));
    EXPECT_THAT(line_with(text, "348 →"),
                MatchesRegex("getpid +348 → 309  -39 \\(-11.21 %\\) +[0-9.]+ → [0-9.]+ +\\+5.1. % +"
                             "\\[\\+5.0., \\+5.1.\\] +slower +30  images  emulated"));
}

TEST(Text, names_the_targets_behind_the_letters) {
    const std::string text = to_text(emulated_scene().report(), {120});
    EXPECT_THAT(text, StartsWith("A  linux:a/bzImage\nB  linux:b/bzImage,append=\"x y\"\n"));
}

TEST(Text, shows_a_dot_for_every_replicate_under_its_row) {
    const std::string text = to_text(emulated_scene().report(), {120});
    EXPECT_THAT(line_with(text, "] +"),
                MatchesRegex(" +\\+4[.0-9]+ % \\[[· •●█|]+\\] \\+5[.0-9]+ %"));
}

TEST(Text, keeps_to_the_width_asked_for) {
    for (const std::size_t width : {80U, 100U, 120U}) {
        const auto lines = lines_of(to_text(emulated_scene().report(), {width}));
        for (const std::string& line : lines) {
            EXPECT_LE(columns_of(line), width) << line;
        }
    }
}

TEST(Text, moves_columns_under_the_row_where_there_is_no_room) {
    const std::string text = to_text(emulated_scene().report(), {80});
    EXPECT_THAT(line_with(text, "workload"), Not(HasSubstr("grade")));
    EXPECT_THAT(line_with(text, "emulated"), HasSubstr("30 replicates · images · emulated"));
}

TEST(Text, holds_a_ridiculous_width_within_bounds) {
    EXPECT_EQ(to_text(emulated_scene().report(), {3}), to_text(emulated_scene().report(), {80}));
}

TEST(Text, is_coloured_only_when_asked) {
    const Report report = emulated_scene().report();
    EXPECT_THAT(to_text(report, {100, Colour::off}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(to_text(report, {100, Colour::on}), HasSubstr("\x1b[1;31mslower"));
}

TEST(Text, cannot_be_made_to_obey_a_guest) {
    Scene scene = host_scene();
    const std::string evil =
        "\x1b]0;owned\x07\x1b[2J\r\xc2\x9b"
        "1m\xff";
    scene.run.arms[2].target = evil;
    scene.run.arms[2].remarks = {evil};
    scene.run.arms[2].provenance = {{"kernel_release", evil}, {evil, evil}};
    scene.run.workloads[0] = evil;
    scene.run.argv.push_back(evil);
    scene.run.environment = {{"cpu_model", evil}};
    scene.why = evil;
    scene.events = {{1, 2, "fault", evil, {evil, evil}}, {1, 2, "proof", evil, {}}};
    const Report report = scene.report();
    for (const std::string& text : {to_text(report, {100}), to_markdown(report), to_json(report),
                                    to_text(store::must(scene.store().list()), Style{}),
                                    to_markdown(store::must(scene.store().list())),
                                    to_json(store::must(scene.store().list()))}) {
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            ASSERT_TRUE(byte >= 0x20 && byte != 0x7f || c == '\n') << static_cast<int>(byte);
        }
        // JSON may hold the C1 control as a character; what is printed to a terminal may not.
        EXPECT_THAT(text, Not(HasSubstr("\xff")));
    }
    EXPECT_THAT(to_text(report, {100}), Not(HasSubstr("\xc2\x9b")));
    EXPECT_THAT(to_markdown(report), Not(HasSubstr("\xc2\x9b")));
}

TEST(Text, of_one_target_shows_absolute_figures) {
    Scene scene = host_scene();
    scene.run.command = "run";
    scene.run.arms.resize(1);
    const std::string text = to_text(scene.report(), {100});
    EXPECT_THAT(line_with(text, "workload"),
                MatchesRegex("workload +ns/op +95 % interval +least to most +replicates +grade"));
    EXPECT_THAT(line_with(text, "getpid"),
                MatchesRegex("getpid +[0-9.]+ +\\[[0-9.]+, [0-9.]+\\] +[0-9.]+ to [0-9.]+ +30 "
                             "+virtualised"));
    EXPECT_THAT(text, HasSubstr("ticks/op 200.0"));
}

TEST(Text, of_counts_compares_with_the_first_target) {
    Scene scene = emulated_scene();
    scene.run.command = "count";
    scene.replicates = 0;
    const std::string text = to_text(scene.report(), {100});
    EXPECT_THAT(line_with(text, "workload"),
                MatchesRegex("workload +target +instructions/op +of which loop +against A"));
    EXPECT_THAT(line_with(text, "309"), MatchesRegex("getpid +B +309 +4  -39 \\(-11.21 %\\)"));
    EXPECT_THAT(text, Not(HasSubstr("undecided")));
}

TEST(Text, of_several_changes_tells_them_apart) {
    Scene scene = host_scene();
    scene.run.arms.push_back(scene.run.arms[2]);
    scene.run.arms[3].index = 3;
    scene.arm_effects = {0, 0, 0.05, -0.05};
    const std::string text = to_text(scene.report(), {120});
    EXPECT_THAT(line_with(text, "+5.1"), MatchesRegex("getpid +B .*slower.*"));
    EXPECT_THAT(line_with(text, "-4.8"), MatchesRegex("getpid +C .*faster.*"));
}

TEST(Markdown, is_a_table_and_a_list) {
    const std::string text = to_markdown(emulated_scene().report());
    EXPECT_THAT(text, StartsWith("* A: `linux:a/bzImage`\n"));
    EXPECT_THAT(text, HasSubstr("| workload | instructions/op | ns/op | effect | 95 % interval | "
                                "verdict | replicates | scope | grade |\n"
                                "|---|---|---:|---:|---|---|---:|---|---|\n"
                                "| getpid | 348 → 309  -39 (-11.21 %) |"));
    EXPECT_THAT(text, HasSubstr("| **slower** | 30 | images | emulated |"));
    EXPECT_THAT(text, HasSubstr("* Emulated time is never evidence"));
}

TEST(Markdown, fences_a_console_that_holds_fences) {
    Scene scene = host_scene();
    scene.events = {{1, 2, "fault", "hung", {"```", "x"}}};
    EXPECT_THAT(to_markdown(scene.report()), HasSubstr("  ````\n  ```\n  x\n  ````\n"));
}

TEST(Runs, are_listed_one_a_line) {
    Scene scene = host_scene();
    (void)scene.report();
    const auto runs = store::must(scene.store().list());
    const std::string text = to_text(runs, Style{120});
    EXPECT_THAT(lines_of(text)[1],
                MatchesRegex(" +1  20[0-9 :-]+  finished +30 +60 s  compare host host,seccomp=args "
                             "\\(getpid,mix\\)"));
    EXPECT_THAT(to_text(std::span<const store::RunSummary>{}, Style{}), HasSubstr("no runs"));
    EXPECT_THAT(to_markdown(runs), HasSubstr("| `host` `host,seccomp=args` | getpid, mix |"));
    const auto json = nlohmann::json::parse(to_json(runs));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["runs"][0]["run_id"], 1);
    EXPECT_EQ(json["runs"][0]["state"], "finished");
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.push_back(key);
    }
    return keys;
}

// These keys are what scripts rely on: a key that goes away or moves is a new schema version, and
// docs/json.md says so.
TEST(Json, keeps_its_keys) {
    const auto json = nlohmann::ordered_json::parse(to_json(emulated_scene().report()));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_THAT(keys_of(json),
                ElementsAre("schema", "run_id", "command", "state", "why", "started", "seconds",
                            "replicates", "version", "seed", "margin_percent", "precision_percent",
                            "rows", "arms", "environment", "events", "notes", "repeat", "resume"));
    EXPECT_THAT(keys_of(json["rows"][0]),
                ElementsAre("run_id", "workload", "base", "change", "verdict", "effect_percent",
                            "interval_percent", "replicates", "scope", "grade",
                            "instructions_per_op", "loop_instructions", "instructions_exact",
                            "ns_per_op", "ticks_per_op", "hardware_counters", "path", "reason",
                            "layout_untested", "adjusted_p", "control", "placebos",
                            "between_replicates_share", "smallest_detectable_percent", "modes",
                            "to_reach_precision", "replicate_effects_percent"));
}

TEST(Json, has_the_values_that_scripts_rely_on) {
    const auto json = nlohmann::json::parse(to_json(emulated_scene().report()));
    const auto& row = json["rows"][0];
    EXPECT_EQ(row["verdict"], "slower");
    EXPECT_NEAR(row["effect_percent"].get<double>(), 5.13, 0.2);
    EXPECT_LT(row["interval_percent"][0], row["effect_percent"]);
    EXPECT_GT(row["interval_percent"][1], row["effect_percent"]);
    EXPECT_NEAR(row["ns_per_op"]["base"].get<double>(), 100, 0.3);
    EXPECT_NEAR(row["ns_per_op"]["change"].get<double>(), 105.1, 0.3);
    EXPECT_EQ(row["instructions_per_op"]["base"], 348);
    EXPECT_EQ(row["instructions_per_op"]["change"], 309);
    EXPECT_EQ(row["grade"], "emulated");
    EXPECT_EQ(row["replicates"], 30);
    EXPECT_EQ(row["run_id"], 1);
    EXPECT_EQ(json["seed"], "18364758544493064720");
    EXPECT_EQ(json["arms"][2]["label"], "B");
}

TEST(Json, of_a_run_that_measured_nothing_claims_nothing) {
    Scene scene = host_scene();
    scene.replicates = 0;
    const auto json = nlohmann::json::parse(to_json(scene.report()));
    const auto& row = json["rows"][0];
    EXPECT_EQ(row["verdict"], "undecided");
    EXPECT_TRUE(row["effect_percent"].is_null());
    EXPECT_TRUE(row["interval_percent"][0].is_null());
    EXPECT_TRUE(row["ns_per_op"]["base"].is_null());
}

TEST(Json, of_one_target_and_of_counts_has_a_row_for_each_target) {
    Scene alone = host_scene();
    alone.run.command = "run";
    alone.run.arms.resize(1);
    const auto json = nlohmann::json::parse(to_json(alone.report()));
    ASSERT_EQ(json["rows"].size(), 2U);
    EXPECT_EQ(json["rows"][1]["workload"], "mix");
    EXPECT_EQ(json["rows"][1]["target"], "host");
    EXPECT_NEAR(json["rows"][1]["ns_per_op"].get<double>(), 100, 0.3);
    Scene counted = emulated_scene();
    counted.run.command = "count";
    counted.replicates = 0;
    const auto counts = nlohmann::json::parse(to_json(counted.report()));
    ASSERT_EQ(counts["rows"].size(), 3U);
    EXPECT_EQ(counts["rows"][0]["instructions_per_op"], 348);
    EXPECT_EQ(counts["rows"][2]["instructions_difference"], -39);
    EXPECT_EQ(counts["rows"][2]["loop_instructions"], 4);
}

}  // namespace
}  // namespace kerntoll::lab::report
