// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "lab/path/explain_json.hpp"
#include "lab/path/explain_markdown.hpp"
#include "lab/path/explain_text.hpp"
#include "lab/path/flame.hpp"
#include "lab/path/grid.hpp"
#include "lab/report/plain.hpp"
#include "tests/lines.hpp"
#include "tests/path/round_trip.hpp"

namespace kerntoll::lab::path {
namespace {

using nlohmann::json;
using report::harmless;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Traced getpid(WayOut way_out) {
    return {.target = "linux:a/Image",
            .workload = "getpid",
            .anatomy = getpid_path(way_out, 0xffffffff80001000)};
}

Traced traced(Anatomy anatomy) {
    return {.target = "linux:x", .workload = "open", .anatomy = std::move(anatomy)};
}

/// A function with a name, an instruction and a target that would take a terminal or a page over.
Explanation hostile() {
    const std::string evil = "\x1b[2J<script>`|\n\xff\xe2\x80\xae&\"";
    const auto side = [&](const std::string& instruction) {
        Traced traced{.target = "linux:" + evil,
                      .workload = evil,
                      .anatomy = PathWriter().enter(evil).step(instruction).anatomy()};
        traced.remarks.push_back(evil);
        return traced;
    };
    return explain(side("add " + evil), side("sub " + evil));
}

TEST(Text, leads_with_the_targets_and_the_total) {
    const std::string text = to_text(getpid_explanation(), {100}, Listing::brief);
    EXPECT_THAT(lines_of(text), Contains("A  linux:a/Image"));
    EXPECT_THAT(lines_of(text), Contains("B  linux:b/Image"));
    EXPECT_THAT(lines_of(text), Contains("getpid: 210 → 197 instructions, -13 (-6.19 %)"));
}

TEST(Text, has_a_row_for_every_function_with_its_fate) {
    const std::string text = to_text(getpid_explanation(), {100}, Listing::brief);
    EXPECT_THAT(line_with(text, "handle_exception"),
                MatchesRegex("handle_exception +58 +58 +0  unchanged +[0-9]+"));
    EXPECT_THAT(line_with(text, "do_trap_ecall_u"),
                MatchesRegex("do_trap_ecall_u +44 +53 +\\+9  changed +[0-9]+ → [0-9]+"));
    EXPECT_THAT(line_with(text, "syscall_exit_to_user_mode"),
                MatchesRegex("syscall_exit_to_user_mode +22 +0 +-22  inlined +[0-9]+ → \\?"));
    EXPECT_THAT(line_with(text, "total"), MatchesRegex("total +210 +197 +-13"));
}

TEST(Text, sums_up_the_unchanged_functions_of_long_paths) {
    const auto chain = [](const std::string& text) {
        PathWriter path;
        path.enter("stub").step(text);
        for (int function = 0; function < 30; ++function) {
            path.enter(fmt::format("f{}", function)).steps({"nop", "nop"});
        }
        return traced(path.anatomy());
    };
    const std::string text =
        to_text(explain(chain("add a0"), chain("sub a0")), {100}, Listing::brief);
    EXPECT_THAT(line_with(text, "stub"), MatchesRegex("stub +1 +1 +0  changed.*"));
    EXPECT_THAT(line_with(text, "30 functions"),
                MatchesRegex("30 functions +60 +60 +0  unchanged.*"));
    EXPECT_THAT(text, Not(HasSubstr("f7")));
}

TEST(Text, shows_counts_that_differ_and_names_those_that_do_not) {
    const std::string text = to_text(getpid_explanation(), {100}, Listing::brief);
    EXPECT_THAT(line_with(text, "calls"), MatchesRegex("calls +5 +4 +-1"));
    EXPECT_THAT(lines_of(text), Not(Contains(MatchesRegex("conditional branches +10 .*"))));
    EXPECT_THAT(text, HasSubstr("The same on both: conditional branches 10, indirect branches 2"));
    EXPECT_THAT(text, HasSubstr("csrrw sscratch 3"));
    EXPECT_THAT(line_with(text, "exit "), MatchesRegex("exit +36 +23 +-13"));
}

TEST(Text, lists_the_instructions_that_account_for_the_difference) {
    const std::string text = to_text(getpid_explanation(), {100}, Listing::brief);
    EXPECT_THAT(lines_of(text), Contains("  + csrrci zero,sstatus,2"));
    EXPECT_THAT(line_with(text, "- jal"), HasSubstr("<syscall_exit_to_user_mode>"));
    EXPECT_THAT(lines_of(text), Not(Contains("  - csrrw tp,sscratch,tp")));
}

TEST(Text, lists_a_part_of_many_and_says_how_many_are_left) {
    const Texts many(200, "add a0,a0,a1");
    const auto explanation = explain(traced(PathWriter().enter("f").anatomy()),
                                     traced(PathWriter().enter("f").steps(many).anatomy()));
    const std::string text = to_text(explanation, {100}, Listing::brief);
    EXPECT_EQ(std::ranges::count(lines_of(text), "  + add a0,a0,a1"), 80);
    EXPECT_THAT(text, HasSubstr("… and 120 more instructions: --full lists them"));
}

TEST(Text, shows_both_paths_side_by_side_in_full) {
    const std::string text = to_text(getpid_explanation(), {100}, Listing::full);
    EXPECT_THAT(line_with(text, "csrrw tp,sscratch,tp"),
                MatchesRegex("ffffffff80001000 csrrw tp,sscratch,tp +ffffffff80023000 csrrw "
                             "tp,sscratch,tp"));
    EXPECT_EQ(std::ranges::count(lines_of(text), "do_trap_ecall_u"), 4);  // once for each visit
    EXPECT_THAT(line_with(text, "addi a0,s1,0 "), MatchesRegex("[0-9a-f]{16} addi a0,s1,0 .*"));
    EXPECT_THAT(line_with(text, "andi a4,a3,1024"),
                MatchesRegex(" {49}> [0-9a-f]{16} andi a4,a3,1024"));
    EXPECT_THAT(line_with(text, "andi a5,a4,1024"),
                MatchesRegex("[0-9a-f]{16} andi a5,a4,1024 +<"));
}

TEST(Text, shows_one_path_as_a_tree_with_inlined_frames) {
    const std::string text = to_text(getpid(WayOut::inlined), {100}, Listing::brief);
    EXPECT_THAT(text, HasSubstr("getpid: 197 instructions in 6 functions, 464 bytes of stack"));
    EXPECT_THAT(line_with(text, "handle_exception"),
                MatchesRegex(" +149 +58  stub    handle_exception"));
    EXPECT_THAT(line_with(text, "  do_trap_ecall_u"),
                MatchesRegex(" +91 +43  enter     do_trap_ecall_u"));
    EXPECT_THAT(line_with(text, "(inlined)"),
                MatchesRegex(" +10 +10  exit        exit_to_user_mode_prepare \\(inlined\\)"));
    EXPECT_THAT(text, HasSubstr("csrrw sscratch 3"));
    EXPECT_THAT(text, Not(HasSubstr("ffffffff80001000")));
    EXPECT_THAT(to_text(getpid(WayOut::inlined), {100}, Listing::full),
                HasSubstr("  ffffffff80001000  csrrw tp,sscratch,tp\n"));
}

TEST(Text, keeps_to_the_width_whatever_functions_are_called) {
    const std::string name(300, 'n');
    const auto path = [&](const std::string& text) {
        return traced(PathWriter().enter(name).step(text).anatomy());
    };
    const auto explanation = explain(path("add a0"), path("sub a0"));
    // Held between 80 and 120 columns, as all tables of kerntoll are.
    for (const auto& [asked, held] : {std::pair{40U, 80U}, {90U, 90U}, {200U, 120U}}) {
        std::size_t widest = 0;
        for (const std::string& line : lines_of(to_text(explanation, {asked}, Listing::full))) {
            widest = line == name ? widest : std::max(widest, report::columns_of(line));
        }
        EXPECT_EQ(widest, held);
    }
}

TEST(Text, colours_what_went_and_what_came_when_asked) {
    const auto explanation = getpid_explanation();
    EXPECT_THAT(to_text(explanation, {100, report::Colour::on}, Listing::brief),
                HasSubstr("\x1b[32m  + csrrci zero,sstatus,2\x1b[0m"));
    EXPECT_THAT(to_text(explanation, {100}, Listing::brief), Not(HasSubstr("\x1b")));
}

TEST(Text, prints_nothing_that_a_terminal_obeys) {
    for (const std::string& text :
         {to_text(hostile(), {100}, Listing::brief), to_text(hostile(), {100}, Listing::full),
          to_text(hostile().base, {100}, Listing::full), to_markdown(hostile()),
          to_markdown(hostile().base)}) {
        std::string flat = text;
        std::erase(flat, '\n');
        EXPECT_EQ(harmless(flat), flat);
        EXPECT_THAT(text, HasSubstr("\\x1b[2J"));
    }
}

TEST(Sentences, say_what_went_and_what_holds_it) {
    EXPECT_THAT(sentences(getpid_explanation(), harmless),
                ElementsAre("syscall_exit_to_user_mode is gone (-22); do_trap_ecall_u +9, which "
                            "holds it now.",
                            "The other 5 functions with 144 instructions are the same.",
                            "The images' sizes are not known: give symbols=FILE (System.map, "
                            "vmlinux).",
                            "The code of the functions on the path: 840 → 788 bytes (-52)."));
}

TEST(Sentences, say_that_equal_paths_are_equal) {
    const auto explanation = explain(getpid(WayOut::called), getpid(WayOut::called));
    EXPECT_EQ(sentences(explanation, harmless).front(),
              "Both paths execute the same 210 instructions in the same order.");
    EXPECT_EQ(total_text(explanation), "210 instructions on both paths");
}

TEST(Sentences, sum_up_what_would_make_them_long) {
    const auto chain = [](int functions) {
        PathWriter path;
        path.enter("stub").step("nop");
        for (int function = 0; function < functions; ++function) {
            path.enter(fmt::format("f{}", function))
                .steps(Texts(static_cast<std::size_t>(function + 1), "nop"));
        }
        return traced(path.anatomy());
    };
    EXPECT_EQ(sentences(explain(chain(9), chain(0)), harmless).front(),
              "f8 (-9), f7 (-8), f6 (-7), f5 (-6), f4 (-5), f3 (-4) and 3 others (-6 in all) are "
              "gone.");
    EXPECT_EQ(sentences(explain(chain(0), chain(2)), harmless).front(),
              "f1 (+2) and f0 (+1) are new on the path.");
}

TEST(Sentences, tell_other_instructions_from_more_instructions) {
    const auto explanation =
        explain(traced(body({"add a0,a0,a1", "ret"})), traced(body({"sub a0,a0,a1", "ret"})));
    EXPECT_EQ(sentences(explanation, harmless).front(), "f has other instructions (as many).");
    EXPECT_EQ(total_text(explanation), "2 instructions on both paths");
}

TEST(Markdown, fits_a_commit_message) {
    Traced long_target = getpid(WayOut::called);
    long_target.target =
        "linux:" + std::string(150, 'x') + ",append=\"" + std::string(90, 'y') + " z\"";
    long_target.remarks.emplace_back(
        "3 of 64 round trips took another path; the first of them had 412 instructions.");
    const auto wide = [](const std::string& text) {
        return traced(PathWriter().enter(std::string(100, 'n')).step(text).anatomy());
    };
    const std::string operands(100, 'a');
    for (const std::string& text :
         {to_markdown(explain(wide("add " + operands), wide("sub " + operands))),
          to_markdown(getpid_explanation()), to_markdown(long_target), to_markdown(hostile()),
          to_markdown(explain(long_target, getpid(WayOut::inlined)))}) {
        for (const std::string& line : lines_of(text)) {
            EXPECT_LE(report::columns_of(line), 72U) << line;
        }
    }
}

TEST(Markdown, lists_every_instruction_in_full) {
    const auto explanation = getpid_explanation();
    const std::string text = to_markdown(explanation, Listing::full);
    EXPECT_THAT(lines_of(text), Contains("        csrrw tp,sscratch,tp"));
    EXPECT_THAT(lines_of(text), Contains("      + csrrci zero,sstatus,2"));
    EXPECT_EQ(std::ranges::count(lines_of(text), "    handle_exception"), 1);
    const std::string one = to_markdown(explanation.base, Listing::full);
    EXPECT_THAT(lines_of(one), Contains("        sret"));
    for (const std::string& each : {text, one}) {
        for (const std::string& line : lines_of(each)) {
            EXPECT_LE(report::columns_of(line), 72U) << line;
        }
    }
}

TEST(Markdown, sets_tables_and_code_as_code_and_names_as_names) {
    const std::string text = to_markdown(getpid_explanation());
    EXPECT_THAT(
        lines_of(text),
        Contains(MatchesRegex("    do_trap_ecall_u +44 +53 +\\+9  changed +[0-9]+ → [0-9]+")));
    EXPECT_THAT(text, HasSubstr("* `syscall_exit_to_user_mode` is gone (-22); `do_trap_ecall_u` "
                                "+9, which\n  holds it now.\n"));
    EXPECT_THAT(lines_of(text), Contains("      + csrrci zero,sstatus,2"));
}

TEST(PathJson, has_the_sum_of_its_functions_as_its_difference) {
    const json parsed = json::parse(to_json(getpid_explanation()));
    EXPECT_EQ(parsed["schema"], 1);
    EXPECT_EQ(parsed["command"], "explain");
    EXPECT_EQ(parsed["instructions_difference"], -13);
    int sum = 0;
    for (const json& function : parsed["functions"]) {
        sum += function["instructions_difference"].get<int>();
    }
    EXPECT_EQ(sum, -13);
    EXPECT_EQ(parsed["functions"][5]["fate"], "inlined");
    EXPECT_EQ(parsed["functions"][5]["into"], "do_trap_ecall_u");
    EXPECT_EQ(parsed["functions"][5]["size_bytes"]["change"], nullptr);
    EXPECT_EQ(parsed["functions"][0]["into"], nullptr);
    EXPECT_EQ(parsed["base"]["counts"]["specials"]["csrrw sscratch"], 3);
    EXPECT_EQ(parsed["change"]["phases"]["exit"]["instructions"], 23);
    EXPECT_EQ(parsed["base"]["image"], nullptr);
}

TEST(PathJson, lists_each_instruction_that_only_one_side_has) {
    const json parsed = json::parse(to_json(getpid_explanation()));
    ASSERT_EQ(parsed["instructions"].size(), 35U);
    const json& first = parsed["instructions"][0];
    EXPECT_EQ(first["side"], "base");
    EXPECT_EQ(first["function"], "do_trap_ecall_u");
    EXPECT_THAT(first["address"], testing::StartsWith("0xffffffff8000"));
    std::size_t base = 0;
    std::size_t change = 0;
    for (const json& run : parsed["alignment"]) {
        base += run["base"].is_null() ? 0U : run["steps"].get<std::size_t>();
        change += run["change"].is_null() ? 0U : run["steps"].get<std::size_t>();
    }
    EXPECT_EQ(base, 210U);
    EXPECT_EQ(change, 197U);
}

TEST(PathJson, tells_one_path_step_by_step) {
    const json parsed = json::parse(to_json(getpid(WayOut::inlined)));
    EXPECT_EQ(parsed["command"], "trace");
    ASSERT_EQ(parsed["steps"].size(), 197U);
    EXPECT_EQ(parsed["steps"][0]["text"], "csrrw tp,sscratch,tp");
    EXPECT_EQ(parsed["steps"][3]["accesses"][0]["store"], false);
    EXPECT_EQ(parsed["functions"][1]["visits"], 1);
    EXPECT_EQ(parsed["tree"][0]["children"][0]["name"], "do_trap_ecall_u");
    EXPECT_EQ(parsed["tree"][0]["children"][0]["children"][2]["inlined"], true);
}

TEST(PathJson, is_json_whatever_an_image_says) {
    EXPECT_TRUE(json::accept(to_json(hostile())));
    EXPECT_TRUE(json::accept(to_json(hostile().base)));
}

TEST(Flame, folds_every_instruction_into_its_stack) {
    EXPECT_THAT(
        lines_of(folded(getpid(WayOut::inlined).anatomy)),
        ElementsAre("handle_exception 58", "handle_exception;do_trap_ecall_u 43",
                    "handle_exception;do_trap_ecall_u;syscall_enter_from_user_mode 11",
                    "handle_exception;do_trap_ecall_u;__riscv_sys_getpid 9",
                    "handle_exception;do_trap_ecall_u;__riscv_sys_getpid;__task_pid_nr_ns 18",
                    "handle_exception;do_trap_ecall_u;exit_to_user_mode_prepare_[i] 10",
                    "ret_from_exception 48"));
}

TEST(Flame, keeps_a_semicolon_in_a_name_from_ending_the_frame) {
    EXPECT_EQ(folded(PathWriter().enter("a;b\nc").step("nop").anatomy()), "a,b\\x0ac 1\n");
}

TEST(Flame, gives_speedscope_the_stacks_in_the_order_of_execution) {
    const json parsed = json::parse(speedscope(getpid(WayOut::called).anatomy, "getpid"));
    const json& profile = parsed["profiles"][0];
    EXPECT_EQ(parsed["$schema"], "https://www.speedscope.app/file-format-schema.json");
    EXPECT_EQ(profile["type"], "sampled");
    EXPECT_EQ(profile["unit"], "none");
    EXPECT_EQ(profile["endValue"], 210);
    const auto weights = profile["weights"].get<std::vector<int>>();
    // Out of the stub, through do_trap_ecall_u, and back into it between its calls.
    EXPECT_THAT(weights, ElementsAre(58, 17, 11, 13, 6, 18, 3, 9, 22, 5, 48));
    ASSERT_EQ(profile["samples"].size(), weights.size());
    EXPECT_EQ(profile["samples"][3], json({0, 1}));
    EXPECT_EQ(profile["samples"][7], json({0, 1}));
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0), 210);
}

TEST(Grid, shortens_names_in_the_middle_and_never_within_a_character) {
    EXPECT_EQ(shorten("syscall_exit_to_user_mode", 17), "syscall_exi…_mode");
    EXPECT_EQ(shorten("ααααααααα", 4), "αα…α");
    EXPECT_EQ(shorten("short", 5), "short");
    EXPECT_EQ(shorten("long", 1), "…");
    EXPECT_EQ(shorten("long", 0), "");
}

}  // namespace
}  // namespace kerntoll::lab::path
