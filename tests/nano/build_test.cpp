// SPDX-License-Identifier: MIT
// nano/build as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lab/base/subprocess.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string read(const files::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs nano/build, of these sources, behind the words of `before`.
lab::Captured build(const files::path& sources, std::vector<std::string> before,
                    const std::vector<std::string>& words) {
    before.push_back(sources / "nano/build");
    before.insert(before.end(), words.begin(), words.end());
    auto finished = lab::run_captured(before, 100s);
    EXPECT_TRUE(finished) << finished.error().message;
    return finished ? *std::move(finished) : lab::Captured{};
}

class NanoBuild : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        folder_ = files::path(KERNTOLL_TEST_IMAGES) / ("build-" + std::to_string(getpid()));
        files::create_directories(folder_ / "tools");
        // What there is on a machine without a compiler.
        for (const char* tool :
             {"awk", "bash", "cat", "cut", "dirname", "env", "find", "grep", "rm", "sha256sum",
              "sort", "tr", "uniq", "uname", "xargs", "mktemp", "mkdir", "head"}) {
            files::create_symlink(files::path("/usr/bin") / tool, folder_ / "tools" / tool);
        }
        for (const char* part : {"nano", "entry", "hosted", "agent", "wire"}) {
            files::copy(files::path(KERNTOLL_SOURCE_DIR) / part, folder_ / part,
                        files::copy_options::recursive);
        }
    }
    void TearDown() override { files::remove_all(folder_); }
    [[nodiscard]] lab::Captured build_without_compiler(std::vector<std::string> words) const {
        words.insert(words.end(), {"-o", image(), "--cache", folder_ / "nothing"});
        return build(folder_, {"env", "PATH=" + (folder_ / "tools").string()}, words);
    }
    [[nodiscard]] std::string image() const { return folder_ / "image"; }
    files::path folder_;
};

TEST_P(NanoBuild, NeedsNoCompilerForWhatIsThere) {
    const std::vector<std::string> words = {GetParam(), "debug=on", "exit=outlined"};
    std::vector<std::string> first = words;
    first.insert(first.end(),
                 {"-o", image(), "--cache", std::string(KERNTOLL_TEST_IMAGES) + "/cache"});
    ASSERT_EQ(build(folder_, {}, first).status.code, 0);
    const std::string made = read(image());

    EXPECT_EQ(build_without_compiler(words).status.code, 0);
    // The order in which choices are typed, and a default, change nothing.
    EXPECT_EQ(build_without_compiler({GetParam(), "exit=outlined", "common=inlined", "debug=on"})
                  .status.code,
              0);
    EXPECT_EQ(read(image()), made);

    const auto other = build_without_compiler({GetParam(), "debug=on"});
    EXPECT_EQ(other.status.code, 2);
    EXPECT_THAT(other.output, AllOf(StartsWith("nano/build: clang++-19 is not installed, and "),
                                    HasSubstr("was not made of these sources before")));

    std::ofstream(folder_ / "entry/include/kerntoll/entry/stack.h", std::ios::app) << "/* */\n";
    EXPECT_EQ(build_without_compiler(words).status.code, 2) << "the sources are others now";
}

INSTANTIATE_TEST_SUITE_P(Ports, NanoBuild, testing::Values("riscv64", "hosted"),
                         [](const auto& info) { return std::string(info.param); });

/// What no image may be, planted where the policy meets nano's hooks.
class NanoBuildRefuses : public NanoBuild {
protected:
    void SetUp() override {
        NanoBuild::SetUp();
        if (!files::exists(files::path(KERNTOLL_TEST_IMAGES) /
                           ("kerntoll-nano-" + port() + "-" + compiler()))) {
            GTEST_SKIP() << "there is no image of nano by this compiler";
        }
    }
    [[nodiscard]] static std::string port() {
        const std::string name = GetParam();
        return name.substr(0, name.find(' '));
    }
    [[nodiscard]] static std::string compiler() {
        const std::string name = GetParam();
        return name.substr(name.find(' ') + 1);
    }
    /// What nano/build says with `members` among the hooks and `more` in front of them.
    [[nodiscard]] std::string complaint(const std::string& members,
                                        const std::string& more = "") const {
        std::string source = read(files::path(KERNTOLL_SOURCE_DIR) / "nano/entry.cpp");
        const std::string line =
            "KERNTOLL_ENTRY_HANDLERS(kerntoll::nano::policy, kerntoll::nano::Hooks)";
        const size_t place = source.find(line);
        EXPECT_NE(place, std::string::npos);
        source.replace(place, line.size(),
                       "#include \"nano/user_copy.hpp\"\nnamespace kerntoll::nano {\n" + more +
                           "struct More : Hooks {\n" + members +
                           "};\n}\nKERNTOLL_ENTRY_HANDLERS(kerntoll::nano::policy, "
                           "kerntoll::nano::More)\n");
        std::ofstream(folder_ / "nano/entry.cpp") << source;
        const auto built = build(folder_, {},
                                 {port(), "cc=" + compiler(), "-o", image(), "--cache",
                                  std::string(KERNTOLL_TEST_IMAGES) + "/cache"});
        EXPECT_EQ(files::exists(image()), built.status.code == 0);
        EXPECT_TRUE(built.status.code == 0 || built.status.code == 3);
        return built.output;
    }
};

