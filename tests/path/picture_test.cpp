// SPDX-License-Identifier: MIT
#include "lab/path/picture.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <regex>
#include <set>

#include "tests/path/round_trip.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Why `text` is no well-formed XML, as far as tags and references go; nothing where it is.
std::optional<std::string> malformed(const std::string& text) {
    std::vector<std::string> open;
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '&') {
            static const std::regex reference("&(amp|lt|gt|quot);.*");
            if (!std::regex_match(text.substr(at, 8), reference)) {
                return "a bare & at " + text.substr(at, 30);
            }
            ++at;
        } else if (text[at] == '>') {
            return "a bare > at " + text.substr(at, 30);
        } else if (text[at] != '<') {
            ++at;
        } else {
            const std::size_t end = text.find('>', at);
            const std::string tag = text.substr(at + 1, end - at - 1);
            if (tag.contains('<')) {
                return "a bare < at " + tag;
            }
            if (tag.starts_with('/')) {
                if (open.empty() || open.back() != tag.substr(1)) {
                    return "</" + tag + " closes nothing";
                }
                open.pop_back();
            } else if (!tag.ends_with('/')) {
                open.push_back(tag.substr(0, tag.find(' ')));
            }
            at = end + 1;
        }
    }
    return open.empty() ? std::nullopt : std::optional("open: " + open.back());
}

struct Rectangle {
    double x = 0;
    double y = 0;
    double width = 0;
};

/// The boxes of a class, in the order in which they are drawn.
std::vector<Rectangle> boxes(const std::string& svg, const std::string& css) {
    const std::regex box("<rect class=\"" + css +
                         "\" x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\"");
    std::vector<Rectangle> found;
    for (std::sregex_iterator each(svg.begin(), svg.end(), box), end; each != end; ++each) {
        found.push_back({std::stod((*each)[1]), std::stod((*each)[2]), std::stod((*each)[3])});
    }
    return found;
}

TEST(Picture, is_a_document_that_needs_nothing_else) {
    const std::string svg = picture(getpid_explanation());
    EXPECT_EQ(malformed(svg), std::nullopt);
    EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("href")));
    EXPECT_THAT(svg, Not(HasSubstr("@import")));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Picture, says_what_it_shows) {
    const std::string svg = picture(getpid_explanation());
    for (const char* text :
         {"getpid: 210 → 197 instructions, -13 (-6.19 %)", "A: linux:a/Image · 210 instructions",
          "B: linux:b/Image · 197 instructions", "only in A: went", "only in B: came",
          "Widths are instructions, not time.", "-22 in syscall_exit_to_user_mode",
          "-2 in do_trap_ecall_u", "+11 in do_trap_ecall_u",
          "syscall_exit_to_user_mode is gone (-22)"}) {
        EXPECT_THAT(svg, HasSubstr(text));
    }
}

TEST(Picture, goes_from_user_to_user_through_every_phase_to_one_scale) {
    const std::string svg = picture(getpid_explanation());
    EXPECT_EQ(boxes(svg, "user").size(), 4U);
    const auto stub = boxes(svg, "stub");
    const auto exit = boxes(svg, "exit");
    ASSERT_EQ(stub.size(), 2U);
    ASSERT_EQ(exit.size(), 2U);
    const double per_instruction = stub[0].width / 58;
    EXPECT_NEAR(stub[1].width, stub[0].width, 0.02);
    EXPECT_NEAR(exit[0].width, 36 * per_instruction, 0.05);
    EXPECT_NEAR(exit[1].width, 23 * per_instruction, 0.05);
    EXPECT_EQ(boxes(svg, "return").size(), 2U);
}

TEST(Picture, hatches_what_went_in_A_and_what_came_in_B) {
    const std::string svg = picture(getpid_explanation());
    const double per_instruction = boxes(svg, "stub")[0].width / 58;
    const double second_strip = boxes(svg, "stub")[1].y;
    const auto went = boxes(svg, "went");
    const auto came = boxes(svg, "came");
    ASSERT_EQ(went.size(), 3U);  // two runs of instructions, and the legend
    ASSERT_EQ(came.size(), 3U);
    EXPECT_NEAR(went[0].width, 2 * per_instruction, 0.02);
    EXPECT_NEAR(went[1].width, 22 * per_instruction, 0.02);
    EXPECT_LT(went[0].y, went[1].y);  // the call stands in do_trap_ecall_u's row
    EXPECT_LT(went[1].y, second_strip);
    EXPECT_NEAR(came[0].width + came[1].width, 11 * per_instruction, 0.02);
    EXPECT_GT(came[0].y, second_strip);
}

TEST(Picture, nests_frames_and_shades_those_that_are_inlined) {
    const std::string svg = picture(getpid_explanation().change);
    const auto functions = boxes(svg, "function");
    const auto inlined = boxes(svg, "inlined");
    ASSERT_EQ(inlined.size(), 2U);  // the frame and the legend's
    EXPECT_GT(inlined[0].y, functions[1].y);
    EXPECT_GT(functions[1].y, functions[0].y);
    EXPECT_GE(inlined[0].x, functions[1].x);
    EXPECT_LE(inlined[0].x + inlined[0].width, functions[1].x + functions[1].width);
    EXPECT_THAT(svg, HasSubstr("exit_to_user_mode_prepare (inlined): 10 instructions"));
}

