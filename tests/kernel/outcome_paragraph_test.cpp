// SPDX-License-Identifier: MIT
// The paragraph for a commit message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/report/plain.hpp"
#include "tests/kernel/trial.hpp"
#include "tests/lines.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// A port whose one change was timed, with so many placebos.
PortOutcome timed(Arch arch, Grade grade, std::size_t placebos) {
    PortOutcome port = measured(arch, 214, 201);
    report::Row row;
    row.base = port.report->figures[0];
    row.change = port.report->figures[1];
    row.estimate.replicates = 9;
    row.estimate.effect = 0.005;
    row.estimate.interval95 = {.low = -0.004, .high = 0.013};
    row.decision.verdict = stats::Verdict::undecided;
    row.grade = grade;
    row.placebos.assign(placebos, {.arm = 2, .estimate = {}, .count = {}});
    port.report->rows = {row};
    port.report->replicates = 9;
    return port;
}

std::string on_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

TEST(Paragraph, TellsCountPathAndSizeInTheFormOfACommitMessage) {
    const std::string paragraph = to_paragraph(outcome_of({measured(Arch::riscv64, 214, 201)}));
    EXPECT_THAT(paragraph, StartsWith("getpid on riscv64: 214 → 201 instructions (-6.1 %):\n"
                                      "syscall_exit_to_user_mode -22, do_trap_ecall_u +9; text "
                                      "-100 bytes.\n"));
    EXPECT_THAT(paragraph, HasSubstr("user's loop of 4"));
    EXPECT_THAT(paragraph, Not(HasSubstr("time under")));
}

TEST(Paragraph, IsNotWiderThanSeventyTwoColumnsButForALongerWord) {
    Outcome outcome = outcome_of(
        {measured(Arch::riscv64, 214, 201), measured(Arch::loongarch64, 1234.5, 1230.25)});
    outcome.command.insert(outcome.command.end(), 20, "another.patch");
    for (const std::string& line : lines_of(to_paragraph(outcome))) {
        EXPECT_LE(report::columns_of(line), 72U) << line;
    }
    outcome.command.emplace_back(90, 'x');
    std::size_t wider = 0;
    for (const std::string& line : lines_of(to_paragraph(outcome))) {
        wider += report::columns_of(line) > 72 ? 1 : 0;
    }
    EXPECT_EQ(wider, 1U);
}

TEST(Paragraph, OfMeasuredTimeSaysVerdictGradeAndScope) {
    EXPECT_THAT(
        on_one_line(to_paragraph(outcome_of({timed(Arch::riscv64, Grade::emulated, 1)}))),
        AllOf(HasSubstr("time under emulation: undecided (+0.5 %, 95 % interval [-0.4, +1.3]; 9 "
                        "boots of each)"),
              HasSubstr("Time is emulated, which is no evidence of time on hardware, of these "
                        "very images, held against one build of the base with its code at other "
                        "addresses.")));
}

TEST(Paragraph, SaysOfEachKernelWhatItsTimeIsWorth) {
    const std::string paragraph = on_one_line(to_paragraph(outcome_of(
        {timed(Arch::x86_64, Grade::virtualised, 2), timed(Arch::riscv64, Grade::emulated, 1),
         timed(Arch::arm64, Grade::emulated, 1)})));
    EXPECT_THAT(
        paragraph,
        AllOf(HasSubstr("Time on x86_64 is measured in a virtual machine, of these very images, "
                        "held against 2 builds of the base"),
              HasSubstr("Time on riscv64 and arm64 is emulated, which is no evidence of time on "
                        "hardware, of these very images, held against one build of the base"),
              HasSubstr("time under KVM: undecided"), HasSubstr("time under emulation: ")));
}

TEST(Paragraph, NamesTheKernelThatWasTimedWhereAnotherWasNot) {
    EXPECT_THAT(on_one_line(to_paragraph(outcome_of({timed(Arch::x86_64, Grade::virtualised, 0),
                                                     measured(Arch::riscv64, 214, 201)}))),
                HasSubstr("Time on x86_64 is measured in a virtual machine, of these very images, "
                          "held against no other layout of the base."));
}

TEST(Paragraph, TellsVerdictsInWordsThatNeedNoManual) {
    PortOutcome port = timed(Arch::riscv64, Grade::emulated, 1);
    auto& decision = port.report->rows.front().decision;
    const auto says = [&](stats::Verdict verdict) {
        decision.verdict = verdict;
        return time_text(findings(port).front());
    };
    EXPECT_THAT(says(stats::Verdict::layout_like),
                StartsWith("time under emulation: no more than moving the code alone can do (+0."));
    EXPECT_THAT(says(stats::Verdict::equivalent), HasSubstr(": the same within 0.5 % ("));
    EXPECT_THAT(says(stats::Verdict::untrusted), HasSubstr(": not to be trusted, as the base"));
    EXPECT_THAT(says(stats::Verdict::slower), HasSubstr(": slower (+0.5 %"));
    decision.layout_untested = true;
    EXPECT_THAT(says(stats::Verdict::faster),
                HasSubstr(": faster, and moving the code alone may do as much (+0.5 %"));
    for (const std::string& text :
         {to_paragraph(outcome_of({port})), time_text(findings(port).front())}) {
        EXPECT_THAT(text, AllOf(Not(HasSubstr("scope")), Not(HasSubstr("replicate")),
                                Not(HasSubstr("layout-like"))));
    }
}

