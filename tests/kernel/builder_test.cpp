// SPDX-License-Identifier: MIT
// Building a tree's sides: what is built, what is reused, and what is proved of it.
#include "lab/kernel/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lab/base/interrupt.hpp"
#include "tests/kernel/kernel_build.hpp"
#include "tests/lines.hpp"

namespace kerntoll::lab::kernel {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(KernelBuild, MakesAnImageWithItsMapAndConfigurationBesideIt) {
    const Built base = built({});
    EXPECT_EQ(base.image.filename(), "bzImage");
    EXPECT_THAT(text_of(base.image.parent_path() / "System.map"), HasSubstr(" T getpid"));
    EXPECT_EQ(text_of(base.image.parent_path() / "config"), "CONFIG_TINY=y\n");
    EXPECT_FALSE(base.cached);
}

TEST_F(KernelBuild, OfAChangeCompilesWhatIsMadeOfThePatchedFileAlone) {
    const Built base = built({});
    said.clear();
    const Built change = built(call_change());
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(said, HasSubstr("CC kernel/sys.o"));
    EXPECT_THAT(said, Not(HasSubstr("CC init/main.o")));
    EXPECT_THAT(change.remarks, IsEmpty());
}

TEST_F(KernelBuild, OfAHeaderReachesWhatIncludesIt) {
    const Built base = built({});
    said.clear();
    const Built change = built(header_change());
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(said, HasSubstr("CC init/main.o"));
    EXPECT_THAT(said, Not(HasSubstr("CC kernel/exec_domain.o")));
}

TEST_F(KernelBuild, IsTakenFromTheCacheTheSecondTime) {
    const Built base = built({});
    const Built change = built(header_change());
    said.clear();
    EXPECT_TRUE(built({}).cached);
    EXPECT_TRUE(built(header_change()).cached);
    EXPECT_EQ(said, "");
    // In another program too.
    Sources again(read());
    Builder other(again, plan());
    const auto cached = other.build(header_change());
    ASSERT_TRUE(cached);
    EXPECT_TRUE(cached->cached);
    EXPECT_EQ(cached->image_sha256, change.image_sha256);
    EXPECT_NE(cached->image_sha256, base.image_sha256);
}

TEST_F(KernelBuild, IsTheSameBytesWheneverItIsBuilt) {
    const Built first = built(header_change());
    sources_.close();
    fs::remove_all(scratch() / "cache");
    const Built second = built(header_change());
    EXPECT_FALSE(second.cached);
    EXPECT_EQ(first.image_sha256, second.image_sha256);
}

TEST_F(KernelBuild, AfterAChangeTheBaseIsWhatItWas) {
    const Built base = built({});
    (void)built(header_change());
    fs::remove_all(base.image.parent_path());
    EXPECT_EQ(built({}).image_sha256, base.image_sha256);
    EXPECT_EQ(text_of(work() / "source/include/linux/entry.h"),
              text_of(tree() / "include/linux/entry.h"));
}

TEST_F(KernelBuild, ObjectsThatAreNewerThanThePatchAreNotTakenForRebuiltOnes) {
    const Built base = built({});
    // As after a clock that was set back: make finds nothing to do.
    for (const auto& entry : fs::recursive_directory_iterator(work() / "objects")) {
        if (entry.is_regular_file()) {
            fs::last_write_time(entry, fs::file_time_type::clock::now() + 24h);
        }
    }
    const Built change = built(header_change());
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("everything was built from nothing")));
}

TEST_F(KernelBuild, SaysThatAPatchIsInNoObject) {
    const Built base = built({});
    const Built change =
        built({.name = "+ text", .patches = {patch_of("Kconfig", "SLOW", "SLOWER")}});
    EXPECT_EQ(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("records name none of the files")));
}

TEST_F(KernelBuild, SaysThatAPatchChangesNoCode) {
    const Built base = built({});
    const Built change = built({.name = "+ comment",
                                .patches = {patch_of("include/linux/entry.h", "#define EXIT_WORK 6",
                                                     "#define EXIT_WORK (2 | 4)")}});
    EXPECT_EQ(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("changes no code")));
}

