// SPDX-License-Identifier: MIT
// A builder of the tiny tree's kernels, and changes for it to build.
#pragma once

#include "tests/kernel/tiny_tree.hpp"

namespace kerntoll::lab::kernel {

class KernelBuild : public TinyTree {
protected:
    [[nodiscard]] Result<Built> build(const Side& side) { return builder_.build(side); }
    [[nodiscard]] Built built(const Side& side) {
        auto result = build(side);
        EXPECT_TRUE(result) << result.error().message;
        return result.value_or(Built{});
    }
    [[nodiscard]] static Side header_change() {
        return {.name = "+ header",
                .patches = {patch_of("include/linux/entry.h", "\tflags = 1;", "\tflags = 7;")}};
    }
    [[nodiscard]] static Side call_change() {
        return {.name = "+ call",
                .patches = {patch_of("kernel/sys.c", "\treturn flags;", "\treturn flags + 9;")}};
    }
    [[nodiscard]] fs::path work() const {
        return *fs::directory_iterator(scratch() / "cache/kerntoll/kernels/work");
    }

    Sources sources_{read()};
    Builder builder_{sources_, plan()};
};

}  // namespace kerntoll::lab::kernel
