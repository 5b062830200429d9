// SPDX-License-Identifier: MIT
// Trees and patches of all sorts: those that go through `try`, and those that it refuses in a
// sentence.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/try_tree.hpp"

namespace kerntoll::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TryTree : public Try {
protected:
    /// Tries a patch on another tree; the last --tree counts.
    [[nodiscard]] json sides_in(const std::string& folder, const std::string& patch) const {
        const Finished finished =
            run_kerntoll({"try", "--tree", folder, "--arch", "x86_64", "--config", file("config"),
                          "--no-time", "--db", file("results.db"), "--format", "json", file(patch)},
                         environment());
        const json answer = json::parse(finished.output, nullptr, false);
        EXPECT_TRUE(answer.is_object()) << finished.errors;
        return answer.is_object() ? answer["ports"][0]["sides"] : json::array();
    }
    void expect_it_builds_in(const std::string& folder) const {
        const json sides = sides_in(folder, "one.patch");
        ASSERT_EQ(sides.size(), 2U);
        EXPECT_NE(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    }
    [[nodiscard]] std::string refusal(const std::vector<std::string>& words) const {
        const Finished finished = try_it(words);
        EXPECT_EQ(finished.code, 2);
        EXPECT_EQ(std::ranges::count(finished.errors, '\n'), 1) << finished.errors;
        return finished.errors;
    }
};

TEST_F(TryTree, MayHaveSpacesInItsName) {
    fs::rename(tree(), file("my linux tree"));
    expect_it_builds_in(file("my linux tree"));
}

TEST_F(TryTree, MayBeASymbolicLink) {
    fs::create_directory_symlink(tree(), file("link"));
    expect_it_builds_in(file("link"));
}

TEST_F(TryTree, MayBeAWorktree) {
    commit();
    shell("cd tree && git worktree add -q ../other");
    expect_it_builds_in(file("other"));
    shell("cd other && test -z \"$(git status --porcelain)\"");
}

TEST_F(TryTree, MayBeASubmodule) {
    commit();
    shell(
        "mkdir whole && cd whole && git init -q . && "
        "git -c protocol.file.allow=always submodule --quiet add ../tree linux");
    expect_it_builds_in(file("whole/linux"));
}

TEST_F(TryTree, MayBeAShallowClone) {
    commit();
    write("tree/kernel/new.c", "int added;\n");
    commit("two");
    shell("git clone -q --depth 1 file://$PWD/tree shallow");
    expect_it_builds_in(file("shallow"));
    const Finished earlier = try_it({"--tree", file("shallow"), "--against", "HEAD~1"});
    EXPECT_THAT(earlier.errors, HasSubstr("git fetch --unshallow"));
}

TEST_F(TryTree, MayBeOneThatCannotBeWritten) {
    shell("chmod -R a-w tree");
    expect_it_builds_in(tree());
    // Whoever may write everywhere sees no difference above; the copy must be one for the others.
    shell("test -z \"$(find cache -path '*/source/*' -type f ! -perm -u+w)\"");
    const Finished placebo = try_it({file("one.patch"), "--placebos", "1"});
    EXPECT_THAT(placebo.errors, Not(HasSubstr("cannot")));
    shell("chmod -R u+w tree");
}

TEST_F(TryTree, ThatIsNoneOrTooOldIsRefused) {
    EXPECT_THAT(refusal({file("one.patch"), "--tree", file("nowhere")}),
                HasSubstr("there is no folder"));
    EXPECT_THAT(refusal({file("one.patch"), "--tree", file("config")}),
                HasSubstr("there is no folder"));
    EXPECT_THAT(refusal({file("one.patch"), "--tree", file("")}), HasSubstr("has no Makefile"));
    write("tree/Makefile",
          replaced(replaced(text_of("tree/Makefile"), "VERSION = 6", "VERSION = 5"),
                   "PATCHLEVEL = 12", "PATCHLEVEL = 4"));
    EXPECT_THAT(refusal({file("one.patch")}), HasSubstr("is Linux 5.4, and the oldest"));
    shell("cd tree && git init -q .");
    EXPECT_THAT(refusal({file("one.patch")}), HasSubstr("has no commit 'HEAD'"));
}

TEST_F(TryTree, OfAPatchThatTouchesNothingCompiledSaysSo) {
    write("doc.patch", "--- /dev/null\n+++ b/Documentation/entry.rst\n@@ -0,0 +1 @@\n+Words.\n");
    const json sides = sides_of({file("doc.patch")});
    EXPECT_EQ(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    EXPECT_THAT(sides[1]["remarks"].dump(), HasSubstr("records name none of the files"));
}

TEST_F(TryTree, TakesAPatchThatAMailerGaveItsLineEnds) {
    const json plain = sides_of({file("one.patch")});
    shell("sed 's/$/\\r/' one.patch >mailed.patch");
    const json mailed = sides_of({file("mailed.patch")});
    EXPECT_EQ(mailed[1]["image_sha256"], plain[1]["image_sha256"]);
}

TEST_F(TryTree, TakesAPatchThatAddsRenamesAndDeletesWhatIsCompiled) {
    shell(
        "cp -a tree new && cd new && git mv -f /dev/null x 2>/dev/null; "
        "mv init/main.c init/start.c && rm kernel/exec_domain.c && "
        "printf 'int more(void);\nint more(void)\n{\n\treturn 1;\n}\n' >kernel/more.c && "
        "sed -i 's,init/main.o kernel/exec_domain.o,init/start.o kernel/more.o,' Makefile && "
        "cd .. && git diff --no-index --no-prefix -M --src-prefix=a/ --dst-prefix=b/ tree new | "
        "sed 's,\\([ab]\\)/\\(tree\\|new\\)/,\\1/,g; s,^\\(rename [a-z]*\\) [a-z]*/,\\1 ,' "
        ">moves.patch; grep -q '^rename from init/main.c' moves.patch");
    const json sides = sides_of({file("moves.patch")});
    ASSERT_EQ(sides.size(), 2U);
    EXPECT_NE(sides[0]["image_sha256"], sides[1]["image_sha256"]);
    EXPECT_EQ(sides[1]["remarks"].size(), 0U) << sides[1]["remarks"];
    const std::string image = sides[1]["image"];
    const std::string map = "'" + image.substr(0, image.rfind('/')) + "/System.map'";
    shell("grep -q ' T more' " + map + " && ! grep -q ' T personality' " + map);
    // And the base is what it was.
    EXPECT_EQ(sides_of({file("one.patch")})[0]["image_sha256"], sides[0]["image_sha256"]);
}

TEST_F(TryTree, TakesABinaryPatch) {
    commit();
    shell(
        "cd tree && head -c 300 /dev/zero >logo.bin && git add logo.bin && "
        "git diff --cached --binary >../binary.patch && git diff --cached >../without.patch && "
        "git reset -q && rm logo.bin");
    EXPECT_EQ(sides_of({file("binary.patch")}).size(), 2U);
    EXPECT_THAT(try_it({file("without.patch")}).errors,
                HasSubstr("without.patch does not apply: cannot apply binary patch to 'logo.bin'"));
}

TEST_F(TryTree, OfAPatchThatWouldReachOutsideLeavesEverythingAsItIs) {
    // At every height at which the name could meet something.
    std::string up = "../";
    for (int height = 1; height < 10; ++height, up += "../") {
        write("out.patch",
              "--- a/" + up + "victim\n+++ b/" + up + "victim\n@@ -1 +1 @@\n-mine\n+theirs\n");
        write("victim", "mine\n");
        write("cache/victim", "mine\n");
        EXPECT_THAT(try_it({file("out.patch")}).errors, HasSubstr("outside the tree"));
        EXPECT_EQ(text_of("victim"), "mine\n");
    }
    write("absolute.patch",
          "--- " + file("victim") + "\n+++ " + file("victim") + "\n@@ -1 +1 @@\n-mine\n+theirs\n");
    EXPECT_THAT(try_it({file("absolute.patch")}).errors, HasSubstr("does not apply"));
    EXPECT_EQ(text_of("victim"), "mine\n");
    write("text.patch", "rename from ../../../victim\nrename from " + file("victim") + "\n" +
                            std::string(header_patch));
    EXPECT_EQ(sides_of({file("text.patch")}).size(), 2U);
    EXPECT_EQ(text_of("victim"), "mine\n");
}

TEST_F(TryTree, OfAPatchThatReachesOutThroughALinkLeavesEverythingAsItIs) {
    fs::create_directory(file("outside"));
    write("outside/victim", "mine\n");
    write("link.patch",
          "diff --git a/away b/away\nnew file mode 120000\n--- /dev/null\n"
          "+++ b/away\n@@ -0,0 +1 @@\n+" +
              file("outside") + "\n\\ No newline at end of file\n");
    write("through.patch", "--- a/away/victim\n+++ b/away/victim\n@@ -1 +1 @@\n-mine\n+theirs\n");
    const auto before = fs::last_write_time(file("outside/victim"));
    const Finished finished = try_it({file("link.patch"), file("through.patch")});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("beyond a symbolic link"));
    EXPECT_EQ(text_of("outside/victim"), "mine\n");
    EXPECT_EQ(fs::last_write_time(file("outside/victim")), before);
}

TEST_F(TryTree, NeedsACacheInWhichKbuildCanWork) {
    const auto with_cache = [&](const std::string& cache) {
        return run_kerntoll(arguments({file("one.patch")}), {"XDG_CACHE_HOME=" + cache});
    };
    for (const char* name : {"a b", "a:b", "a#b"}) {
        const Finished finished = with_cache(file(name));
        EXPECT_THAT(finished.output + finished.errors,
                    AllOf(HasSubstr("make(1)"), HasSubstr("XDG_CACHE_HOME")));
        EXPECT_EQ(finished.code, 2);
    }
    const Finished unwritable = with_cache(file("config"));
    EXPECT_EQ(unwritable.code, 2);
    EXPECT_THAT(unwritable.output + unwritable.errors,
                AllOf(HasSubstr("cannot make"), HasSubstr("point XDG_CACHE_HOME to a folder")));
}

}  // namespace
}  // namespace kerntoll::test