TEST_P(NanoBuildRefuses, NothingOfAHookThatStaysInItsPlace) {
    EXPECT_EQ(complaint("static void left_user(entry::Thread&) { asm volatile(\"\"); }"), "");
}

TEST_P(NanoBuildRefuses, APathThatCallsTheRestOfTheKernel) {
    EXPECT_THAT(
        complaint("static void left_user(entry::Thread&) { (void)clear_user(0, 0); }"),
        AllOf(StartsWith("nano/build: this variant is refused: kerntoll"),
              HasSubstr("of the entry path, calls or jumps to kerntoll::nano::clear_user(")));
}

TEST_P(NanoBuildRefuses, SlowWorkThatCallsTheRestOfTheKernel) {
    EXPECT_THAT(
        complaint("static void uprobe(entry::Frame&, entry::Thread&) { (void)clear_user(0, 0); }"),
        AllOf(HasSubstr("SlowWork"),
              HasSubstr("of the entry path, calls or jumps to kerntoll::nano::clear_user(")));
}

TEST_P(NanoBuildRefuses, SlowWorkThatCallsAnybody) {
    EXPECT_THAT(complaint("static void uprobe(entry::Frame&, entry::Thread&) { anybody(); }",
                          "void (*volatile anybody)() = nullptr;"),
                AllOf(HasSubstr("SlowWork"), HasSubstr("has an indirect call")));
}

TEST_P(NanoBuildRefuses, APathWithASecondIndirectCallInAFunction) {
    EXPECT_THAT(complaint("static void left_user(entry::Thread&) { anybody(); anybody(); }",
                          "void (*volatile anybody)() = nullptr;"),
                AllOf(HasSubstr("of the entry path"), HasSubstr("has an indirect call")));
}

TEST_P(NanoBuildRefuses, WhatCannotBeReadToItsEnd) {
    const std::string objdump = folder_ / "tools/llvm-objdump-19";
    std::ofstream(objdump)
        << "#!/bin/bash\n/usr/bin/llvm-objdump-19 \"$@\" | head -n 40\nexit 139\n";
    files::permissions(objdump, files::perms::owner_all);
    const auto checked = lab::run_captured(
        {"env", "PATH=" + (folder_ / "tools").string() + ":" + std::getenv("PATH"),
         folder_ / "nano/check", port(),
         std::string(KERNTOLL_TEST_IMAGES) + "/kerntoll-nano-" + port() + "-" + compiler()},
        100s);
    ASSERT_TRUE(checked);
    EXPECT_EQ(checked->status.code, 1);
    EXPECT_EQ(checked->output, "llvm-objdump-19 cannot read the image to its end\n");
}

/// Whose image is made does not matter.
class NanoBuildSize : public NanoBuildRefuses {};

TEST_P(NanoBuildSize, IsLimited) {
    EXPECT_THAT(complaint("", "[[gnu::used]] const char large[130000] = {1};"),
                AllOf(StartsWith("nano/build: the image has 2"), HasSubstr("204799 are the most")));
}

INSTANTIATE_TEST_SUITE_P(Ports, NanoBuildRefuses,
                         testing::Values("x86_64 clang", "x86_64 gcc", "arm64 clang", "arm64 gcc",
                                         "riscv64 clang", "riscv64 gcc", "s390x clang", "s390x gcc",
                                         "loongarch64 clang"),
                         [](const auto& info) {
                             std::string name = info.param;
                             name[name.find(' ')] = '_';
                             return name;
                         });

INSTANTIATE_TEST_SUITE_P(Ports, NanoBuildSize, testing::Values("x86_64 clang"),
                         [](const auto&) { return "x86_64_clang"; });

TEST(NanoBuildHelp, ListsPortsAndAxes) {
    const auto help = build(KERNTOLL_SOURCE_DIR, {}, {"--help"});
    EXPECT_EQ(help.status.code, 0);
    EXPECT_THAT(help.output, AllOf(StartsWith("nano/build ARCH|hosted "), HasSubstr("loongarch64"),
                                   HasSubstr(" vector            chain likely table\n")));
}

}  // namespace

}  // namespace kerntoll::nano_test
