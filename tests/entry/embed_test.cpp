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

/// What a program printed, which must have ended well.
std::string run(const std::vector<std::string>& argv) {
    const auto captured = lab::run_captured(argv, 60s);
    if (!captured) {
        ADD_FAILURE() << captured.error().message;
        return {};
    }
    EXPECT_EQ(captured->status.code, 0) << argv.front() << ": " << captured->output;
    return captured->output;
}

TEST(Embedding, AKernelThatFindsTheInstalledPackageRunsItsTasksAndItsTracer) {
    const fs::path folder = fs::path(KERNTOLL_BINARY_DIR) / "tests" / "embed";
    fs::remove_all(folder);
    const std::string installed = folder / "installed";
    const std::string built = folder / "built";
    const std::string example = std::string(KERNTOLL_SOURCE_DIR) + "/examples/embed";
    run({KERNTOLL_CMAKE, "--install", KERNTOLL_BINARY_DIR, "--component", "kerntoll-entry",
         "--prefix", installed});
    run({KERNTOLL_CMAKE, "-G", "Ninja", "-S", example, "-B", built, "--toolchain",
         example + "/riscv64.cmake", "-DCMAKE_PREFIX_PATH=" + installed});
    run({KERNTOLL_CMAKE, "--build", built});
    // The first task is stopped for what it may not do, and the second one is told -1 and -ENOSYS.
    EXPECT_EQ(run({"qemu-system-riscv64", "-M", "virt", "-m", "16", "-bios", "none", "-nographic",
                   "-no-reboot", "-kernel", built + "/embed"}),
              "embed: two tasks, the second one traced\n"
              "a[call 0b = 1][call 1 = 0]a"
              "[call 0 is forbidden = -1][call 99 = -38][call 0B = 1][call 2 = 0]a"
              "killed: cause 2\n"
              "all done\n");
}

}  // namespace
}  // namespace kerntoll
