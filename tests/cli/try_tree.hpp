// SPDX-License-Identifier: MIT
// try and bisect-step as a user runs them, on a tree that builds as Linux does (tests/kernel/tree)
// and boots nowhere, or only in a stand-in for QEMU that knows what its calls cost.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {

/// Changes a header of the tree.
inline constexpr const char* header_patch =
    "diff --git a/include/linux/entry.h b/include/linux/entry.h\n"
    "--- a/include/linux/entry.h\n+++ b/include/linux/entry.h\n@@ -11,5 +11,5 @@\n"
    " static inline void enter(void)\n {\n-\tflags = 1;\n+\tflags = 7;\n }\n \n";

/// Adds an option with its value unless it is among the words already.
void add_unless_given(std::vector<std::string>& words, const std::string& option,
                      const std::string& value);

/// The text with the first `what` replaced.
[[nodiscard]] std::string replaced(std::string text, const std::string& what,
                                   const std::string& by);

class Try : public ::testing::Test {
protected:
    Try();

    [[nodiscard]] std::string tree() const { return scratch_ / "tree"; }
    [[nodiscard]] std::string file(const std::string& name) const { return scratch_ / name; }
    void write(const std::string& name, const std::string& text) const;
    [[nodiscard]] std::string text_of(const std::string& name) const;

    /// The command with the tree, its configuration, one architecture, and counts alone.
    [[nodiscard]] std::vector<std::string> arguments(const std::vector<std::string>& more,
                                                     const std::string& archs = "x86_64") const;
    [[nodiscard]] std::vector<std::string> environment() const {
        return {"XDG_CACHE_HOME=" + file("cache")};
    }
    [[nodiscard]] Finished try_it(const std::vector<std::string>& more,
                                  const std::string& archs = "x86_64") const {
        return run_kerntoll(arguments(more, archs), environment());
    }
    /// Its sides, from --format json. Where there are not two, the test fails and gets empty ones.
    [[nodiscard]] nlohmann::json sides_of(const std::vector<std::string>& more) const;
    [[nodiscard]] static std::vector<std::string> names_of(const nlohmann::json& sides);

    /// Runs a command of the shell in the scratch folder; fails the test where it fails.
    void shell(const std::string& command) const;
    /// Makes a repository of the tree where it is none, and commits all that is in it.
    void commit(const std::string& message = "one") const;

    /// From now on the tree's kernels have the price of a call that stands in kernel/sys.c, and a
    /// stand-in for QEMU takes it for what they execute.
    void set_price(int instructions) const;
    /// The words, and what names that stand-in.
    [[nodiscard]] static std::vector<std::string> priced(std::vector<std::string> words);

    /// From now on each file of the tree takes so long to compile. The tree is the same whatever
    /// the time, and builds get no environment, so a file beside it says how long.
    void compile_slowly(const std::string& seconds) const;
    /// The copy that kernels are built from; waits until a file is compiled there, slowly.
    [[nodiscard]] std::string at_work() const;

private:
    ScratchDirectory scratch_;
};

}  // namespace kerntoll::test
