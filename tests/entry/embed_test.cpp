// SPDX-License-Identifier: MIT
// The entry path in another kernel: what `cmake --install` puts down is found by find_package, and
// examples/embed is built with it and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/base/subprocess.hpp"

namespace kerntoll {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

lab::Captured captured(const std::vector<std::string>& argv) {
    auto result = lab::run_captured(argv, 60s);
    if (!result) {
        ADD_FAILURE() << result.error().message;
        return {};
    }
    return *std::move(result);
}
/// What a program printed, which must have ended well.
std::string run(const std::vector<std::string>& argv) {
    const lab::Captured result = captured(argv);
    EXPECT_EQ(result.status.code, 0) << argv.front() << ": " << result.output;
    return result.output;
}

class Embedding : public testing::Test {
protected:
    /// Each test has a folder of its own, since they run at the same time.
    Embedding()
        : folder_(fs::path(KERNTOLL_BINARY_DIR) / "tests" / "embed" /
                  testing::UnitTest::GetInstance()->current_test_info()->name()),
          installed_(folder_ / "installed") {
        fs::remove_all(folder_);
        run({KERNTOLL_CMAKE, "--install", KERNTOLL_BINARY_DIR, "--component", "kerntoll-entry",
             "--prefix", installed_});
    }
    /// The words that configure a project of this tree.
    [[nodiscard]] std::vector<std::string> configuring(const std::string& project) const {
        const std::string root = KERNTOLL_SOURCE_DIR;
        return {KERNTOLL_CMAKE,
                "-G",
                "Ninja",
                "-S",
                root + "/" + project,
                "-B",
                folder_ / "built",
                "--toolchain",
                root + "/examples/embed/riscv64.cmake",
                "-DCMAKE_PREFIX_PATH=" + installed_};
    }
    [[nodiscard]] std::vector<std::string> building() const {
        return {KERNTOLL_CMAKE, "--build", folder_ / "built"};
    }
    /// CMake on a target with these choices, by kerntoll_entry_policy() and as macros.
    [[nodiscard]] lab::Captured configure(const std::string& choices,
                                          const std::string& macros = "") const {
        std::vector<std::string> argv = configuring("tests/entry/choices");
        argv.push_back("-DCHOICES=" + choices);
        argv.push_back("-DMACROS=" + macros);
        return captured(argv);
    }

    fs::path folder_;
    std::string installed_;
};

TEST_F(Embedding, AKernelThatFindsTheInstalledPackageRunsItsTasksAndItsTracer) {
    run(configuring("examples/embed"));
    run(building());
    // The first task is stopped for what it may not do, and the second one is told -1 and -ENOSYS.
    EXPECT_EQ(run({"qemu-system-riscv64", "-M", "virt", "-m", "16", "-bios", "none", "-nographic",
                   "-no-reboot", "-kernel", folder_ / "built" / "embed"}),
              "embed: two tasks, the second one traced\n"
              "a[call 0b = 1][call 1 = 0]a"
              "[call 0 is forbidden = -1][call 99 = -38][call 0B = 1][call 2 = 0]a"
              "killed: cause 2\n"
              "all done\n");
}

/// Two policies that between them choose most values by their names; those of every axis are tried
/// by must_not_compile_test.cpp, by their macros.
TEST_F(Embedding, ChoicesOfEveryAxisCanBeMade) {
    ASSERT_EQ(
        configure("enter=outlined;exit=outlined;common=auto;vector=likely;nospec=off").status.code,
        0);
    run(building());
    ASSERT_EQ(configure("frame=lazy;vector=likely").status.code, 0);
    run(building());
    ASSERT_EQ(configure("enter=auto;exit=auto;common=outlined;vector=table;dispatch=switch;"
                        "nospec=mask;frame=full;work=none;stack_offset=on;debug=on;"
                        "branch_protection=off",
                        "KERNTOLL_ENTRY_STACK_SHIFT=14")
                  .status.code,
              0);
    run(building());
}

TEST_F(Embedding, AChoiceThatThereIsNotIsRefused) {
    for (const auto& [choices, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"frmae=lazy", "there is no axis frmae; there are: enter exit common"},
             {"frame=slow", "frame is one of: full lazy; not slow"},
             {"lazy", "lazy is no choice; write AXIS=VALUE"}}) {
        const lab::Captured result = configure(choices);
        EXPECT_NE(result.status.code, 0) << choices;
        EXPECT_THAT(result.output, HasSubstr(sentence));
    }
}

TEST_F(Embedding, AMacroThatIsNoChoiceIsRefused) {
    ASSERT_EQ(configure("exit=outlined", "KERNTOLL_frmae_lazy=1;OTHER=1").status.code, 0);
    const lab::Captured result = captured(building());
    EXPECT_NE(result.status.code, 0);
    EXPECT_THAT(result.output, HasSubstr("there is no choice KERNTOLL_frmae_lazy=1;"));
}

TEST_F(Embedding, AStubForTheOtherFrameDoesNotLink) {
    std::vector<std::string> argv = configuring("examples/embed");
    argv.emplace_back("-DCMAKE_ASM_FLAGS=-UKERNTOLL_frame_lazy");
    run(argv);
    const lab::Captured result = captured(building());
    EXPECT_NE(result.status.code, 0);
    EXPECT_THAT(result.output,
                HasSubstr("undefined symbol: kerntoll_entry_before_user_with_full_frame"));
}

/// Nor does one for branches that are protected in the other way, or for a stack of another depth.
TEST_F(Embedding, AStubThatWasAssembledOtherwiseDoesNotLink) {
    for (const auto& [flag, name] : std::vector<std::pair<std::string, std::string>>{
             {"-DKERNTOLL_branch_protection_on=1", "_protected_shift_13"},
             {"-DKERNTOLL_ENTRY_STACK_SHIFT=14", "_unprotected_shift_14"}}) {
        std::vector<std::string> argv = configuring("examples/embed");
        argv.push_back("-DCMAKE_ASM_FLAGS=" + flag);
        run(argv);
        const lab::Captured result = captured(building());
        EXPECT_NE(result.status.code, 0) << flag;
        EXPECT_THAT(
            result.output,
            HasSubstr("undefined symbol: kerntoll_entry_before_user_with_lazy_frame" + name));
    }
}

}  // namespace
}  // namespace kerntoll
