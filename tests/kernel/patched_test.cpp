// SPDX-License-Identifier: MIT
// Patches on a copy of the sources, and off again.
#include "lab/kernel/patched.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <utility>

#include "tests/kernel/tiny_tree.hpp"

namespace kerntoll::lab::kernel {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class Patched : public TinyTree {
protected:
    Patched() {
        for (const auto& entry : fs::recursive_directory_iterator(tree())) {
            fs::last_write_time(entry, fs::file_time_type::clock::now() - 48h);
        }
    }
    [[nodiscard]] fs::path saved() const { return scratch() / "saved"; }
};

TEST_F(Patched, FilesAreNewerThanBeforeAndAsTheyWereAfterwards) {
    const auto before = state();
    const auto old = fs::last_write_time(tree() / "kernel/sys.c");
    const auto changed = put_on(
        tree(), saved(), std::vector{patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;")});
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_THAT(*changed, UnorderedElementsAre("kernel/sys.c"));
    EXPECT_THAT(text_of(tree() / "kernel/sys.c"), HasSubstr("\treturn 1;"));
    EXPECT_GT(fs::last_write_time(tree() / "kernel/sys.c"), old + 24h);
    ASSERT_TRUE(take_off(tree(), saved()));
    EXPECT_EQ(state(), before);
    EXPECT_FALSE(fs::exists(saved()));
}

TEST_F(Patched, FilesThatComeAndGoDoSoBothWays) {
    const auto before = state();
    const Patch patch{
        "move.patch",
        "diff --git a/kernel/exec_domain.c b/kernel/moved.c\nsimilarity index 100%\n"
        "rename from kernel/exec_domain.c\nrename to kernel/moved.c\n"
        "diff --git a/kernel/new.c b/kernel/new.c\nnew file mode 100644\n--- /dev/null\n"
        "+++ b/kernel/new.c\n@@ -0,0 +1 @@\n+int new;\n"};
    const auto changed = put_on(tree(), saved(), std::vector{patch});
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_THAT(*changed,
                UnorderedElementsAre("kernel/exec_domain.c", "kernel/moved.c", "kernel/new.c"));
    EXPECT_FALSE(fs::exists(tree() / "kernel/exec_domain.c"));
    EXPECT_TRUE(fs::exists(tree() / "kernel/new.c"));
    ASSERT_TRUE(take_off(tree(), saved()));
    EXPECT_EQ(state(), before);
}

TEST_F(Patched, SecondPatchesOfAFileGoBackToTheFirstOriginal) {
    const auto before = state();
    const Patch first = patch_of("kernel/sys.c", "\treturn flags;", "\treturn flags + 1 ;");
    Patch second = patch_of("kernel/sys.c", "\treturn flags;", "\treturn flags + 2 ;");
    second.text.replace(second.text.find("-\treturn flags;"), 15, "-\treturn flags + 1 ;");
    const auto changed = put_on(tree(), saved(), std::vector{first, second});
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_THAT(text_of(tree() / "kernel/sys.c"), HasSubstr("flags + 2 ;"));
    ASSERT_TRUE(take_off(tree(), saved()));
    EXPECT_EQ(state(), before);
}

TEST_F(Patched, NothingStaysWhereTheSecondPatchDoesNotApply) {
    const auto before = state();
    const Patch patch = patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;");
    const auto changed = put_on(tree(), saved(), std::vector{patch, patch});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().fault, Fault::usage);
    EXPECT_EQ(state(), before);
}

TEST_F(Patched, FilesOutsideTheTreeAreRefused) {
    write_text(scratch() / "outside", "one\n");
    const Patch patch{"out.patch", "--- a/../outside\n+++ b/../outside\n@@ -1 +1 @@\n-one\n+two\n"};
    EXPECT_FALSE(put_on(tree(), saved(), std::vector{patch}));
    EXPECT_EQ(text_of(scratch() / "outside"), "one\n");
}

TEST_F(Patched, FilesOutsideTheTreeAreNotEvenMovedAside) {
    write_text(scratch() / "outside", "one\n");
    const auto time = fs::file_time_type::clock::now() - 48h;
    fs::last_write_time(scratch() / "outside", time);
    // Also where it is the text around the patch that seems to name one.
    Patch patch = patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;");
    patch.text = "rename from ../outside\n" + patch.text;
    const auto changed = put_on(tree(), saved(), std::vector{patch});
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_THAT(*changed, UnorderedElementsAre("kernel/sys.c"));
    ASSERT_TRUE(take_off(tree(), saved()));
    EXPECT_EQ(fs::last_write_time(scratch() / "outside"), time);
    EXPECT_FALSE(fs::exists(scratch() / "files"));
}

TEST_F(Patched, NamesWithControlCharactersAreRefused) {
    // Read as two lines, the second of these names is a file of the user's.
    write_text(scratch() / "theirs", "one\n");
    const auto before = state();
    const auto refused = [&](const std::string& name) {
        const std::string quoted = "\"b/" + name + "\"";
        const Patch patch{"odd.patch", "diff --git \"a/" + name + "\" " + quoted +
                                           "\nnew file mode 100644\n--- /dev/null\n+++ " + quoted +
                                           "\n@@ -0,0 +1 @@\n+x\n"};
        const auto changed = put_on(tree(), saved(), std::vector{patch});
        return changed ? "put on" : changed.error().message;
    };
    EXPECT_THAT(refused("foo\\n" + (scratch() / "theirs").string()),
                HasSubstr("odd.patch does not apply: it changes a file with a line break"));
    EXPECT_THAT(refused("foo\\tbar"), HasSubstr("control character"));
    EXPECT_TRUE(fs::exists(scratch() / "theirs"));
    EXPECT_EQ(state(), before);
}

TEST_F(Patched, AListThatNamesWhatLiesOutsideTheCopyIsNotFollowed) {
    write_text(scratch() / "theirs", "one\n");
    fs::create_directories(saved());
    for (const std::string& name : {(scratch() / "theirs").string(), std::string("../theirs")}) {
        write_text(saved() / "list", name + '\0');
        const auto off = take_off(tree(), saved());
        ASSERT_FALSE(off);
        EXPECT_THAT(off.error().message, HasSubstr("outside the copy"));
        EXPECT_TRUE(fs::exists(scratch() / "theirs"));
    }
}

TEST_F(Patched, FoldersThatBecomeLinksAndFilesThatBecomeFoldersComeBack) {
    fs::create_directory(scratch() / "elsewhere");
    write_text(scratch() / "elsewhere/common.c", "theirs\n");
    const auto before = state();
    std::string text =
        "diff --git a/kernel/entry/common.c b/kernel/entry/common.c\n"
        "deleted file mode 100644\n--- a/kernel/entry/common.c\n+++ /dev/null\n";
    const auto whole = [this](const std::string& file, char mark) {
        std::string hunk;
        std::size_t lines = 0;
        std::istringstream all(text_of(tree() / file));
        for (std::string line; std::getline(all, line); ++lines) {
            hunk += mark + line + "\n";
        }
        return std::pair(lines, hunk);
    };
    const auto [lines, hunk] = whole("kernel/entry/common.c", '-');
    text += "@@ -1," + std::to_string(lines) + " +0,0 @@\n" + hunk;
    text +=
        "diff --git a/kernel/entry b/kernel/entry\nnew file mode 120000\n--- /dev/null\n"
        "+++ b/kernel/entry\n@@ -0,0 +1 @@\n+" +
        (scratch() / "elsewhere").string() + "\n\\ No newline at end of file\n";
    const auto [names, kconfig] = whole("Kconfig", '-');
    text +=
        "diff --git a/Kconfig b/Kconfig\ndeleted file mode 100644\n--- a/Kconfig\n"
        "+++ /dev/null\n@@ -1," +
        std::to_string(names) + " +0,0 @@\n" + kconfig;
    text +=
        "diff --git a/Kconfig/new b/Kconfig/new\nnew file mode 100644\n--- /dev/null\n"
        "+++ b/Kconfig/new\n@@ -0,0 +1 @@\n+new\n";
    const auto changed = put_on(tree(), saved(), std::vector{Patch{"swap.patch", text}});
    ASSERT_TRUE(changed) << changed.error().message;
    ASSERT_TRUE(fs::is_symlink(tree() / "kernel/entry"));
    ASSERT_TRUE(fs::is_directory(tree() / "Kconfig"));
    ASSERT_TRUE(take_off(tree(), saved()));
    EXPECT_EQ(state(), before);
    EXPECT_EQ(text_of(scratch() / "elsewhere/common.c"), "theirs\n");
}

TEST_F(Patched, TakingOffCanBeCutShortAndDoneAgain) {
    const auto before = state();
    ASSERT_TRUE(put_on(tree(), saved(),
                       std::vector{patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;")}));
    const fs::path copy = scratch() / "copy";
    fs::copy(saved(), copy, fs::copy_options::recursive);
    fs::last_write_time(copy / "files/kernel/sys.c",
                        fs::last_write_time(saved() / "files/kernel/sys.c"));
    ASSERT_TRUE(take_off(tree(), saved()));
    ASSERT_TRUE(take_off(tree(), copy));  // the first one was killed before it put the list away
    EXPECT_EQ(state(), before);
}

}  // namespace
}  // namespace kerntoll::lab::kernel