TEST(Picture, marks_barriers_and_system_instructions_by_name) {
    const std::string svg = picture(getpid_explanation().base);
    for (const char* name : {"csrrsi sstatus", "fence", "sret"}) {
        EXPECT_THAT(svg, HasSubstr(fmt::format(">{}</text>", name)));
    }
    EXPECT_THAT(svg, Not(HasSubstr("went\" x")));
}

TEST(Picture, escapes_names_from_an_image) {
    const std::string evil = "\x1b</title><script>alert(1)</script>&\"\xff";
    const auto side = [&](const std::string& text) {
        return Traced{
            .target = evil,
            .workload = evil,
            .anatomy = PathWriter().enter(evil).steps(Texts(40, "nop")).step(text).anatomy()};
    };
    Explanation explanation = explain(side("csrrw " + evil), side("csrrs " + evil));
    const std::string svg = picture(explanation);
    EXPECT_EQ(malformed(svg), std::nullopt);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
    EXPECT_THAT(svg, Not(HasSubstr("\xff")));
}

TEST(Picture, leaves_out_what_nobody_would_see) {
    PathWriter path;
    path.enter("stub");
    for (int call = 0; call < 4000; ++call) {
        path.call("leaf").step("csrrw zero,sepc,a0").ret();
    }
    path.call("last").steps(Texts(1000, "nop")).step("sret");
    const std::string svg =
        picture(Traced{.target = "linux:x", .workload = "open", .anatomy = path.anatomy()});
    EXPECT_EQ(malformed(svg), std::nullopt);
    EXPECT_EQ(boxes(svg, "function").size(), 2U + 1U);  // stub and last, and the legend's
    EXPECT_LT(svg.size(), 400'000U);                    // ticks that would fall together are one
    const std::regex mark(R"re(class="mark" x="([0-9.]+)" y="[0-9.]+">([^<]*)<)re");
    for (std::sregex_iterator each(svg.begin(), svg.end(), mark), end; each != end; ++each) {
        EXPECT_LT(std::stod((*each)[1]) + 5.4 * static_cast<double>((*each)[2].length()), 1200);
    }
}

TEST(Picture, names_what_differs_at_the_right_edge_to_the_left_of_it) {
    const auto path = [](bool last) {
        PathWriter path;
        path.enter("stub").steps(Texts(500, "nop"));
        for (const char* function : {"nearly_the_last_function", "the_last_function"}) {
            path.enter(function).steps(Texts(last ? 3 : 1, "add a0"));
        }
        return Traced{.target = "linux:x", .workload = "open", .anatomy = path.anatomy()};
    };
    const std::string svg = picture(explain(path(true), path(false)));
    const std::regex label(
        R"re(class="went-text left" x="[0-9.]+" y="([0-9.]+)">-2 in ([a-z_]+)<)re");
    std::vector<std::pair<double, std::string>> found;
    for (std::sregex_iterator each(svg.begin(), svg.end(), label), end; each != end; ++each) {
        found.emplace_back(std::stod((*each)[1]), (*each)[2]);
    }
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].second, "nearly_the_last_function");
    EXPECT_LT(found[0].first, found[1].first);  // else the tick of the first crosses the second
}

TEST(Picture, names_the_first_functions_where_many_differ) {
    const auto chain = [](const std::string& text) {
        PathWriter path;
        for (int function = 0; function < 30; ++function) {
            path.enter(fmt::format("f{}", function)).step(text);
        }
        return Traced{.target = "linux:x", .workload = "open", .anatomy = path.anatomy()};
    };
    const std::string svg = picture(explain(chain("add a0"), chain("sub a0")));
    for (const char* caption : {"-1 in f0<", "-1 in f2<", "+1 in f0<"}) {
        EXPECT_THAT(svg, HasSubstr(caption));
    }
    const std::regex line(R"re(class="went-text" x="[0-9.]+" y="([0-9.]+)")re");
    std::set<std::string> lines;
    for (std::sregex_iterator each(svg.begin(), svg.end(), line), end; each != end; ++each) {
        lines.insert((*each)[1]);
    }
    EXPECT_LE(lines.size(), 4U);
}

TEST(Picture, takes_an_empty_path) {
    EXPECT_EQ(malformed(picture(Traced{.target = "x", .workload = "y", .anatomy = {}})),
              std::nullopt);
}

TEST(Picture, names_a_narrow_function_by_the_last_part_of_its_name) {
    PathWriter path;
    path.enter("stub").steps(Texts(60, "nop")).call("kerntoll::nano::calls::getpid");
    path.steps(Texts(6, "nop")).ret();
    const std::string svg =
        picture(Traced{.target = "a", .workload = "getpid", .anatomy = path.anatomy()});
    EXPECT_THAT(svg, HasSubstr(">getpid<"));
    EXPECT_THAT(svg, HasSubstr("kerntoll::nano::calls::getpid: 7 instructions"));
}

TEST(Picture, explains_what_it_shows_and_nothing_else) {
    const std::string plain =
        picture(Traced{.target = "a", .workload = "getpid", .anatomy = body({"nop", "sret"})});
    EXPECT_THAT(plain, HasSubstr("return restores the registers"));
    EXPECT_THAT(plain, Not(HasSubstr("inlined into")));
    EXPECT_THAT(plain, Not(HasSubstr("told apart")));
    const std::string inside = picture(
        Traced{.target = "a",
               .workload = "getpid",
               .anatomy = PathWriter().phase(Phase::inside).enter("f").step("nop").anatomy()});
    EXPECT_THAT(inside, HasSubstr("told apart"));
    EXPECT_EQ(boxes(inside, "inside").size(), 1U);
}

}  // namespace
}  // namespace kerntoll::lab::path
