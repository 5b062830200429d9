// SPDX-License-Identifier: MIT
// The words for architectures, grades and scopes: the store, the report and the command line all
// take them from here.
#include <algorithm>
#include <array>
#include <cstddef>

#include "lab/target/target.hpp"

namespace kerntoll::lab {
namespace {

constexpr std::array<std::string_view, 5> arch_names{"x86_64", "arm64", "riscv64", "s390x",
                                                     "loongarch64"};
constexpr std::array<std::string_view, 4> grade_names{"hardware", "virtualised", "emulated",
                                                      "simulated"};
constexpr std::array<std::string_view, 2> scope_names{"layouts", "images"};

}  // namespace

std::string_view name(Arch arch) {
    return arch_names[static_cast<std::size_t>(arch)];
}

std::optional<Arch> arch_from_name(std::string_view text) {
    if (text == "amd64" || text == "x86-64") {
        return Arch::x86_64;
    }
    if (text == "aarch64") {
        return Arch::arm64;
    }
    const auto* found = std::ranges::find(arch_names, text);
    if (found == arch_names.end()) {
        return std::nullopt;
    }
    return static_cast<Arch>(found - arch_names.begin());
}

std::string_view name(Grade grade) {
    return grade_names[static_cast<std::size_t>(grade)];
}

std::string_view name(Scope scope) {
    return scope_names[static_cast<std::size_t>(scope)];
}

}  // namespace kerntoll::lab
