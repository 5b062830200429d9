// SPDX-License-Identifier: MIT
// What `try` says and builds, and what it leaves behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/cli/try_tree.hpp"
#include "tests/lines.hpp"

namespace kerntoll::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(Try, WithoutAChangeSaysWhatCanBeOne) {
    const Finished finished = try_it({});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("nothing is to be tried; give a patch, a series"));
}

TEST_F(Try, TakesOneKindOfChange) {
    const Finished finished = try_it({file("one.patch"), "--append-b", "quiet"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("give one of them"));
}

TEST_F(Try, OfAPatchThatDoesNotApplyIsRefusedWithThePlace) {
    write("bad.patch", replaced(header_patch, "-\tflags = 1;", "-\tflags = 2;"));
    const Finished finished = try_it({file("bad.patch")});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, AllOf(HasSubstr("bad.patch does not apply"),
                                       HasSubstr("include/linux/entry.h:11")));
}

TEST_F(Try, OfAPatchThatDoesNotBuildShowsTheFirstErrorAndGoesOnWithTheOthers) {
    write("typo.patch", replaced(header_patch, "+\tflags = 7;", "+\tflgs = 7;"));
    const Finished finished = try_it({file("typo.patch")}, "x86_64,riscv64");
    EXPECT_EQ(finished.code, 3) << finished.errors;
    EXPECT_THAT(finished.output, AllOf(HasSubstr("x86_64, gcc"), HasSubstr("riscv64, gcc"),
                                       HasSubstr("include/linux/entry.h:12")));
}

TEST_F(Try, OfWhatBuildsAndIsNoKernelSaysSo) {
    const Finished finished = try_it({file("one.patch"), "--format", "json"});
    EXPECT_EQ(finished.code, 2) << finished.errors;
    const json answer = json::parse(finished.output);
    EXPECT_EQ(answer["ports"][0]["sides"].size(), 2U);
    EXPECT_NE(answer["ports"][0]["sides"][0]["image_sha256"],
              answer["ports"][0]["sides"][1]["image_sha256"]);
    EXPECT_THAT(answer["ports"][0]["error"].get<std::string>(), HasSubstr("bzImage"));
    EXPECT_EQ(answer["tree"]["version"], "6.12.1-tiny");
    shell("sha256sum one.patch >sum");
    EXPECT_EQ(answer["changes"][0], "one.patch (SHA-256 " + text_of("sum").substr(0, 12) + ")");
}

