// SPDX-License-Identifier: MIT
// Proof that a change was compiled, also where neither times nor names are simple.
#include "lab/kernel/rebuilt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "tests/kernel/kernel_build.hpp"

namespace kerntoll::lab::kernel {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A patch that adds a file of one line.
Patch new_file(const std::string& name, const std::string& line) {
    return {"new.patch", "diff --git a/" + name + " b/" + name +
                             "\nnew file mode 100644\n--- /dev/null\n+++ b/" + name +
                             "\n@@ -0,0 +1 @@\n+" + line + "\n"};
}

/// Two object trees of one file, whose records name one source, and the file's patched source.
class Relinking : public TinyTree {
protected:
    Relinking() {
        for (const char* side : {"base", "objects"}) {
            fs::create_directories(at(side));
            write_text(at(side) / ".sys.o.cmd", "deps := " + (at("source") / "sys.c").string());
            for (const char* file : {"sys.o", "Image"}) {
                write_text(at(side) / file, "x");
                fs::last_write_time(at(side) / file, long_ago_);
            }
        }
        fs::create_directories(at("source"));
        write_text(at("source") / "sys.c", "int x;\n");
        fs::last_write_time(at("source") / "sys.c", long_ago_ - 1h);
    }
    [[nodiscard]] fs::path at(const std::string& name) const { return scratch() / "re" / name; }
    void make_anew(const std::string& file) const {
        fs::last_write_time(at("objects") / file, long_ago_ + 1h);
    }
    [[nodiscard]] Rebuilt checked() const {
        const auto result = check_rebuilt({at("objects"), at("base"), "Image"}, at("source"),
                                          std::vector<std::string>{"sys.c"});
        EXPECT_TRUE(result);
        return result.value_or(Rebuilt{});
    }

private:
    fs::file_time_type long_ago_ = fs::file_time_type::clock::now() - 48h;
};

TEST_F(Relinking, NamesTheObjectThatMakeLeftAsTheBases) {
    make_anew("Image");
    EXPECT_THAT(checked().stale, ElementsAre("sys.o"));
}

TEST_F(Relinking, NamesTheImageThatIsTheBasesThoughAnObjectIsNot) {
    make_anew("sys.o");
    EXPECT_THAT(checked().stale, ElementsAre("Image"));
    make_anew("Image");
    EXPECT_THAT(checked().stale, IsEmpty());
    EXPECT_EQ(checked().objects, 1U);
}

TEST_F(Relinking, SeesObjectsThatAreAsNewAsWhatIsPatchedAfterThem) {
    write_text(at("objects") / "begun", "");
    EXPECT_EQ(is_ahead(at("objects"), at("objects") / "begun").value_or(true), false);
    fs::last_write_time(at("objects") / "sys.o", fs::last_write_time(at("objects") / "begun"));
    EXPECT_EQ(is_ahead(at("objects"), at("objects") / "begun").value_or(false), true);
}

/// A tree in which a header is included from another folder of the compiler's path, and one by
/// "..".
class KernelBuildOfHeaders : public TinyTree {
protected:
    KernelBuildOfHeaders() {
        std::string makefile = text_of(tree() / "Makefile");
        makefile.insert(makefile.find(" '-Dnoinstr"), " -I$(src)/include/uapi");
        write_text(tree() / "Makefile", makefile);
        fs::create_directories(tree() / "include/uapi/linux");
        write_text(tree() / "include/uapi/linux/beta.h", "#define BETA 3\n");
        write_text(tree() / "kernel/deep.h", "#define DEEP 5\n");
        write_text(
            tree() / "kernel/exec_domain.c",
            "#include <linux/beta.h>\nint beta(void);\nint beta(void)\n{\n\treturn BETA;\n}\n");
        write_text(tree() / "kernel/entry/common.c",
                   "#include \"../deep.h\"\nint flags = DEEP;\nvoid leave(void);\nvoid "
                   "leave(void)\n{\n\tflags = DEEP;\n}\n");
        sources_.emplace(read());
        builder_.emplace(*sources_, plan());
    }
    [[nodiscard]] Built built(const Side& side) {
        auto result = builder_->build(side);
        EXPECT_TRUE(result) << result.error().message;
        return result.value_or(Built{});
    }
    static Side deeper() {
        return {.name = "+ deeper",
                .patches = {{"deep.patch",
                             "--- a/kernel/deep.h\n+++ b/kernel/deep.h\n@@ -1 +1 @@\n-#define DEEP "
                             "5\n+#define DEEP 7\n"}}};
    }
    std::optional<Sources> sources_;
    std::optional<Builder> builder_;
};

TEST_F(KernelBuildOfHeaders, ReachesWhatANewHeaderIsFoundInsteadOfAnother) {
    const Built base = built({});
    said.clear();
    const Built change =
        built({.name = "+ beta", .patches = {new_file("include/linux/beta.h", "#define BETA 99")}});
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, IsEmpty());
    EXPECT_THAT(said, HasSubstr("CC kernel/exec_domain.o"));
    EXPECT_THAT(said, Not(HasSubstr("CC kernel/sys.o")));
}

TEST_F(KernelBuildOfHeaders, KnowsFilesThatAreIncludedByDetours) {
    const Built base = built({});
    const Built change = built(deeper());
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, IsEmpty());
}

