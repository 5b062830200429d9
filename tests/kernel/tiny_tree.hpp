// SPDX-License-Identifier: MIT
// A source tree that builds as Linux does and takes a second (tests/kernel/tree), in a folder of
// one test's own, with a cache of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "lab/kernel/builder.hpp"

namespace kerntoll::lab::kernel {

namespace fs = std::filesystem;

[[nodiscard]] std::string text_of(const fs::path& file);
void write_text(const fs::path& file, const std::string& text);

/// A patch of one file of the tree: `before` becomes `after`, each a whole line.
[[nodiscard]] Patch patch_of(const std::string& file, const std::string& before,
                             const std::string& after, const std::string& name = "one.patch");

class TinyTree : public ::testing::Test {
protected:
    TinyTree();
    ~TinyTree() override;

    [[nodiscard]] fs::path tree() const { return scratch_ / "tree"; }
    [[nodiscard]] fs::path scratch() const { return scratch_; }
    /// Makes a git repository of it, with one commit; its name.
    std::string commit_all(const std::string& message);
    /// Every file below the tree with its bytes and time: what must stay as it is.
    [[nodiscard]] std::map<std::string, std::string> state() const;
    [[nodiscard]] BuildPlan plan();
    [[nodiscard]] Tree read() const;
    /// What the builder said it was doing.
    std::string said;

private:
    fs::path scratch_;
};

}  // namespace kerntoll::lab::kernel
