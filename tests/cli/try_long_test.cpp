// SPDX-License-Identifier: MIT
// A real kernel goes through `try`: only where KERNTOLL_LONG asks for it.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/try_tree.hpp"

namespace kerntoll::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;

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
    // Five instructions more on getpid's path, which no compiler leaves out.
    const std::string source = tree + "/kernel/sys.c";
    std::ifstream before(source);
    const std::string text{std::istreambuf_iterator<char>(before), {}};
    const std::string call = "\treturn task_tgid_vnr(current);\n";
    ASSERT_THAT(text, HasSubstr(call));
    std::ofstream(scratch / "new.c")
        << replaced(text, call, "\tasm volatile(\"nop; nop; nop; nop; nop\");\n" + call);
    ASSERT_EQ(std::system(("cd " + (scratch / "").string() +
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
    EXPECT_TRUE(fs::exists(scratch / "saved/riscv64-gcc/00-base/System.map"));
    EXPECT_TRUE(fs::exists(scratch / "saved/commit-message.txt"));
}

}  // namespace
}  // namespace kerntoll::test