TEST(Paragraph, SaysThatTimeToldNothingWhereAnIntervalIsTooWideToTell) {
    PortOutcome port = timed(Arch::riscv64, Grade::emulated, 1);
    port.report->run.run.margin = std::log1p(0.005);
    report::Row& row = port.report->rows.front();
    row.placebos.front().estimate.interval95 = {.low = std::log(0.88), .high = std::log(1.46)};
    const std::string nothing =
        "time under emulation told nothing: noise alone is ±29 % (9 boots of each)";
    for (const auto verdict : {stats::Verdict::undecided, stats::Verdict::layout_like}) {
        row.decision.verdict = verdict;
        EXPECT_EQ(time_text(findings(port).front()), nothing);
        EXPECT_THAT(on_one_line(to_paragraph(outcome_of({port}))),
                    AllOf(HasSubstr(nothing), Not(HasSubstr("95 % interval"))));
    }
    row.estimate.interval95 =
        std::exchange(row.placebos.front().estimate.interval95, {.low = -0.01, .high = 0.01});
    EXPECT_EQ(time_text(findings(port).front()), nothing) << "the change's own is as bad";
    // What excludes zero all the same says something, and what is narrow does.
    row.estimate.interval95 = {.low = 0.1, .high = 0.3};
    row.decision.verdict = stats::Verdict::slower;
    EXPECT_THAT(time_text(findings(port).front()), HasSubstr(": slower ("));
    row.decision.verdict = stats::Verdict::undecided;
    EXPECT_THAT(time_text(findings(port).front()), HasSubstr(": undecided ("));
    // A placebo of too few boots has no interval, which hides nobody else's.
    row.estimate.interval95 = {.low = -0.3, .high = 0.2};
    row.placebos.front().estimate.interval95 = {.low = -std::numeric_limits<double>::infinity(),
                                                .high = std::numeric_limits<double>::infinity()};
    EXPECT_THAT(time_text(findings(port).front()), HasSubstr("told nothing"));
    row.placebos.front().estimate.interval95 = {.low = -0.01, .high = 0.01};
    row.estimate.interval95 = {.low = -0.04, .high = 0.05};
    row.decision.verdict = stats::Verdict::undecided;
    EXPECT_THAT(time_text(findings(port).front()), HasSubstr(": undecided (+1 %"));
}

/// The times of two boots of one image are all noise, whatever verdict they come to.
TEST(Paragraph, TellsNoTimeOfAChangeThatMadeTheBasesImage) {
    PortOutcome port = timed(Arch::riscv64, Grade::emulated, 1);
    port.report->rows.front().decision.verdict = stats::Verdict::layout_like;
    port.sides[1].built.image_sha256 = port.sides[0].built.image_sha256;
    EXPECT_EQ(time_text(findings(port).front()), "");
    EXPECT_THAT(on_one_line(to_paragraph(outcome_of({port}))),
                AllOf(HasSubstr("; the same image."), Not(HasSubstr("time under"))));
    EXPECT_THAT(to_text(outcome_of({port}), {}), Not(HasSubstr("layout-like")));
}

TEST(Paragraph, CallsOnlyExactCountsExact) {
    const auto says = [](const PortOutcome& one, const PortOutcome& other) {
        return on_one_line(to_paragraph(outcome_of({one, other})));
    };
    const PortOutcome exact = measured(Arch::riscv64, 214, 201);
    PortOutcome least = measured(Arch::x86_64, 207, 196);
    least.report->figures[1].count->exact = false;
    PortOutcome none = measured(Arch::arm64, 293, 284);
    for (auto& figures : none.report->figures) {
        figures.count.reset();
    }
    EXPECT_THAT(says(exact, exact),
                HasSubstr("Instructions are exact; per op, with the user's loop of 4 ("));
    EXPECT_THAT(says(exact, least),
                AllOf(HasSubstr("196 instructions (-5.3 %, the least seen)"),
                      HasSubstr("are exact, but for those called the least seen, whose")));
    EXPECT_THAT(says(least, least),
                AllOf(HasSubstr("are the least seen, since"), Not(HasSubstr("exact"))));
    EXPECT_THAT(says(none, none),
                AllOf(HasSubstr("not counted"), Not(HasSubstr("exact")),
                      Not(HasSubstr("user's loop")), HasSubstr("Measured by kerntoll 0.1.0.")));
}