TEST_F(KernelBuild, OfALadderHasEveryRungUpToThere) {
    const Side first = call_change();
    Side both = header_change();
    both.patches.insert(both.patches.begin(), first.patches.front());
    const Built one = built(first);
    const Built two = built(both);
    const Built header = built(header_change());
    EXPECT_NE(one.image_sha256, two.image_sha256);
    EXPECT_NE(header.image_sha256, two.image_sha256);
}

TEST_F(KernelBuild, TakesMoreConfigurationForAChange) {
    const Built base = built({});
    const Built change = built({.name = "+ SMP", .fragment = "CONFIG_SMP=y\n"});
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_NE(change.config_sha256, base.config_sha256);
    EXPECT_THAT(change.remarks, IsEmpty());
}

TEST_F(KernelBuild, SaysWhichOptionsKconfigDropped) {
    const Built change =
        built({.name = "+ X", .fragment = "CONFIG_SMP=y\nCONFIG_NO_SUCH_THING=y\n"});
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("Kconfig did not take NO_SUCH_THING=y")));
}

TEST_F(KernelBuild, PlacebosHaveTheBasesFunctionsElsewhereAndDifferBySeed) {
    const Built base = built({});
    const Built one = built({.name = "placebo 1", .padding = 1});
    const Built two = built({.name = "placebo 2", .padding = 2});
    EXPECT_NE(one.image_sha256, two.image_sha256);
    const auto line = [](const Built& of) {
        const std::string map = text_of(of.image.parent_path() / "System.map");
        const auto at = map.find(" T getpid");
        return map.substr(at - 16, 16);
    };
    EXPECT_NE(line(base), line(one));
    EXPECT_NE(line(one), line(two));
    EXPECT_THAT(text_of(one.image.parent_path() / "System.map"),
                HasSubstr("kerntoll_padding_noinstr_"));
}