TEST_F(Try, BuildsARungForEveryPatchOfASeriesAndPlacebosBehindThem) {
    write("two.patch",
          "--- a/kernel/exec_domain.c\n+++ b/kernel/exec_domain.c\n@@ -4,3 +4,3 @@\n {\n"
          "-\treturn persona & 0xff;\n+\treturn persona & 0xf;\n }\n");
    write("series", "one.patch\ntwo.patch\n");
    const Finished finished = try_it({file("series"), "--placebos", "1", "--format", "json"});
    std::vector<std::string> names;
    const json answer = json::parse(finished.output, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << finished.errors;
    for (const json& side : answer["ports"][0]["sides"]) {
        names.push_back(side["name"]);
    }
    EXPECT_THAT(names, ::testing::ElementsAre("base", "+ one.patch", "+ two.patch", "placebo 1"));
}

TEST_F(Try, OfAGitTreeWithoutAPatchTakesWhatIsNotCommitted) {
    commit();
    EXPECT_THAT(try_it({}).errors, HasSubstr("has no changes that are not committed; give"));
    shell("cd tree && git apply ../one.patch");
    EXPECT_THAT(names_of(sides_of({})), ElementsAre("base", "+ what is not committed"));
}

TEST_F(Try, SaysWhichFilesGitDoesNotTrack) {
    commit();
    write("tree/kernel/new.c", "int added;\n");
    const Finished nothing = try_it({});
    EXPECT_EQ(nothing.code, 2);
    EXPECT_THAT(nothing.errors, HasSubstr("not committed in files that git tracks; give"));
    shell("cd tree && git apply ../one.patch");
    EXPECT_THAT(try_it({}).errors, HasSubstr("git does not track kernel/new.c, so none of the "
                                             "kernels has it; 'git add -N'"));
    shell("cd tree && git add -N kernel/new.c");
    EXPECT_THAT(try_it({}).errors, Not(HasSubstr("git does not track")));
}

TEST_F(Try, ComparesAnEarlierCommitWithHead) {
    set_price(100);
    commit();
    set_price(90);
    commit("two");
    write("tree/kernel/sys.c", "#error not committed\n");
    const Finished finished = try_it(priced({"--against", "HEAD~1", "--format", "json"}));
    EXPECT_EQ(finished.code, 0) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("has changes that are not committed; they are in none"));
    const json port = json::parse(finished.output)["ports"][0];
    EXPECT_THAT(names_of(port["sides"]), ElementsAre("base", "+ HEAD"));
    EXPECT_EQ(port["findings"][0]["base_instructions_per_op"], 100);
    EXPECT_EQ(port["findings"][0]["instructions_per_op"], 90);
    // What repeats it names commits and a folder, not what moves on.
    shell("cd tree && git rev-parse HEAD~1 HEAD >../hashes");
    const std::string hashes = text_of("hashes");
    const json answer = json::parse(finished.output);
    EXPECT_EQ(answer["head"], hashes.substr(41, 40));
    EXPECT_THAT(answer["command"].get<std::string>(),
                AllOf(::testing::StartsWith("cd " + fs::current_path().string() + " && "),
                      HasSubstr("--against " + hashes.substr(0, 40))));
    EXPECT_THAT(answer["changes"][0].get<std::string>(),
                "HEAD (commit " + hashes.substr(41, 12) + ")");

    EXPECT_THAT(try_it({"--against", "HEAD"}).errors, HasSubstr(" and HEAD have the same sources"));
    const Finished unknown = try_it({"--against", "v0.1"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("has no commit 'v0.1'; 'git log' there lists them"));
}

TEST_F(Try, CountsEveryRungOfALadder) {
    set_price(100);
    shell("cp tree/kernel/sys.c 100.c");
    for (const int price : {97, 88}) {
        set_price(price);
        shell("cp tree/kernel/sys.c " + std::to_string(price) + ".c");
    }
    set_price(100);
    shell(
        "diff -u --label a/kernel/sys.c --label b/kernel/sys.c 100.c 97.c >1.patch; "
        "diff -u --label a/kernel/sys.c --label b/kernel/sys.c 97.c 88.c >2.patch; true");
    write("series", "# cheaper in two steps\n\n1.patch -p1\n  2.patch # the second\n");
    const Finished finished =
        try_it(priced({file("series"), "--placebos", "1", "--format", "json"}));
    EXPECT_EQ(finished.code, 0) << finished.errors;
    const json found = json::parse(finished.output)["ports"][0]["findings"];
    std::vector<double> counts;
    for (const json& each : found) {
        EXPECT_EQ(each["base_instructions_per_op"], 100);
        counts.push_back(each["instructions_per_op"]);
    }
    EXPECT_THAT(counts, ElementsAre(97, 88, 100));
}

TEST_F(Try, OfARungThatDoesNotBuildMeasuresThoseBelowIt) {
    set_price(97);
    shell("cp tree/kernel/sys.c 97.c && (cat 97.c; echo '#error oops') >no.c");
    set_price(100);
    shell(
        "cp tree/kernel/sys.c 100.c; for step in '1 100 97' '2 97 no' '3 no 97'; do set -- $step; "
        "diff -u --label a/kernel/sys.c --label b/kernel/sys.c $2.c $3.c >$1.patch; done; true");
    const Finished finished =
        try_it(priced({file("1.patch"), file("2.patch"), file("3.patch"), "--format", "json"}));
    EXPECT_EQ(finished.code, 3) << finished.errors;
    const json port = json::parse(finished.output)["ports"][0];
    EXPECT_THAT(names_of(port["sides"]), ElementsAre("base", "+ 1.patch"));
    ASSERT_EQ(port["findings"].size(), 1U);
    EXPECT_EQ(port["findings"][0]["base_instructions_per_op"], 100);
    EXPECT_EQ(port["findings"][0]["instructions_per_op"], 97);
    EXPECT_THAT(port["error"].get<std::string>(),
                AllOf(HasSubstr("+ 2.patch, does not build"), HasSubstr("oops")));
}

TEST_F(Try, ComparesCommandLinesOfOneKernel) {
    const json sides = sides_of({"--append-b", "mitigations=off quiet"});
    EXPECT_THAT(names_of(sides), ElementsAre("base", "+ mitigations=off quiet"));
    EXPECT_EQ(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    EXPECT_THAT(sides[0]["target"].get<std::string>(), Not(HasSubstr("mitigations")));
    EXPECT_THAT(sides[1]["target"].get<std::string>(),
                HasSubstr("append=\"mitigations=off quiet\""));
}

TEST_F(Try, ComparesConfigurations) {
    write("smp", "CONFIG_SMP=y");
    const json sides = sides_of({"--config-b", file("smp")});
    EXPECT_THAT(names_of(sides), ElementsAre("base", "+ smp"));
    EXPECT_NE(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    EXPECT_NE(sides[0]["config_sha256"], sides[1]["config_sha256"]);
}

TEST_F(Try, TakesAConfigurationOfTheUsers) {
    const json tiny = sides_of({file("one.patch")});
    write("config", "CONFIG_TINY=y\nCONFIG_SMP=y\n");
    const json smp = sides_of({file("one.patch")});
    EXPECT_NE(tiny[0]["image_sha256"], smp[0]["image_sha256"]);
}

TEST_F(Try, BuildsNothingTwice) {
    for (const json& side : sides_of({file("one.patch")})) {
        EXPECT_FALSE(side["cached"]);
    }
    for (const json& side : sides_of({file("one.patch")})) {
        EXPECT_TRUE(side["cached"]);
    }
}

/// Builds that take their time.
class TrySlowly : public Try {
protected:
    /// Whether somebody builds from a copy.
    [[nodiscard]] static bool is_taken(const fs::path& copy) {
        const int lock = open((copy / "lock").c_str(), O_RDWR | O_CLOEXEC);
        const bool taken = flock(lock, LOCK_EX | LOCK_NB) != 0;
        close(lock);
        return taken;
    }
    /// That what is built now is what is built with a cache that has seen nothing else.
    void expect_a_sound_cache() const {
        compile_slowly("0");
        const json sides = sides_of({file("one.patch")});
        fs::remove_all(file("cache"));
        const json clean = sides_of({file("one.patch")});
        ASSERT_EQ(sides.size(), 2U);
        for (std::size_t index = 0; index < 2; ++index) {
            EXPECT_EQ(sides[index]["image_sha256"], clean[index]["image_sha256"]);
        }
        EXPECT_NE(clean[0]["image_sha256"], clean[1]["image_sha256"]);
    }
};

TEST_F(TrySlowly, EndsWithCtrlCInTheMiddleOfABuild) {
    compile_slowly("60");
    Kerntoll running(arguments({file("one.patch")}), environment());
    const fs::path copy = at_work();
    running.send(SIGINT);
    const Finished finished = running.wait(20s);
    EXPECT_EQ(finished.code, 3) << finished.errors;
    EXPECT_THAT(children_left(), IsEmpty());
    EXPECT_FALSE(is_taken(copy));
    expect_a_sound_cache();
}

TEST_F(TrySlowly, KilledInTheMiddleOfABuildKeepsNobodyFromTheNext) {
    compile_slowly("2");
    Kerntoll running(arguments({file("one.patch")}), environment());
    const fs::path copy = at_work();
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().signal, SIGKILL);
    // Compilers that outlive it could write into the next one's objects.
    EXPECT_TRUE(is_taken(copy));
    EXPECT_THAT(children_left(), IsEmpty());
    EXPECT_FALSE(is_taken(copy));
    expect_a_sound_cache();
}

TEST_F(TrySlowly, TwoAtOnceBuildOneAfterTheOtherAndTheSame) {
    const auto words = arguments({file("one.patch"), "--format", "json"});
    compile_slowly("0.3");
    Kerntoll first(words, environment());
    (void)at_work();
    auto others = words;
    *(std::ranges::find(others, file("results.db"))) = file("other.db");
    Kerntoll second(others, environment());
    const json one = json::parse(first.wait().output)["ports"][0]["sides"];
    const json other = json::parse(second.wait().output)["ports"][0]["sides"];
    ASSERT_EQ(one.size(), 2U);
    for (std::size_t index = 0; index < 2; ++index) {
        EXPECT_EQ(one[index]["image_sha256"], other[index]["image_sha256"]);
        EXPECT_FALSE(one[index]["cached"]);
        EXPECT_TRUE(other[index]["cached"]) << "built by the one that it waited for";
    }
}

TEST_F(Try, OnADiskThatFillsUpSaysSoAndLeavesNothingWrong) {
    commit();  // so that git writes into the cache, too
    const json clean = sides_of({file("one.patch")});
    ASSERT_EQ(clean.size(), 2U);
    fs::remove_all(file("cache"));
    fs::create_directory(file("cache"));
    const std::string own = geteuid() == 0 ? "unshare -m " : "unshare -rm ";
    if (std::system((own + "mount -t tmpfs none '" + file("cache") + "' 2>/dev/null").c_str()) !=
        0) {
        GTEST_SKIP() << "no file system can be mounted here";
    }
    std::string words = "'" KERNTOLL_BINARY "'";
    for (const std::string& word : arguments({file("one.patch"), "--format", "json"})) {
        words += " '" + word + "'";
    }
    std::size_t full = 0;
    for (const int kibibytes : {12, 40, 70, 100, 130, 160, 200, 240}) {
        shell("export XDG_CACHE_HOME=\"$PWD/cache\"; " + own +
              "sh -c \"mount -t tmpfs -o size=" + std::to_string(kibibytes) + "k none cache; " +
              words + " >small.out 2>&1; echo \\$? >code; mount -o remount,size=50m none cache; " +
              words + " >large.out; true\"");
        const std::string small = text_of("small.out");
        if (small.contains("the disk is full: ")) {
            ++full;
            EXPECT_EQ(text_of("code"), "2\n") << small;
        } else {
            EXPECT_THAT(small, HasSubstr("\"image_sha256\"")) << kibibytes << " KiB";
        }
        const json answer = json::parse(text_of("large.out"), nullptr, false);
        ASSERT_TRUE(answer.is_object()) << kibibytes << " KiB";
        const json sides = answer["ports"][0]["sides"];
        ASSERT_EQ(sides.size(), 2U) << kibibytes << " KiB";
        EXPECT_EQ(sides[0]["image_sha256"], clean[0]["image_sha256"]) << kibibytes << " KiB";
        EXPECT_EQ(sides[1]["image_sha256"], clean[1]["image_sha256"]) << kibibytes << " KiB";
    }
    EXPECT_GE(full, 3U);
}

TEST_F(Try, NamesTheAgentThatIsMissingBeforeAnythingIsBuilt) {
    auto without = environment();
    without.push_back("KERNTOLL_AGENT_DIR=" + file("nowhere"));
    const Finished finished = run_kerntoll(arguments({file("one.patch")}), without);
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("the agent kerntoll-agent-x86_64 is missing"));
    EXPECT_FALSE(fs::exists(file("cache/kerntoll/kernels/images")));
}

TEST_F(Try, SaysHowToNameAnotherQemu) {
    shell("printf '#!/bin/sh\\necho hello\\n' >none && chmod +x none");
    const Finished finished = try_it({file("one.patch"), "--qemu", "x86_64=" + file("none")});
    EXPECT_EQ(finished.code, 2) << finished.errors;
    std::string said = finished.output;
    std::ranges::replace(said, '\n', ' ');
    EXPECT_THAT(said, AllOf(HasSubstr("with --qemu x86_64=PATH."),
                            HasSubstr("The kernels are built, the base is ")));
}

TEST_F(Try, SaysOnceWhyThereIsNoPath) {
    set_price(100);
    write("words.patch", replaced(header_patch, "+\tflags = 7;", "+\tflags = 8;"));
    const Finished finished = try_it(priced({file("words.patch")}));
    EXPECT_EQ(finished.code, 0) << finished.errors;
    const std::string why = "no path of getpid, the comparison goes on without it: ";
    std::string said = finished.output;
    std::ranges::replace(said, '\n', ' ');
    const auto first = said.find(why);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_EQ(said.find(why, first + 1), std::string::npos) << said;
}

TEST_F(Try, NamesTheCompilerThatIsMissing) {
    const Finished finished = try_it({file("one.patch")}, "loongarch64");
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("Debian has no gcc for loongarch64; use --cc clang"));
}

TEST_F(Try, HelpTeaches) {
    const Finished finished = run_kerntoll({"try", "--help"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_THAT(finished.output, AllOf(HasSubstr("kerntoll try 0001-entry-inline-exit.patch"),
                                       HasSubstr("ladder"), HasSubstr("flex, bison")));
}

}  // namespace
}  // namespace kerntoll::test
