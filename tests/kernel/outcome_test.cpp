// SPDX-License-Identifier: MIT
// What a trial is told as: the paragraph for a commit message, the block for a cover letter.
#include "lab/kernel/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/report/plain.hpp"
#include "tests/lines.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

store::CountRecord count(std::uint32_t arm, double instructions) {
    return {.arm = arm,
            .workload = 0,
            .instructions_per_op = instructions,
            .loop_instructions = 4,
            .exact = true};
}

store::PathRecord path(std::uint32_t arm, std::vector<store::FunctionChange> functions) {
    store::PathRecord record;
    record.arm = arm;
    record.functions = std::move(functions);
    return record;
}

store::FunctionChange function(const std::string& name, std::uint64_t base, std::uint64_t change) {
    return {.name = name,
            .fate = change == 0 ? store::Fate::gone : store::Fate::changed,
            .base = base,
            .change = change};
}

/// A port as it comes from the results file: base, one change, one placebo.
PortOutcome measured(Arch arch, double base, double change) {
    PortOutcome port;
    port.arch = arch;
    port.toolchain = {.version = "gcc 12.2.0", .identity = "", .variables = {}};
    const std::vector<std::pair<std::string, store::Role>> sides{
        {"base", store::Role::base},
        {"+ 0001-inline.patch", store::Role::change},
        {"placebo 1", store::Role::placebo}};
    report::Report report;
    report.run.id = 7;
    report.run.run.command = "count";
    report.run.run.workloads = {"getpid"};
    for (std::uint32_t arm = 0; arm < sides.size(); ++arm) {
        port.sides.push_back({.name = sides[arm].first,
                              .role = sides[arm].second,
                              .built = {},
                              .target = "linux:/cache/" + std::to_string(arm)});
        port.sides.back().built.code_bytes = arm == 1 ? 4900 : 5000;
        store::ArmRecord record;
        record.index = arm;
        record.role = sides[arm].second;
        record.provenance = {{"qemu_version", "7.2.22 (Debian 1:7.2)"}, {"cpu_model", "rv64"}};
        report.run.run.arms.push_back(record);
        report::Figures figures;
        figures.arm = arm;
        figures.count = count(arm, arm == 1 ? change : base);
        report.figures.push_back(figures);
    }
    report.figures[0].path = path(0, {});
    report.figures[1].path = path(
        1, {function("do_trap_ecall_u", 44, 53), function("syscall_exit_to_user_mode", 22, 0)});
    port.report = report;
    return port;
}

Outcome outcome_of(std::vector<PortOutcome> ports) {
    Outcome outcome;
    outcome.tree = {.path = "/linux",
                    .version = "6.12.117",
                    .commit = "",
                    .named = "linux-source-6.12",
                    .content = "0123456789abcdef"};
    outcome.configuration = "tinyconfig and fragments";
    outcome.command = {"kerntoll", "try", "0001-inline.patch"};
    outcome.version = "0.1.0";
    outcome.ports = std::move(ports);
    return outcome;
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

TEST(TrialTable, RepeatsItFromTheFolderAndCommitThatItWasGivenIn) {
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    outcome.folder = "/home/u/my linux";
    outcome.head = "0123456789abcdef0123";
    EXPECT_THAT(to_text(outcome, {}),
                HasSubstr("\nRepeat it, with 0123456789ab checked out: cd '/home/u/my linux' && "
                          "kerntoll try 0001-inline.patch\n"));
    EXPECT_THAT(to_markdown(outcome), HasSubstr("\nRepeat it, with 0123456789ab checked out:\n"));
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

TEST(FunctionsText, SumsUpWhatIsTooMuchForALine) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    std::vector<store::FunctionChange> many;
    for (std::uint64_t index = 0; index < 7; ++index) {
        many.push_back(function("f" + std::to_string(index), 10, 11 + index));
    }
    port.report->figures[1].path->functions = many;
    EXPECT_EQ(functions_text(findings(port).front()), "f6 +7, f5 +6, f4 +5, f3 +4, 3 others +6");
}

TEST(FunctionsText, SaysOfWhichCallOfAnOpItIs) {
    PortOutcome port = measured(Arch::riscv64, 1387, 1322);
    port.report->figures[1].path->calls_per_op = 5;
    EXPECT_EQ(functions_text(findings(port).front()),
              "call 1 of 5: syscall_exit_to_user_mode -22, do_trap_ecall_u +9");
}

TEST(FunctionsText, TakesTheCompilersCopiesOfAFunctionForTheFunction) {
    PortOutcome port = measured(Arch::arm64, 293, 284);
    port.report->figures[1].path->functions = {
        function("do_el0_svc", 10, 26), function("el0_svc_common.constprop.0", 24, 0),
        function("invoke_syscall", 36, 0), function("invoke_syscall.constprop.0", 0, 35)};
    EXPECT_EQ(functions_text(findings(port).front()),
              "el0_svc_common -24, do_el0_svc +16, invoke_syscall -1");
}

TEST(SizeText, IsThatOfAllFunctions) {
    PortOutcome port = measured(Arch::arm64, 293, 284);
    EXPECT_EQ(size_text(findings(port).front()), "text -100 bytes");
    port.sides[1].built.code_bytes = port.sides[0].built.code_bytes;
    EXPECT_EQ(size_text(findings(port).front()), "text as large");
    port.sides[1].built.code_bytes = 0;
    EXPECT_EQ(size_text(findings(port).front()), "");
}

TEST(TrialTable, SaysWhetherPlacebosCountAsTheBase) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    EXPECT_THAT(to_text(outcome_of({port}), {}), HasSubstr("with its code at other addresses"));
    port.report->figures[2].count = count(2, 215);
    std::string text = to_text(outcome_of({port}), {});
    std::ranges::replace(text, '\n', ' ');
    EXPECT_THAT(text, AllOf(HasSubstr("By the placebos, moving code alone changes the number of "
                                      "instructions of getpid by up to +1: a difference of that "
                                      "size may be layout, too."),
                            Not(HasSubstr("with its code at other addresses"))));
}

