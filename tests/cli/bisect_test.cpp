// SPDX-License-Identifier: MIT
// bisect-step as `git bisect run` runs it.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/cli/try_tree.hpp"

namespace kerntoll::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class BisectStep : public Try {
protected:
    /// Commits these prices, one after the other; those below zero do not build.
    void commit_prices(const std::vector<int>& prices) const {
        for (const int price : prices) {
            set_price(std::abs(price));
            if (price < 0) {
                write("tree/kernel/sys.c", text_of("tree/kernel/sys.c") + "#error broken\n");
            }
            write("tree/number", text_of("tree/number") + "x");
            commit("costs " + std::to_string(price));
            if (price < 0) {
                write("tree/kernel/sys.c",
                      replaced(text_of("tree/kernel/sys.c"), "#error broken\n", ""));
            }
        }
    }
    /// What `git bisect run` says of all commits but the first, which is the good one.
    [[nodiscard]] std::string bisect(const std::string& options) const {
        const std::string command =
            "cd '" + tree() +
            "' && first=$(git rev-list HEAD | tail -n 1) && "
            "git bisect start HEAD $first && XDG_CACHE_HOME='" +
            file("cache") +
            "' git bisect run " KERNTOLL_BINARY " bisect-step --arch x86_64 --config '" +
            file("config") + "' --db '" + file("results.db") + "' --good $first " + options +
            " --qemu x86_64=" KERNTOLL_PRICED_QEMU;
        (void)std::system(("( " + command + " ) >'" + file("bisect.log") + "' 2>&1").c_str());
        return text_of("bisect.log");
    }
    /// The hash of a commit: HEAD itself is nothing to be held against.
    [[nodiscard]] std::string hash(const std::string& name) const {
        shell("cd tree && git rev-parse " + name + " >../hash");
        return text_of("hash").substr(0, 40);
    }
    [[nodiscard]] Finished step(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"bisect-step"};
        all.insert(all.end(), more.begin(), more.end());
        add_unless_given(all, "--tree", tree());
        add_unless_given(all, "--arch", "x86_64");
        add_unless_given(all, "--config", file("config"));
        add_unless_given(all, "--db", file("results.db"));
        add_unless_given(all, "--qemu", "x86_64=" KERNTOLL_PRICED_QEMU);
        return run_kerntoll(all, environment());
    }
};

TEST_F(BisectStep, OfTheGoodCommitItselfIsGood) {
    commit();
    const Finished finished = step({"--good", hash("HEAD")});
    EXPECT_EQ(finished.code, 0) << finished.errors;
}

TEST_F(BisectStep, TakesNoCommitForGoodThatMovesAlong) {
    commit_prices({100, 104});
    shell("cd tree && git tag first HEAD~1 && git branch --force topic && git tag @odd");
    for (const char* name : {"HEAD", "@", "HEAD~1", "@~", "HEAD^", "@{0}", "HEAD@{0}"}) {
        const Finished finished = step(priced({"--good", name}));
        EXPECT_EQ(finished.code, 128) << name;
        EXPECT_THAT(finished.errors, HasSubstr("it is another commit at each step")) << name;
    }
    // The branch that is checked out, too.
    shell("cd tree && git checkout -q topic");
    EXPECT_EQ(step(priced({"--good", "topic"})).code, 128);
    // And the one that the bisection goes out from.
    shell("cd tree && git bisect start topic first && git checkout -q --detach first");
    const Finished bad = step(priced({"--good", "topic"}));
    EXPECT_EQ(bad.code, 128);
    EXPECT_THAT(bad.errors, HasSubstr("as the bad one; give a tag or a hash"));

    const Finished good = step(priced({"--good", "first"}));
    EXPECT_EQ(good.code, 0);
    EXPECT_THAT(good.errors, HasSubstr("good: HEAD has the sources of first (" +
                                       hash("first").substr(0, 12) + ")"));
    EXPECT_EQ(step(priced({"--good", "@odd~1"})).code, 0);
}

