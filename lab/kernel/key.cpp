// SPDX-License-Identifier: MIT
#include "lab/kernel/key.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "lab/kernel/config.hpp"
#include "lab/kernel/make.hpp"
#include "lab/kernel/padding.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// Part of every key: raised when kernels are built in another way that no other part tells.
constexpr std::string_view format = "2";
constexpr std::size_t key_digits = 32;

}  // namespace

std::string wanted_config(const BuildPlan& plan) {
    return plan.config.empty() ? fragments_of(plan.arch) : plan.config;
}

std::string key_of(const Tree& tree, const BuildPlan& plan, const Side& side) {
    // Each part with its length: no two lists of parts read the same.
    std::string all;
    const auto add = [&](std::string_view part) {
        all += fmt::format("{}\n{}\n", part.size(), part);
    };
    add(format);
    add(tree.content);
    add(plan.config.empty() ? "tinyconfig" : "config");
    add(wanted_config(plan));
    const KbuildRow& row = kbuild_row(plan.arch);
    add(row.kbuild);
    add(row.image_target);
    for (const std::string_view variable : reproducible_variables()) {
        add(variable);
    }
    add(plan.toolchain.identity);
    for (const Patch& patch : side.patches) {
        add(patch.text);
    }
    add("fragment");
    add(side.fragment);
    if (side.padding) {
        for (const Padding& padding : padding_of(row, *side.padding)) {
            add(padding.file);
            add(padding.text);
        }
    }
    return sha256_of(std::as_bytes(std::span(all))).substr(0, key_digits);
}

}  // namespace kerntoll::lab::kernel
