// SPDX-License-Identifier: MIT
// What a trial is told as beside the paragraph: the table, the block for a cover letter, JSON.
#include "lab/kernel/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/kernel/trial.hpp"
#include "tests/lines.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(TrialTable, RepeatsItFromTheFolderAndCommitThatItWasGivenIn) {
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    outcome.folder = "/home/u/my linux";
    outcome.head = "0123456789abcdef0123";
    EXPECT_THAT(to_text(outcome, {}),
                HasSubstr("\nRepeat it, with 0123456789ab checked out: cd '/home/u/my linux' && "
                          "kerntoll try 0001-inline.patch\n"));
    EXPECT_THAT(to_markdown(outcome), HasSubstr("\nRepeat it, with 0123456789ab checked out:\n"));
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

TEST(SizeText, OfOneImageUnderTwoCommandLinesIsNotTold) {
    PortOutcome port = measured(Arch::riscv64, 214, 214);
    port.sides[1].built = port.sides[0].built;
    EXPECT_EQ(size_text(findings(port).front()), "");
}

TEST(SizeText, OfAChangeThatMadeTheBasesImageSaysSo) {
    PortOutcome port = measured(Arch::riscv64, 214, 214);
    port.sides[1].built.image_sha256 = port.sides[0].built.image_sha256;
    EXPECT_EQ(size_text(findings(port).front()), "the same image");
}

TEST(SizeText, OfAPlaceboIsNotToldSinceItIsThePadding) {
    PortOutcome port = measured(Arch::riscv64, 214, 201);
    port.sides[1].built.code_bytes = port.sides[0].built.code_bytes;
    port.sides[2].built.code_bytes = 9446;
    EXPECT_EQ(size_text(findings(port).back()), "");
    for (const std::string& text :
         {to_text(outcome_of({port}), {}), to_markdown(outcome_of({port}))}) {
        EXPECT_THAT(text, AllOf(HasSubstr("text as large"), Not(HasSubstr("4446"))));
    }
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

TEST(TrialJson, HasEveryKeyThatItsDescriptionHas) {
    // docs/json.md promises these in this order.
    Outcome outcome = outcome_of({measured(Arch::riscv64, 214, 201)});
    const auto keys = [](const nlohmann::ordered_json& object) {
        std::string all;
        for (const auto& [key, value] : object.items()) {
            all += (all.empty() ? "" : " ") + key;
        }
        return all;
    };
    auto json = nlohmann::ordered_json::parse(to_json(outcome));
    EXPECT_EQ(keys(json), "schema tree configuration ports paragraph changes command head version");
    EXPECT_EQ(keys(json["tree"]), "path version commit named content package");
    EXPECT_TRUE(json["tree"]["package"].is_null());
    const auto port = json["ports"][0];
    EXPECT_EQ(keys(port), "arch compiler sides findings report error");
    EXPECT_EQ(keys(port["sides"][0]),
              "name role target image image_sha256 code_bytes config_sha256 cached remarks");
    EXPECT_EQ(keys(port["findings"][0]),
              "side workload base_instructions_per_op instructions_per_op functions verdict");
    EXPECT_EQ(keys(port["findings"][0]["functions"][0]), "name fate instructions_difference");
    outcome.tree.package = "linux 6.12.117-1";
    json = nlohmann::ordered_json::parse(to_json(outcome));
    EXPECT_EQ(json["tree"]["package"], "linux 6.12.117-1");
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