TEST_F(KernelBuild, ThatFailsShowsTheCompilersFirstErrorAndLeavesTheBaseUsable) {
    const Built base = built({});
    const auto failed =
        build({.name = "+ typo",
               .patches = {patch_of("kernel/sys.c", "\treturn flags;", "\treturn flgs;")}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::measurement);
    EXPECT_THAT(failed.error().message, HasSubstr("+ typo, does not build: "));
    EXPECT_THAT(failed.error().message, HasSubstr("error: 'flgs' undeclared"));
    EXPECT_THAT(failed.error().console, Not(IsEmpty()));
    EXPECT_TRUE(built({}).cached);
    EXPECT_NE(built(call_change()).image_sha256, base.image_sha256);
}

TEST_F(KernelBuild, OfAPatchThatDoesNotApplySaysWhere) {
    const auto failed = build({.name = "+ other",
                               .patches = {{"other.patch",
                                            "--- a/kernel/sys.c\n+++ b/kernel/sys.c\n@@ -5,3 +5,3 "
                                            "@@\n one\n-two\n+three\n four\n"}}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::usage);
    EXPECT_THAT(failed.error().message, HasSubstr("other.patch does not apply"));
    EXPECT_THAT(failed.error().message, HasSubstr("kernel/sys.c:5"));
    EXPECT_NE(built(call_change()).image_sha256, built({}).image_sha256);
}

TEST_F(KernelBuild, WritesNothingIntoTheUsersTree) {
    const auto before = state();
    (void)built(header_change());
    (void)built({.name = "placebo 1", .padding = 1});
    EXPECT_EQ(state(), before);
}

TEST_F(KernelBuild, OfAGitTreeWritesNothingIntoItEither) {
    const std::string first = commit_all("one");
    write_text(tree() / "kernel/sys.c",
               text_of(tree() / "kernel/sys.c") + "\n/* not committed */\n");
    const auto before = state();
    Sources of_git(read());
    Builder builder(of_git, plan());
    const auto base = builder.build({});
    const auto change = builder.build(header_change());
    ASSERT_TRUE(base) << base.error().message;
    ASSERT_TRUE(change) << change.error().message;
    EXPECT_NE(base->image_sha256, change->image_sha256);
    EXPECT_EQ(of_git.tree().commit, first);
    EXPECT_EQ(state(), before);
    EXPECT_THAT(text_of(work() / "source/kernel/sys.c"), Not(HasSubstr("not committed")));
}

TEST_F(KernelBuild, IsEndedByCtrlCAndGoesOnFromACleanCopy) {
    const Built base = built({});
    std::jthread asks([&] {
        std::this_thread::sleep_for(300ms);
        request_interrupt();
    });
    ASSERT_TRUE(install_interrupt_handlers());
    // A compiler that never ends, as far as this test is concerned.
    Side slow = header_change();
    slow.patches.push_back(patch_of("Makefile", "\t@echo '  CC      $@'",
                                    "\t@echo '  CC      $@'; sleep 30", "slow.patch"));
    const auto begun = std::chrono::steady_clock::now();
    const auto stopped = build(slow);
    asks.join();
    clear_interrupt();
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().fault, Fault::interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
    EXPECT_EQ(text_of(work() / "source/include/linux/entry.h"),
              text_of(tree() / "include/linux/entry.h"));
    EXPECT_NE(built(header_change()).image_sha256, base.image_sha256);
}

TEST_F(KernelBuild, OfTheBaseThatWasCutShortBeginsAnew) {
    // Half an object under its right name, as a killed compiler leaves it.
    (void)built({});
    fs::path objects = *fs::directory_iterator(work() / "objects");
    fs::remove(objects / ".kerntoll-complete");
    write_text(objects / "kernel/sys.o", "half");
    fs::last_write_time(objects / "kernel/sys.o", fs::file_time_type::clock::now() + 1h);
    const auto change = build(header_change());
    ASSERT_TRUE(change) << change.error().message;
    EXPECT_NE(text_of(objects / "kernel/sys.o"), "half");
    EXPECT_THAT(change->remarks, IsEmpty()) << "the base was made anew, so nothing is in doubt";
}

TEST_F(KernelBuild, TakesOffWhatAKilledOneLeftOn) {
    (void)built({});
    sources_.close();
    // Killed with a patch on: the file is changed, its original is saved.
    fs::create_directories(work() / "saved/files/kernel");
    fs::copy(work() / "source/kernel/sys.c", work() / "saved/files/kernel/sys.c");
    using namespace std::string_literals;
    write_text(work() / "saved/list", "kernel/sys.c\0kernel/new.c\0"s);
    write_text(work() / "source/kernel/sys.c", "#error left\n");
    write_text(work() / "source/kernel/new.c", "#error left\n");
    const auto change = build(header_change());
    ASSERT_TRUE(change) << change.error().message;
    EXPECT_FALSE(fs::exists(work() / "source/kernel/new.c"));
}

TEST_F(KernelBuild, NamesTheProgramThatIsMissingAndThePackages) {
    Side needs = header_change();
    needs.patches.push_back(patch_of("Makefile", "\t@echo '  LD      vmlinux'",
                                     "\t@no_such_flex; echo done >/dev/null; no_such_flex"));
    const auto failed = build(needs);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::environment);
    EXPECT_THAT(failed.error().message,
                AllOf(HasSubstr("no_such_flex: not found"), HasSubstr("flex, bison, bc")));
}

TEST_F(KernelBuild, OfWhatIsNoPartOfTheKernelAnyMoreAsksNothing) {
    (void)built({});
    // A file goes with its object, and a header with one that is in no Makefile any more.
    Side fewer = call_change();
    fewer.patches.push_back(
        patch_of("Makefile",
                 "objects := init/main.o kernel/exec_domain.o kernel/sys.o kernel/entry/common.o",
                 "objects := init/main.o kernel/sys.o kernel/entry/common.o"));
    const std::string gone = text_of(tree() / "kernel/exec_domain.c");
    std::string deletion = "--- a/kernel/exec_domain.c\n+++ /dev/null\n@@ -1,6 +0,0 @@\n";
    for (const std::string& line : lines_of(gone)) {
        deletion += "-" + line + "\n";
    }
    fewer.patches.push_back({"gone.patch", deletion});
    said.clear();
    const Built change = built(fewer);
    EXPECT_THAT(change.remarks, IsEmpty());
    EXPECT_THAT(said, Not(HasSubstr("CC init/main.o")));
    EXPECT_THAT(text_of(change.image.parent_path() / "System.map"), Not(HasSubstr("personality")));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
