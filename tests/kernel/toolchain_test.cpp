// SPDX-License-Identifier: MIT
#include "lab/kernel/toolchain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

/// A compiler whose program, whose cc1 and whose assembler are scripts, first of all in PATH.
class Compilers : public ::testing::Test {
protected:
    Compilers() : path_(std::getenv("PATH")) {
        std::string name = ::testing::TempDir() + "kerntoll-compilers-XXXXXX";
        folder_ = mkdtemp(name.data());
        program("riscv64-linux-gnu-gcc", "case $1 in -print-prog-name=*) echo \"" +
                                             folder_.string() +
                                             "/${1#*=}\";; *) echo 'gcc (Debian) 12.2.0';; esac");
        for (const char* name_of : {"riscv64-linux-gnu-ld", "cc1", "as", "ld"}) {
            program(name_of, "echo 1");
        }
        setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    }
    ~Compilers() override {
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }
    void program(const std::string& name, const std::string& does) const {
        std::ofstream(folder_ / name) << "#!/bin/sh\n" << does << "\n";
        fs::permissions(folder_ / name, fs::perms::owner_all);
    }
    [[nodiscard]] static std::string identity() {
        const auto found = find_toolchain(kbuild_row(Arch::riscv64), Compiler::gcc);
        EXPECT_TRUE(found) << found.error().message;
        return found ? found->identity : std::string{};
    }

private:
    std::string path_;
    fs::path folder_;
};

TEST_F(Compilers, RebuiltUnderOneVersionAreOthers) {
    const std::string before = identity();
    EXPECT_EQ(identity(), before);
    for (const char* part : {"cc1", "as", "ld"}) {
        const std::string was = identity();
        program(part, "echo another");
        EXPECT_NE(identity(), was) << part;
    }
}

}  // namespace
}  // namespace kerntoll::lab::kernel