TEST_F(BisectStep, TakesAHotFixForAPartOfTheCommit) {
    // As git-bisect(1) has it: what a commit lacks to build is applied, and not committed.
    commit_prices({100, -150});
    const std::vector<std::string> words = priced({"--good", hash("HEAD~1")});
    EXPECT_EQ(step(words).code, 1) << "its work tree is mended already, and costs 150";
    shell("cd tree && git checkout -q -- .");
    EXPECT_EQ(step(words).code, 125) << "as committed it does not build";
    shell("cd tree && sed -i '/#error/d' kernel/sys.c");
    const Finished fixed = step(words);
    EXPECT_EQ(fixed.code, 1) << fixed.errors;
    EXPECT_THAT(fixed.errors, AllOf(HasSubstr("changes that are not committed; they are part of"),
                                    HasSubstr("bad: getpid: 150 instructions, 100 at ")));
}

TEST_F(BisectStep, CannotTellOfWhatDoesNotBuild) {
    commit();
    write("typo.patch", replaced(header_patch, "+\tflags = 7;", "+\tflgs = 7;"));
    shell("cd tree && git apply ../typo.patch");
    commit("two");
    const Finished finished = step({"--good", hash("HEAD~1")});
    EXPECT_EQ(finished.code, 125);
    EXPECT_THAT(finished.errors, HasSubstr("does not build"));
}

TEST_F(BisectStep, EndsTheBisectionWhereNoCommitWouldDo) {
    // 1 to 127 would be "bad" to git.
    commit();
    EXPECT_EQ(step({"--good", "nothing"}).code, 128);
    EXPECT_EQ(step({"--good", hash("HEAD"), "--threshold", "much"}).code, 128);
    EXPECT_EQ(step({}).code, 128);
    EXPECT_EQ(step({"--good", hash("HEAD"), "--arch", "loongarch64"}).code, 128);
}

TEST_F(BisectStep, EndsTheBisectionWhereACompilerWasKilled) {
    // That memory ran out says nothing of the commit, and would of no other.
    commit_prices({100, 104});
    const std::string makefile = text_of("tree/Makefile");
    write("tree/Makefile",
          replaced(makefile, "\t@echo '  CC      $@'",
                   "\t@echo 'gcc: fatal error: Killed signal terminated program cc1' >&2; exit 1"));
    set_price(108);
    commit("is built where memory is short");
    const Finished finished = step({"--good", hash("HEAD~1")});
    EXPECT_EQ(finished.code, 128) << finished.errors;
    EXPECT_THAT(finished.errors, AllOf(HasSubstr("a compiler or linker was killed"),
                                       Not(HasSubstr("does not build"))));
}

TEST_F(BisectStep, SaysHowToNameAnotherQemuBeforeAnythingIsBuilt) {
    commit_prices({100, 104});
    shell("printf '#!/bin/sh\\necho hello\\n' >none && chmod +x none");
    const Finished finished = step({"--good", hash("HEAD~1"), "--qemu", "x86_64=" + file("none")});
    EXPECT_EQ(finished.code, 128);
    EXPECT_THAT(finished.errors, HasSubstr("does not answer --version as QEMU does"));
    EXPECT_THAT(finished.errors, HasSubstr(" with --qemu x86_64=PATH\n"));
    EXPECT_FALSE(std::filesystem::exists(file("cache/kerntoll/kernels/work")));
}

TEST_F(BisectStep, FindsTheCommitThatCostsMore) {
    commit_prices({100, 100, 102, 103, 103, 104});
    const std::string log = bisect("--threshold 3");
    EXPECT_THAT(log, AllOf(HasSubstr("is the first bad commit"), HasSubstr("costs 103"),
                           HasSubstr("bad: getpid: 103 instructions, 100 at "),
                           HasSubstr("good: getpid: 102 instructions")));
}

