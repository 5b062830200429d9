// SPDX-License-Identifier: MIT
// try and bisect-step as a user runs them, on a tree that builds as Linux does and boots nowhere:
// what is asked of a real kernel is in the long test at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/lines.hpp"

namespace kerntoll::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* header_patch =
    "diff --git a/include/linux/entry.h b/include/linux/entry.h\n"
    "--- a/include/linux/entry.h\n+++ b/include/linux/entry.h\n@@ -11,5 +11,5 @@\n"
    " static inline void enter(void)\n {\n-\tflags = 1;\n+\tflags = 7;\n }\n \n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

class Try : public ::testing::Test {
protected:
    Try() {
        fs::copy(KERNTOLL_TINY_TREE, tree(), fs::copy_options::recursive);
        write("config", "CONFIG_TINY=y\n");
        write("one.patch", header_patch);
    }
    [[nodiscard]] std::string tree() const { return scratch_ / "tree"; }
    [[nodiscard]] std::string file(const std::string& name) const { return scratch_ / name; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(scratch_ / name) << text;
    }
    [[nodiscard]] std::vector<std::string> arguments(const std::vector<std::string>& more,
                                                     const std::string& archs = "x86_64") const {
        std::vector<std::string> all{"try",  "--tree",          tree(),         "--arch",
                                     archs,  "--config",        file("config"), "--no-time",
                                     "--db", file("results.db")};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] std::vector<std::string> environment() const {
        return {"XDG_CACHE_HOME=" + file("cache")};
    }
    [[nodiscard]] Finished try_it(const std::vector<std::string>& more,
                                  const std::string& archs = "x86_64") const {
        return run_kerntoll(arguments(more, archs), environment());
    }
    [[nodiscard]] Finished git(const std::string& words) const {
        const std::string command =
            "cd " + tree() + " && git -c user.name=a -c user.email=a@b " + words;
        Finished finished;
        finished.code = std::system(command.c_str());
        return finished;
    }

private:
    ScratchDirectory scratch_;
};

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
    ASSERT_EQ(
        git("init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one").code,
        0);
    EXPECT_THAT(try_it({}).errors, HasSubstr("has no changes that are not committed"));
    ASSERT_EQ(git("apply " + file("one.patch")).code, 0);
    const Finished finished = try_it({"--format", "json"});
    const json answer = json::parse(finished.output, nullptr, false);
    ASSERT_TRUE(answer.is_object()) << finished.errors;
    EXPECT_EQ(answer["ports"][0]["sides"][1]["name"], "+ what is not committed");
}

TEST_F(Try, EndsWithCtrlCInTheMiddleOfABuild) {
    // A compiler that takes its time: the tree's own Makefile runs it.
    std::ifstream before(tree() + "/Makefile");
    const std::string makefile{std::istreambuf_iterator<char>(before), {}};
    write("tree/Makefile",
          replaced(makefile, "\t@echo '  CC      $@'", "\t@echo '  CC      $@'; sleep 60"));
    Kerntoll running(arguments({file("one.patch")}), environment());
    std::this_thread::sleep_for(2s);
    running.send(SIGINT);
    const Finished finished = running.wait(20s);
    EXPECT_EQ(finished.code, 3) << finished.errors;
    EXPECT_THAT(children_left(), IsEmpty());
    write("tree/Makefile", makefile);
    EXPECT_THAT(try_it({file("one.patch")}).output, HasSubstr("bzImage"));
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

class BisectStep : public Try {
protected:
    [[nodiscard]] Finished step(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"bisect-step", "--tree",   tree(),        "--arch",
                                     "x86_64",      "--config", file("config")};
        all.insert(all.end(), more.begin(), more.end());
        return run_kerntoll(all, environment());
    }
    void commit() const {
        ASSERT_EQ(
            git("init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one")
                .code,
            0);
    }
};

TEST_F(BisectStep, OfTheGoodCommitItselfIsGood) {
    commit();
    const Finished finished = step({"--good", "HEAD"});
    EXPECT_EQ(finished.code, 0) << finished.errors;
}

