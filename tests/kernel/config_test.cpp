// SPDX-License-Identifier: MIT
#include "lab/kernel/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/kernel/make.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Configuration, HasAFragmentForEveryArchitecture) {
    for (const KbuildRow& row : kbuild_table()) {
        EXPECT_THAT(fragments_of(row.arch), HasSubstr("CONFIG_BLK_DEV_INITRD=y\n"));
        EXPECT_GT(fragments_of(row.arch).size(), fragment("common").size()) << row.kbuild;
    }
}

TEST(Configuration, NamesWhatWasAskedForAndIsNotSo) {
    const char* wanted = "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=\"x\"\n# CONFIG_D is not set\n";
    EXPECT_THAT(not_taken(wanted, "CONFIG_A=y\nCONFIG_C=\"x\"\nCONFIG_D=y\n"),
                ElementsAre("B=y", "D=n"));
    EXPECT_THAT(not_taken(wanted, "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=\"x\"\n"), IsEmpty());
}

TEST(Configuration, IsTakenUnderAnyOfItsNames) {
    const char* wanted =
        "# CONFIG_NEW was CONFIG_OLD before Linux 1.0.\nCONFIG_NEW=y\nCONFIG_OLD=y\n";
    EXPECT_THAT(not_taken(wanted, "CONFIG_OLD=y\n"), IsEmpty());
    EXPECT_THAT(not_taken(wanted, "CONFIG_NEW=y\n"), IsEmpty());
    EXPECT_THAT(not_taken(wanted, "CONFIG_OLDER=y\n# CONFIG_OLD is not set\n"),
                ElementsAre("NEW=y"));
    // Every name of a fragment's comment is a line of it.
    for (const KbuildRow& row : kbuild_table()) {
        const std::string all = fragments_of(row.arch);
        for (size_t at = 0; (at = all.find(" was CONFIG_", at)) != std::string::npos; ++at) {
            const auto begin = at + std::string_view(" was ").size();
            EXPECT_THAT(all, HasSubstr(all.substr(begin, all.find(' ', begin) - begin) + "=y\n"));
        }
    }
}

TEST(Configuration, IsNotToldOfNamesByACommentThatMeansSomethingElse) {
    for (const char* comment :
         {"# it was CONFIG_SMP once\n", "CONFIG_A=y\n# here was CONFIG_SMP off\n",
          "# CONFIG_ABSENT was CONFIG_SMP before\n"}) {
        EXPECT_THAT(not_taken(std::string(comment) + "CONFIG_SMP=y\n", "CONFIG_A=y\n"),
                    ElementsAre("SMP=y"))
            << comment;
    }
}

TEST(Configuration, TakesTheLastOfTwoSettings) {
    EXPECT_THAT(not_taken("CONFIG_A=y\n# CONFIG_A is not set\n", ""), IsEmpty());
    EXPECT_THAT(not_taken("CONFIG_A=y\n", "CONFIG_A=y\nCONFIG_A=m\n"), ElementsAre("A=y"));
}

TEST(FirstError, IsTheCompilersAndNotMakes) {
    EXPECT_EQ(first_error("  CC a.o\nmake[2]: *** [a.o] Error 1\nb.c:3:1: error: no\nc.c:1:1: "
                          "error: other\n"),
              "b.c:3:1: error: no");
    EXPECT_EQ(first_error("make: *** No rule to make target 'x'.  Stop.\n"),
              "make: *** No rule to make target 'x'.  Stop.");
    EXPECT_EQ(first_error("sh: 1: rustc: not found\nb.c:3:1: error: no\n"), "b.c:3:1: error: no");
    EXPECT_EQ(first_error("sh: 1: flex: not found\nmake: *** [x] Error 127\n"),
              "sh: 1: flex: not found");
    EXPECT_EQ(first_error("b.c:3:1: warning: 'error' is a word\n"), "");
}

}  // namespace
}  // namespace kerntoll::lab::kernel