TEST(Paragraph, NamesTheCompilerWhereThereAreTwo) {
    PortOutcome gcc = measured(Arch::riscv64, 214, 201);
    PortOutcome clang = measured(Arch::riscv64, 242, 228);
    clang.toolchain.compiler = Compiler::clang;
    clang.toolchain.version = "clang 19.1.7";
    clang.report->figures[2].count = count(2, 243);
    EXPECT_THAT(on_one_line(to_paragraph(outcome_of({gcc, clang}))),
                HasSubstr("On riscv64, clang 19.1.7, moving code alone"));
}

TEST(Paragraph, EndsWithWhatRepeatsItAndWhatItIsOf) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    port.sides[0].built.config_sha256 = "00112233445566";
    port.sides[1].built.config_sha256 = "8899aabbccddee";
    port.sides[2].built.config_sha256 = "00112233445566";
    Outcome outcome = outcome_of({port});
    outcome.changes = {"0001-inline.patch (SHA-256 aabbccddeeff)"};
    outcome.folder = "/home/u/linux";
    const std::string paragraph = to_paragraph(outcome);
    EXPECT_THAT(paragraph, ::testing::EndsWith("\n\n    kerntoll try 0001-inline.patch\n"));
    EXPECT_THAT(on_one_line(paragraph),
                AllOf(HasSubstr("Change: 0001-inline.patch (SHA-256 aabbccddeeff)."),
                      HasSubstr(".config 001122334455 (+ 0001-inline.patch: 8899aabbccdd), QEMU")));
    port.sides[1].built.config_sha256 = port.sides[0].built.config_sha256;
    EXPECT_THAT(on_one_line(to_paragraph(outcome_of({port}))),
                HasSubstr(".config 001122334455, QEMU"));
}

TEST(Paragraph, NamesThePackageThatTheBaseIs) {
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    EXPECT_THAT(on_one_line(to_paragraph(outcome)),
                HasSubstr("Base: Linux 6.12.117, linux-source-6.12 (content 0123456789ab);"));
    outcome.tree.package = "linux 6.12.117-1";
    for (const std::string& text : {to_paragraph(outcome), to_markdown(outcome)}) {
        EXPECT_THAT(on_one_line(text), HasSubstr("package linux 6.12.117-1"));
    }
    outcome.tree.commit = "89abcdef0123456789";
    EXPECT_THAT(on_one_line(to_paragraph(outcome)), HasSubstr("commit 89abcdef0123"));
}

TEST(Paragraph, GivesNoEffectWithoutAnInterval) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    report::Row row;
    row.change = port.report->figures[1];
    row.estimate.replicates = 2;
    row.estimate.effect = 0.1;
    row.grade = Grade::emulated;
    row.decision.verdict = stats::Verdict::undecided;
    port.report->rows = {row};
    EXPECT_EQ(time_text(findings(port).front()),
              "time under emulation: undecided (2 boots of each)");
}

TEST(Paragraph, SaysWhereNothingDiffers) {
    EXPECT_THAT(to_paragraph(outcome_of({measured(Arch::arm64, 293, 293)})),
                HasSubstr("293 → 293 instructions (the same)"));
}

TEST(Paragraph, OfALadderNamesEveryRung) {
    PortOutcome port = measured(Arch::riscv64, 214, 208);
    port.sides[2] = {.name = "+ 2", .role = store::Role::change, .built = {}, .target = "t"};
    port.report->run.run.arms[2].role = store::Role::change;
    port.report->figures[2].count = count(2, 201);
    EXPECT_THAT(to_paragraph(outcome_of({port})), HasSubstr("214 → 208 → 201 instructions"));
    // Each patch of a series has a commit message of its own.
    const auto all = findings(port);
    EXPECT_EQ(step_text(all[0]), "-6");
    EXPECT_EQ(step_text(all[1]), "-7");
    EXPECT_THAT(to_text(outcome_of({port}), {}), HasSubstr("-13 (-6.07 %)    -7"));
    EXPECT_THAT(to_markdown(outcome_of({port})), HasSubstr("-13 (-6.07 %); step -7 |"));
    EXPECT_THAT(to_markdown(outcome_of({port})), HasSubstr("-6 (-2.80 %) |"));
}

TEST(Paragraph, OfNothingMeasuredIsEmpty) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    port.report.reset();
    port.error = Error{Fault::measurement, "it does not build", {}};
    EXPECT_THAT(to_paragraph(outcome_of({port})), IsEmpty());
    EXPECT_THAT(to_text(outcome_of({port}), {}), HasSubstr("it does not build."));
    EXPECT_THAT(to_markdown(outcome_of({port})), HasSubstr("it does not build."));
}

TEST(Paragraph, SaysWhatLayoutAloneDoesToTheCount) {
    PortOutcome port = measured(Arch::x86_64, 220, 218);
    port.report->figures[2].count = count(2, 221);
    for (std::string text : {to_paragraph(outcome_of({port})), to_markdown(outcome_of({port}))}) {
        std::erase(text, '\n');
        EXPECT_THAT(text, HasSubstr("moving code"));
    }
}

}  // namespace
}  // namespace kerntoll::lab::kernel