TEST_F(BisectStep, CannotTellOfWhatDoesNotBuild) {
    commit();
    write("typo.patch", replaced(header_patch, "+\tflags = 7;", "+\tflgs = 7;"));
    ASSERT_EQ(git("apply " + file("typo.patch") +
                  " && git -c user.name=a -c user.email=a@b commit -qam two")
                  .code,
              0);
    const Finished finished = step({"--good", "HEAD~1"});
    EXPECT_EQ(finished.code, 125);
    EXPECT_THAT(finished.errors, HasSubstr("does not build"));
}

TEST_F(BisectStep, EndsTheBisectionWhereNoCommitWouldDo) {
    // 1 to 127 would be "bad" to git.
    commit();
    EXPECT_EQ(step({"--good", "nothing"}).code, 128);
    EXPECT_EQ(step({"--good", "HEAD", "--threshold", "much"}).code, 128);
    EXPECT_EQ(step({}).code, 128);
    EXPECT_EQ(step({"--good", "HEAD", "--arch", "loongarch64"}).code, 128);
}

/// A real riscv64 kernel from Debian's source package: minutes of both CPUs.
TEST(TryOfARealKernel, CountsAChangeOfTheEntryPath) {
    const char* wanted = std::getenv("KERNTOLL_LONG");
    if (wanted == nullptr || *wanted == '\0') {
        GTEST_SKIP() << "KERNTOLL_LONG is not set";
    }
    const ScratchDirectory scratch;
    const fs::path archive = "/usr/src/linux-source-6.12.tar.xz";
    ASSERT_TRUE(fs::exists(archive)) << "install Debian's package linux-source-6.12";
    const std::string tree = scratch / "linux-source-6.12";
    ASSERT_EQ(
        std::system(("tar -C " + (scratch / "").string() + " -xf " + archive.string()).c_str()), 0);
    // One call more on getpid's path, which no compiler can leave out.
    std::ofstream(scratch / "slower.patch")
        << "--- a/kernel/sys.c\n+++ b/kernel/sys.c\n@@ -0,0 +1 @@\n+/* kerntoll's test */\n";
    const std::string source = tree + "/kernel/sys.c";
    std::ifstream before(source);
    const std::string text{std::istreambuf_iterator<char>(before), {}};
    const std::string call = "\treturn task_tgid_vnr(current);\n";
    ASSERT_THAT(text, HasSubstr(call));
    std::ofstream(scratch / "new.c")
        << replaced(text, call, "\tasm volatile(\"nop; nop; nop; nop; nop\");\n" + call);
    ASSERT_LE(std::system(("cd " + (scratch / "").string() +
                           " && diff -u linux-source-6.12/kernel/sys.c new.c "
                           "--label a/kernel/sys.c --label b/kernel/sys.c >slower.patch; true")
                              .c_str()),
              0);
    const Finished finished =
        Kerntoll({"try", scratch / "slower.patch", "--tree", tree, "--arch", "riscv64",
                  "--placebos", "1", "--no-time", "--format", "json", "--db", scratch / "r.db",
                  "--save", scratch / "saved"},
                 {"XDG_CACHE_HOME=" + (scratch / "cache").string()})
            .wait(3000s);
    ASSERT_EQ(finished.code, 0) << finished.errors;
    const json found = json::parse(finished.output)["ports"][0]["findings"];
    ASSERT_EQ(found.size(), 2U);
    const double base = found[0]["base_instructions_per_op"];
    EXPECT_EQ(found[0]["instructions_per_op"], base + 5);
    EXPECT_EQ(found[1]["side"], "placebo 1");
    EXPECT_EQ(found[1]["instructions_per_op"], base);
    EXPECT_TRUE(fs::exists(scratch / "saved/riscv64-gcc/base/System.map"));
    EXPECT_TRUE(fs::exists(scratch / "saved/commit-message.txt"));
}

}  // namespace
}  // namespace kerntoll::test