TEST_F(BisectStep, FindsTheCommitThatCostsLess) {
    commit_prices({100, 101, 98, 97, 96});
    EXPECT_THAT(bisect("--threshold -3"),
                AllOf(HasSubstr("is the first bad commit"), HasSubstr("costs 97"),
                      HasSubstr("bad: getpid: 97 instructions")));
}

TEST_F(BisectStep, PassesOverWhatDoesNotBuild) {
    commit_prices({100, 100, -100, 104, 104});
    EXPECT_THAT(bisect("--threshold 3"),
                AllOf(HasSubstr("does not build"), HasSubstr("bad: getpid: 104 instructions"),
                      HasSubstr("The first bad commit could be any of"),
                      Not(HasSubstr("is the first bad commit"))));
}

TEST_F(BisectStep, ByTimeOfWhatIsEquivalentIsGood) {
    commit_prices({100, 100});
    const Finished finished =
        step(priced({"--good", hash("HEAD~1"), "--threshold", "1%", "--max-time", "12s"}));
    // On a busy machine there may be too few replicates for a verdict by then.
    if (finished.code == 125) {
        EXPECT_THAT(finished.errors,
                    HasSubstr("cannot tell: getpid: HEAD against " + hash("HEAD~1").substr(0, 12) +
                              " is undecided, 0.0 %"));
        return;
    }
    EXPECT_EQ(finished.code, 0) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("good: getpid: HEAD against " +
                                           hash("HEAD~1").substr(0, 12) + " is equivalent"));
}

TEST_F(BisectStep, ByTimeOfWhatIsSlowerIsBad) {
    commit_prices({100, 150});
    const Finished finished =
        step(priced({"--good", hash("HEAD~1"), "--threshold", "1%", "--max-time", "60s"}));
    EXPECT_EQ(finished.code, 1) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("bad: getpid: HEAD against "));
    EXPECT_THAT(finished.errors, HasSubstr(" is slower, +50."));
}

TEST_F(BisectStep, ByTimeCannotTellWhatIsUndecided) {
    commit_prices({100, 120});
    // Too short for an interval.
    const Finished finished =
        step(priced({"--good", hash("HEAD~1"), "--threshold", "1%", "--max-time", "1ms"}));
    EXPECT_EQ(finished.code, 125) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("cannot tell: "));
}

TEST_F(BisectStep, IsEndedByCtrlCAndEndsTheBisection) {
    compile_slowly("8");
    commit();
    // The second one ends it at once; a signal that is pending already is not delivered twice.
    for (const auto& signals : {std::vector{SIGINT}, {SIGINT, SIGTERM}}) {
        std::filesystem::remove_all(file("cache"));
        Kerntoll running(
            {"bisect-step", "--tree", tree(), "--arch", "x86_64", "--config", file("config"),
             "--good", hash("HEAD"), "--qemu", "x86_64=" KERNTOLL_PRICED_QEMU},
            environment());
        (void)at_work();
        for (const int signal : signals) {
            running.send(signal);
        }
        const Finished finished = running.wait(20s);
        EXPECT_EQ(finished.code, 128) << finished.errors;
        // Compilers of one that was ended at once go on to the end of their step.
        if (signals.size() == 1) {
            EXPECT_THAT(children_left(), IsEmpty());
        }
    }
}

TEST_F(BisectStep, WithAGoodCommitThatDoesNotBuildEndsTheBisection) {
    commit_prices({-100, 104});
    const Finished finished = step({"--good", hash("HEAD~1")});
    EXPECT_EQ(finished.code, 128) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("base, does not build"));
}

TEST_F(BisectStep, ToldOfTwoArchitecturesEndsTheBisection) {
    commit();
    const Finished finished = step({"--good", hash("HEAD"), "--arch", "x86_64,riscv64"});
    EXPECT_EQ(finished.code, 128);
    EXPECT_THAT(finished.errors, HasSubstr("one architecture at a time"));
}

}  // namespace
}  // namespace kerntoll::test