TEST(LayoutReach, SpansWhatThePlacebosCount) {
    PortOutcome port = measured(Arch::x86_64, 220, 218);
    EXPECT_THAT(layout_text(port, 0), IsEmpty());
    port.report->figures[2].count = count(2, 219);
    EXPECT_THAT(layout_text(port, 0), HasSubstr("getpid by down to -1"));
    port.sides.push_back(
        {.name = "placebo 2", .role = store::Role::placebo, .built = {}, .target = "linux:/p2"});
    store::ArmRecord arm;
    arm.index = 3;
    arm.role = store::Role::placebo;
    port.report->run.run.arms.push_back(arm);
    report::Figures figures;
    figures.arm = 3;
    figures.count = count(3, 222);
    port.report->figures.push_back(figures);
    EXPECT_THAT(layout_text(port, 0), HasSubstr("getpid by -1 to +2"));
    EXPECT_EQ(layout_reach(port, 0).placebos, 2U);
    EXPECT_EQ(layout_reach(port, 0).same, 0U);
}

TEST(LayoutReach, IsNoneOfACountThatIsNotExact) {
    PortOutcome port = measured(Arch::x86_64, 220, 218);
    port.report->figures[2].count = count(2, 219);
    port.report->figures[2].count->exact = false;
    EXPECT_EQ(layout_reach(port, 0).placebos, 0U);
}

TEST(Paragraph, SaysWhatLayoutAloneDoesToTheCount) {
    PortOutcome port = measured(Arch::x86_64, 220, 218);
    port.report->figures[2].count = count(2, 221);
    for (std::string text : {to_paragraph(outcome_of({port})), to_markdown(outcome_of({port}))}) {
        std::erase(text, '\n');
        EXPECT_THAT(text, HasSubstr("moving code"));
    }
}

TEST(TrialTable, TellsARemarkThatIsTrueOfAllSidesOnce) {
    PortOutcome port = measured(Arch::s390x, 202, 187);
    for (MeasuredSide& side : port.sides) {
        side.built.remarks = {"Kconfig did not take X=y"};
    }
    port.sides[1].built.remarks.emplace_back("it changes no code");
    const std::string text = to_text(outcome_of({port}), {});
    EXPECT_THAT(text, AllOf(HasSubstr("base: Kconfig did not take X=y."),
                            HasSubstr("+ 0001-inline.patch: it changes no code."),
                            Not(HasSubstr("placebo 1: Kconfig"))));
}

TEST(TrialTable, HasStepsInALadderOnly) {
    EXPECT_THAT(to_text(outcome_of({measured(Arch::riscv64, 214, 201)}), {}),
                Not(HasSubstr("step")));
}

TEST(TrialMarkdown, EscapesWhatNamesHold) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    port.sides[1].name = "+ a|b*.patch";
    const std::string markdown = to_markdown(outcome_of({port}));
    EXPECT_THAT(markdown, HasSubstr("a\\|b\\*.patch"));
    EXPECT_THAT(markdown, HasSubstr("`syscall_exit_to_user_mode` is gone (-22)"));
}

TEST(TrialMarkdown, HasTheCommandAsAShellTakesIt) {
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    outcome.command = {"kerntoll",   "try",        "--tree", "/usr/src/linux_source_6.12",
                       "--append-b", "nokaslr a b"};
    EXPECT_THAT(to_markdown(outcome),
                HasSubstr("Repeat it:\n\n    kerntoll try --tree /usr/src/linux_source_6.12 "
                          "--append-b \\\n      'nokaslr a b'\n\n"));
}

TEST(TrialTable, HasTheCommandOnOneLine) {
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    outcome.command.insert(outcome.command.end(), 30, "another.patch");
    EXPECT_THAT(lines_of(to_text(outcome, {})),
                ::testing::Contains(AllOf(StartsWith("Repeat it: kerntoll try 0001-inline.patch"),
                                          ::testing::EndsWith("another.patch"),
                                          ::testing::SizeIs(::testing::Gt(400U)))));
}

TEST(TrialJson, HoldsTheFindings) {
    const auto json =
        nlohmann::json::parse(to_json(outcome_of({measured(Arch::riscv64, 214, 201)})));
    EXPECT_EQ(json["ports"][0]["findings"][0]["base_instructions_per_op"], 214);
    EXPECT_EQ(json["ports"][0]["findings"][0]["instructions_per_op"], 201);
    EXPECT_EQ(json["ports"][0]["findings"][0]["functions"][1]["instructions_difference"], -22);
    EXPECT_TRUE(json["ports"][0]["findings"][0]["verdict"].is_null());
    EXPECT_THAT(json["paragraph"].get<std::string>(), HasSubstr("214 → 201"));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
