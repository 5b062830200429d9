// SPDX-License-Identifier: MIT
// The name of a kernel in the cache: another one for all that makes another kernel.
#include "lab/kernel/key.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lab/kernel/padding.hpp"

namespace kerntoll::lab::kernel {
namespace {

TEST(KernelKey, IsAnotherOneForWhateverMakesAnotherKernel) {
    Tree tree;
    tree.content = "content";
    BuildPlan plan;
    plan.toolchain.identity = "gcc";
    const auto key = [&](const Side& side = {}) { return key_of(tree, plan, side); };
    const Patch one{.name = "1.patch", .text = "one"};
    const Patch two{.name = "2.patch", .text = "two"};
    std::set<std::string> keys{key(),
                               key({.fragment = "CONFIG_A=y"}),
                               key({.padding = 1}),
                               key({.padding = 2}),
                               key({.patches = {one, two}}),
                               key({.patches = {two, one}}),
                               key({.patches = {one}})};
    plan.config = wanted_config(plan);  // the same text, without tinyconfig before it
    keys.insert(key());
    plan.config += "CONFIG_A=y\n";
    keys.insert(key());
    plan.arch = Arch::riscv64;
    keys.insert(key());
    plan.toolchain.identity = "clang";
    keys.insert(key());
    tree.content = "another";
    keys.insert(key());
    EXPECT_EQ(keys.size(), 12U);
    EXPECT_EQ(key(), key());
}

/// Every text of the padding, which is part of a placebo's key.
std::string padding(Arch arch, std::uint32_t seed) {
    std::string all;
    for (const Padding& part : padding_of(kbuild_row(arch), seed)) {
        all += part.text;
    }
    return all;
}

TEST(KernelPadding, IsOfItsSeedAndArchitecture) {
    EXPECT_EQ(padding(Arch::riscv64, 1), padding(Arch::riscv64, 1));
    EXPECT_NE(padding(Arch::riscv64, 1), padding(Arch::riscv64, 2));
    EXPECT_NE(padding(Arch::riscv64, 1), padding(Arch::s390x, 1));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
