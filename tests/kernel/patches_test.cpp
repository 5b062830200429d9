// SPDX-License-Identifier: MIT
#include "lab/kernel/patches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernel/tiny_tree.hpp"

namespace kerntoll::lab::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class Patches : public TinyTree {
protected:
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        write_text(scratch() / name, text);
        return scratch() / name;
    }
    [[nodiscard]] static std::string complaint(const std::vector<std::string>& files) {
        const auto read = read_patches(files);
        return read ? "read" : read.error().message;
    }
};

TEST_F(Patches, AreReadInTheirOrderAndSeriesInTheirs) {
    const std::string text = patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;").text;
    (void)file("b.patch", text);
    (void)file("c.patch", text);
    const auto read = read_patches(
        std::vector{file("a.patch", text), file("series", "# ours\nc.patch -p1\n\nb.patch\n")});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(*read, ElementsAre(Field(&Patch::name, "a.patch"), Field(&Patch::name, "c.patch"),
                                   Field(&Patch::name, "b.patch")));
}

TEST_F(Patches, OfASeriesAreWhatStandsBeforeMarksAndComments) {
    const std::string text = patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;").text;
    (void)file("a.patch", text);
    (void)file("b.patch", text);
    const auto read = read_patches(std::vector{
        file("series", "#a\r\n\n \t\n  a.patch\t-p1 # first\r\n# b.patch\nb.patch# no\nb.patch")});
    EXPECT_FALSE(read);  // "b.patch#" is a name
    const auto both =
        read_patches(std::vector{file("series", "# ours\n\na.patch -p1 # first\r\nb.patch")});
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_THAT(*both, ElementsAre(Field(&Patch::name, "a.patch"), Field(&Patch::name, "b.patch")));
    EXPECT_THAT(complaint({file("series", "a.patch -p0\n")}),
                HasSubstr("has '-p0' behind a.patch: patches are put on with -p1 alone"));
    EXPECT_THAT(complaint({file("series", "a.patch -R\n")}), HasSubstr("has '-R' behind a.patch"));
    EXPECT_THAT(complaint({file("series", "a.patch\nc.patch\n")}),
                HasSubstr("names the patch " + (scratch() / "c.patch").string()));
}

TEST_F(Patches, OfASeriesThatAreAllMissingAreNamedWithIt) {
    const std::string series = file("series", "# ours\n0001-gone.patch -p1\n0002-too.diff\n");
    EXPECT_EQ(complaint({series}), series + " names the patch " +
                                       (scratch() / "0001-gone.patch").string() +
                                       ", which cannot be read");
}

TEST_F(Patches, OfASeriesMayBeMissingFirstOrLast) {
    (void)file("a.patch", patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;").text);
    EXPECT_THAT(complaint({file("series", "gone\na.patch\n")}),
                HasSubstr("series names the patch"));
}

TEST_F(Patches, AreNotReadFromASentenceThatNamesAFile) {
    (void)file("a.patch", patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;").text);
    EXPECT_THAT(complaint({file("notes", "see\na.patch for why\n")}),
                HasSubstr("notes is no patch and no list of patches"));
}

TEST_F(Patches, LoseTheLineEndsThatAMailerGaveThem) {
    const std::string text = patch_of("kernel/sys.c", "\treturn flags;", "\treturn 1;").text;
    std::string mailed;
    for (const char c : text) {
        mailed += c == '\n' ? "\r\n" : std::string(1, c);
    }
    const auto read = read_patches(std::vector{file("mailed.patch", mailed)});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->front().text, text);
    // Where only some lines have them, they are the file's own.
    const std::string own = "From: a\n" + mailed;
    EXPECT_EQ(read_patches(std::vector{file("own.patch", own)})->front().text, own);
}

TEST_F(Patches, ThatAreNoneAreRefusedInASentence) {
    EXPECT_THAT(complaint({"/no/such.patch"}), HasSubstr("there is no patch /no/such.patch"));
    EXPECT_THAT(complaint({scratch()}), HasSubstr("there is no patch"));
    EXPECT_THAT(complaint({file("letter", "Dear list,\n")}), HasSubstr("is no patch and no list"));
    EXPECT_THAT(complaint({file("empty", "")}), HasSubstr("is no patch and no list"));
    (void)file("letter2", "Dear list,\n");
    EXPECT_THAT(complaint({file("series", "letter2\n")}), HasSubstr("letter2 is no patch"));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
