// SPDX-License-Identifier: MIT
// What --save keeps, and what a reader of the table is told of sides that are alike.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/try_tree.hpp"

namespace kerntoll::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class TrySave : public Try {
protected:
    [[nodiscard]] std::vector<std::string> folders(const std::string& name) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(file(name))) {
            names.push_back(entry.path().filename());
        }
        return names;
    }
};

TEST_F(TrySave, KeepsPatchesOfOneNameApart) {
    fs::create_directory(file("v1"));
    fs::create_directory(file("v2"));
    write("v1/fix.patch", header_patch);
    write("v2/fix.patch", replaced(replaced(header_patch, "-\tflags = 1;", "-\tflags = 7;"),
                                   "+\tflags = 7;", "+\tflags = 9;"));
    const json sides =
        sides_of({file("v1/fix.patch"), file("v2/fix.patch"), "--save", file("out")});
    EXPECT_THAT(names_of(sides), ElementsAre("base", "+ fix.patch", "+ fix.patch (2)"));
    EXPECT_THAT(folders("out/x86_64-gcc"),
                UnorderedElementsAre("00-base", "01-fix.patch", "02-fix.patch_2"));
    EXPECT_NE(text_of("out/x86_64-gcc/01-fix.patch/System.map"), "");
}

TEST_F(TrySave, KeepsWordsThatAreNoNameInAFolderOfTheirOwn) {
    EXPECT_EQ(sides_of({"--append-b", "..", "--save", file("out")}).size(), 2U);
    EXPECT_THAT(folders("out/x86_64-gcc"), UnorderedElementsAre("00-base", "01-.."));
    EXPECT_FALSE(fs::exists(file("out/bzImage")));
}

TEST_F(TrySave, MixesNothingWithWhatAnEarlierTrialLeft) {
    EXPECT_EQ(sides_of({file("one.patch"), "--save", file("out")}).size(), 2U);
    const std::string report = text_of("out/report.txt");
    const Finished again = try_it({file("one.patch"), "--save", file("out")});
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.errors, HasSubstr("out is not empty"));
    EXPECT_EQ(text_of("out/report.txt"), report);
}

TEST_F(TrySave, IsNoPartOfTheCommandThatRepeatsIt) {
    set_price(100);
    const std::vector<std::string> words =
        priced({file("one.patch"), "--save", file("out"), "-j", "1"});
    const Finished first = try_it(words);
    EXPECT_EQ(first.code, 0) << first.errors;
    const std::string mark = "\nRepeat it: ";
    const auto at = first.output.find(mark);
    ASSERT_NE(at, std::string::npos) << first.output;
    const std::string command =
        first.output.substr(at + mark.size(), first.output.find('\n', at + 1) - at - mark.size());
    EXPECT_THAT(text_of("out/commit-message.txt"), Not(HasSubstr("--save")));
    shell("kerntoll() { XDG_CACHE_HOME='" + file("cache") + "' '" KERNTOLL_BINARY "' \"$@\"; }; " +
          command + " --db '" + file("other.db") + "'");
}

TEST_F(TrySave, SaysWhichOptionsOfTheUsersKconfigDropped) {
    write("config", "CONFIG_TINY=y\nCONFIG_NO_SUCH=y\n");
    const json sides = sides_of({file("one.patch")});
    EXPECT_THAT(sides[0]["remarks"].dump(),
                HasSubstr("of --config, Kconfig did not take NO_SUCH=y"));
}

TEST_F(TrySave, SaysThatAConfigurationChangesNothing) {
    write("same", "CONFIG_TINY=y\n");
    const json sides = sides_of({"--config-b", file("same")});
    EXPECT_EQ(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    EXPECT_THAT(sides[1]["remarks"].dump(), HasSubstr("its image is the base's, bit for bit"));
}

}  // namespace
}  // namespace kerntoll::test
