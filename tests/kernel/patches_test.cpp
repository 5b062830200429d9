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
