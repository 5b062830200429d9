// SPDX-License-Identifier: MIT
// The command that repeats a trial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/try.hpp"

namespace kerntoll::cli {
namespace {

using ::testing::ElementsAre;

/// What repeats `kerntoll try WORDS…`, by the options that `try` really has.
std::vector<std::string> repeated(std::vector<std::string> words) {
    CLI::App app;
    Invocation invocation;
    add_try(app, invocation);
    words.insert(words.begin(), {"kerntoll", "try"});
    return repeating_command(words, *app.get_subcommand("try"), "0123abcd");
}

TEST(TryCommand, KeepsWhatTheAnswerDependsOn) {
    EXPECT_THAT(repeated({"--arch", "riscv64", "1.patch", "--cc=both", "--no-time", "--append",
                          "nokaslr quiet", "--seed", "7"}),
                ElementsAre("kerntoll", "try", "--arch", "riscv64", "1.patch", "--cc=both",
                            "--no-time", "--append", "nokaslr quiet", "--seed", "7"));
}

TEST(TryCommand, LeavesOutWhatChangesNothing) {
    EXPECT_THAT(repeated({"--save", "out", "1.patch", "--db", "my.db", "-j", "2", "--format",
                          "markdown", "2.patch"}),
                ElementsAre("kerntoll", "try", "1.patch", "2.patch"));
    EXPECT_THAT(repeated({"--save=out", "-j8", "--jobs=2", "--jobs", "2", "--db=x", "1.patch"}),
                ElementsAre("kerntoll", "try", "1.patch"));
}

TEST(TryCommand, TakesNoValueForAnOption) {
    EXPECT_THAT(repeated({"--append", "--save", "1.patch"}),
                ElementsAre("kerntoll", "try", "--append", "--save", "1.patch"));
    EXPECT_THAT(repeated({"--no-time", "--", "--save", "-j2"}),
                ElementsAre("kerntoll", "try", "--no-time", "--", "--save", "-j2"));
}

TEST(TryCommand, NamesTheBaseByItsHash) {
    EXPECT_THAT(repeated({"--against", "main", "--no-time"}),
                ElementsAre("kerntoll", "try", "--against", "0123abcd", "--no-time"));
    EXPECT_THAT(repeated({"--against=main"}),
                ElementsAre("kerntoll", "try", "--against", "0123abcd"));
}

}  // namespace
}  // namespace kerntoll::cli
