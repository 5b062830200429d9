// SPDX-License-Identifier: MIT
#include "lab/kernel/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lab/kernel/source.hpp"
#include "tests/kernel/tiny_tree.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::HasSubstr;

class KernelTree : public TinyTree {
protected:
    [[nodiscard]] static std::string complaint(const fs::path& folder,
                                               const std::optional<std::string>& commit = {}) {
        const auto read = read_tree(folder, commit);
        return read ? "read" : read.error().message;
    }
};

TEST_F(KernelTree, TellsItsVersionAndWhatItIs) {
    const Tree plain = read();
    EXPECT_EQ(plain.version, "6.12.1-tiny");
    EXPECT_FALSE(plain.is_git());
    const std::string hash = commit_all("one");
    const Tree of_git = read();
    EXPECT_EQ(of_git.commit, hash);
    EXPECT_EQ(of_git.version, "6.12.1-tiny");
}

TEST_F(KernelTree, SaysWhichPackageItIs) {
    EXPECT_EQ(read().package, "");
    fs::create_directories(tree() / "debian");
    write_text(tree() / "debian/changelog",
               "linux (6.12.73-1) trixie; urgency=medium\n\n  * New upstream stable update\n");
    EXPECT_EQ(read().package, "linux 6.12.73-1");
    for (const char* other : {"", "linux\n", " (1) x;\n", "linux (1\n (2) x\n", "li nux (1) x;\n",
                              "linux (1;2) x;\n", "linux-upstream (6.12.73-2) UNRELEASED; x\n"}) {
        write_text(tree() / "debian/changelog", other);
        EXPECT_EQ(read().package, "") << other;
    }
}

TEST_F(KernelTree, IsKnownByItsContentAndNotByItsTimes) {
    const Tree before = read();
    fs::last_write_time(tree() / "kernel/sys.c", fs::file_time_type::clock::now());
    EXPECT_EQ(read().content, before.content);
    write_text(tree() / "kernel/sys.c", "int other;\n");
    EXPECT_NE(read().content, before.content);
}

TEST_F(KernelTree, LeavesOutWhatABuildInsideItMade) {
    const Tree before = read();
    write_text(tree() / ".config", "CONFIG_X=y\n");
    write_text(tree() / "kernel/sys.o", "object");
    fs::create_directories(tree() / "include/generated");
    write_text(tree() / "include/generated/made.h", "");
    EXPECT_EQ(read().content, before.content);
}

TEST_F(KernelTree, LeavesOutPatchesAndResultsThatLieInIt) {
    const Tree before = read();
    for (const char* name : {"0001-entry.patch", "kernel/sys.c.orig", "kernel/sys.c.rej",
                             "kernel/sys.c~", "patches/series", ".pc/applied-patches", "tags",
                             "cscope.out", "named", "out/riscv64/Image"}) {
        fs::create_directories((tree() / name).parent_path());
        write_text(tree() / name, "x");
    }
    const std::vector<std::string> left_out{tree() / "named", (tree() / "out").string() + "/"};
    const auto then = read_tree(tree(), {}, left_out);
    ASSERT_TRUE(then) << then.error().message;
    EXPECT_EQ(then->content, before.content);
    EXPECT_NE(read().content, before.content);
    const auto copy = Source::open(*then, [](const std::string&) {});
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_FALSE(fs::exists(copy->folder() / "out"));
    EXPECT_FALSE(fs::exists(copy->folder() / "named"));
}

TEST_F(KernelTree, ThatIsNoneIsRefusedInASentence) {
    EXPECT_THAT(complaint("/no/such"), HasSubstr("there is no folder /no/such"));
    EXPECT_THAT(complaint(scratch()), HasSubstr("it has no Makefile"));
    write_text(scratch() / "Makefile", "all:\n");
    EXPECT_THAT(complaint(scratch()), HasSubstr("sets no VERSION"));
    write_text(scratch() / "Makefile", "VERSION = 5\nPATCHLEVEL = 9\n");
    EXPECT_THAT(complaint(scratch()), HasSubstr("the oldest that can be tried is 5.10"));
    EXPECT_THAT(complaint(tree(), "HEAD~1"), HasSubstr("is no git tree"));
    (void)commit_all("one");
    EXPECT_THAT(complaint(tree(), "v9.9"), HasSubstr("has no commit 'v9.9'"));
}