TEST_F(KernelBuildOfHeaders, ByDetoursAreNotTakenFromObjectsThatAreNewer) {
    const Built base = built({});
    const fs::path objects = *fs::directory_iterator(
        fs::directory_iterator(scratch() / "cache/kerntoll/kernels/work")->path() / "objects");
    for (const auto& entry : fs::recursive_directory_iterator(objects)) {
        if (entry.is_regular_file()) {
            fs::last_write_time(entry, fs::file_time_type::clock::now() + 1h);
        }
    }
    const Built change = built(deeper());
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("everything was built from nothing")));
}

TEST_F(KernelBuild, OfAMakefilesOptionsSaysThatTheImageIsAnother) {
    const Built base = built({});
    const std::string rule = "$(boot)/Image $(boot)/bzImage: vmlinux";
    const std::string line = "\t@$(CROSS_COMPILE)objcopy -O binary $< $@";
    const Built change =
        built({.name = "+ longer",
               .patches = {patch_of("Makefile", rule, rule + " FORCE"),
                           patch_of("Makefile", line, line + "; echo longer >>$@")}});
    EXPECT_NE(change.image_sha256, base.image_sha256);
    EXPECT_THAT(change.remarks, ElementsAre(HasSubstr("and the image is not the base's")));
}

TEST_F(KernelBuild, ThatWritesIntoTheSourcesFailsAndSpoilsNoOther) {
    const Built base = built({});
    const std::string line = "\t@echo '  OBJCOPY $(@F)'";
    const Side writes{.name = "+ writes",
                      .patches = {patch_of("Makefile", line,
                                           "\t@echo 'int leftover;' >>$(src)/kernel/exec_domain.c"),
                                  patch_of("kernel/sys.c", "\treturn flags;", "\treturn 8;")}};
    const auto failed = build(writes);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::measurement);
    EXPECT_THAT(failed.error().message,
                HasSubstr("+ writes, cannot be built out of tree: its build writes "
                          "kernel/exec_domain.c into the sources"));
    EXPECT_FALSE(build(writes));  // nor is it kept
    const Built next = built(call_change());
    EXPECT_NE(next.image_sha256, base.image_sha256);
    EXPECT_THAT(text_of(next.image.parent_path() / "System.map"), Not(HasSubstr("leftover")));
    EXPECT_EQ(text_of(work() / "source/kernel/exec_domain.c"),
              text_of(tree() / "kernel/exec_domain.c"));
}

/// What the tiny Kconfig does not have: an option that is on unless it is set otherwise, and that
/// tinyconfig, which Linux's makes of allnoconfig, turns off.
TEST_F(KernelBuild, OfAPatchThatBringsAnOptionHasTheConfigurationOfThePatchedTree) {
    const std::string line = "\t@printf '# tiny\\nCONFIG_TINY=y\\n' >.config";
    BuildPlan tiny = plan();
    tiny.config.clear();
    Builder builder(sources_, tiny);
    const auto base = builder.build({});
    ASSERT_TRUE(base) << base.error().message;
    const auto change = builder.build(
        {.name = "+ SLOW",
         .patches = {patch_of("Makefile", line,
                              "\t@printf '# tiny\\nCONFIG_TINY=y\\nCONFIG_SLOW=y\\n' >.config")}});
    ASSERT_TRUE(change) << change.error().message;
    EXPECT_THAT(text_of(change->image.parent_path() / "config"), HasSubstr("CONFIG_SLOW=y"));
    EXPECT_THAT(change->remarks,
                ::testing::Contains("its configuration is not the base's: SLOW=y (base: n)"));
}

TEST_F(KernelBuild, LearnsNothingOfTheUsersEnvironment) {
    write_text(scratch() / "mine.mk", "$(error read)\n");
    setenv("MAKEFILES", (scratch() / "mine.mk").c_str(), 1);
    setenv("CPATH", scratch().c_str(), 1);
    write_text(scratch() / "entry.h", "#error read\n");
    const auto base = build({});
    unsetenv("MAKEFILES");
    unsetenv("CPATH");
    EXPECT_TRUE(base) << base.error().message;
}

TEST_F(KernelBuild, ThatDoesNotApplyIsRefusedBeforeAnythingIsBuilt) {
    Side wrong = call_change();
    wrong.patches.push_back(call_change().patches.front());
    const auto applies = builder_.check_applies(wrong);
    ASSERT_FALSE(applies);
    EXPECT_EQ(applies.error().fault, Fault::usage);
    EXPECT_THAT(said, Not(HasSubstr("configuring")));
    EXPECT_TRUE(builder_.check_applies(call_change()));
    EXPECT_EQ(text_of(work() / "source/kernel/sys.c"), text_of(tree() / "kernel/sys.c"));
}

TEST_F(KernelBuild, HasALogOfTheLastAttemptAlone) {
    (void)built({});
    const Side typo{.name = "+ typo",
                    .patches = {patch_of("kernel/sys.c", "\treturn flags;", "\treturn flgs;")}};
    ASSERT_FALSE(build(typo));
    const auto logs = [&] {
        std::string all;
        for (const auto& log : fs::directory_iterator(scratch() / "cache/kerntoll/kernels/logs")) {
            all += text_of(log);
        }
        return all.size();
    };
    const auto once = logs();
    ASSERT_FALSE(build(typo));
    EXPECT_EQ(logs(), once);
}

TEST_F(KernelBuild, InAFolderThatMakeCannotNameIsRefused) {
    setenv("XDG_CACHE_HOME", (scratch() / "a#b").c_str(), 1);
    const auto refused = build({});
    setenv("XDG_CACHE_HOME", (scratch() / "cache").c_str(), 1);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("Kbuild works in no such folder"));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