/// The repository's settings: a hook that leaves a mark, and a filter that writes other files.
TEST_F(KernelTree, IsCopiedAsItsHashSaysWhateverTheRepositoryIsSetTo) {
    (void)commit_all("one");
    write_text(tree() / ".git/hooks/post-index-change",
               "#!/bin/sh\ntouch '" + (scratch() / "hook").string() + "'\n");
    fs::permissions(tree() / ".git/hooks/post-index-change", fs::perms::owner_all);
    write_text(tree() / ".git/info/attributes", "*.c filter=other\n");
    write_text(tree() / ".git/config", text_of(tree() / ".git/config") +
                                           "[filter \"other\"]\n\tsmudge = echo other\n"
                                           "[core]\n\tautocrlf = true\n");
    const auto before = state();
    const auto copy = Source::open(read(), [](const std::string&) {});
    ASSERT_TRUE(copy) << copy.error().message;
    for (const char* file : {"kernel/sys.c", "Makefile"}) {
        EXPECT_EQ(text_of(copy->folder() / file), text_of(fs::path(KERNTOLL_TINY_TREE) / file));
    }
    EXPECT_FALSE(fs::exists(scratch() / "hook"));
    EXPECT_EQ(state(), before);
}

TEST_F(KernelTree, ThatIsAPartialCloneIsNotFetchedInto) {
    const std::string first = commit_all("one");
    write_text(tree() / "kernel/sys.c", "int two;\n");
    (void)commit_all("two");
    const fs::path whole = scratch() / "whole";
    fs::rename(tree(), whole);
    const std::string shell = "git -C '" + whole.string() +
                              "' config uploadpack.allowFilter true && git clone -q "
                              "--filter=blob:none 'file://" +
                              whole.string() + "' '" + tree().string() + "'";
    ASSERT_EQ(std::system(shell.c_str()), 0);
    const auto before = state();
    const auto tree_then = read_tree(tree(), first);
    ASSERT_TRUE(tree_then) << tree_then.error().message;
    const auto copy = Source::open(*tree_then, [](const std::string&) {});
    ASSERT_FALSE(copy);
    EXPECT_EQ(copy.error().fault, Fault::usage);
    EXPECT_THAT(copy.error().message, HasSubstr("it is a partial clone, and 'git -C "));
    EXPECT_FALSE(difference(*tree_then, first, "HEAD"));
    EXPECT_EQ(state(), before);
}

TEST_F(KernelTree, ThatGitCannotReadIsToldInGitsWords) {
    (void)commit_all("one");
    write_text(tree() / ".git/config", "[core\n");
    EXPECT_THAT(complaint(tree()), HasSubstr("git cannot read the repository in "));
    EXPECT_THAT(complaint(tree()), HasSubstr("bad config line"));
}

TEST_F(KernelTree, GivesTheDifferenceOfTwoCommitsAndOfWhatIsNotCommitted) {
    const std::string first = commit_all("one");
    write_text(tree() / "kernel/sys.c", text_of(tree() / "kernel/sys.c") + "int two;\n");
    const std::string second = commit_all("two");
    const auto between = difference(read(), first, second);
    ASSERT_TRUE(between) << between.error().message;
    EXPECT_THAT(*between, HasSubstr("+int two;"));
    write_text(tree() / "kernel/sys.c", text_of(tree() / "kernel/sys.c") + "int three;\n");
    const auto not_committed = difference(read(), second, "");
    ASSERT_TRUE(not_committed);
    EXPECT_THAT(*not_committed, HasSubstr("+int three;"));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
