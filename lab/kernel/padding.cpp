// SPDX-License-Identifier: MIT
#include "lab/kernel/padding.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "lab/base/random.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// In the order in which they are linked: before the architecture's entry code, between it and the
/// generic one, around the calls that workloads make. Small ones where there is a choice: each is
/// compiled once for every placebo.
constexpr std::array<std::string_view, 8> files{
    "init/main.c",       "kernel/exec_domain.c",  "kernel/resource.c", "kernel/sys.c",
    "kernel/notifier.c", "kernel/entry/common.c", "fs/open.c",         "fs/file.c"};

constexpr std::uint64_t most_fillers = 256;

/// Beyond the purposes that anything else draws for.
constexpr std::uint32_t purpose = 0x50000000;

}  // namespace

std::vector<Padding> padding_of(const KbuildRow& row, std::uint32_t seed) {
    std::vector<Padding> all;
    for (std::uint32_t index = 0; index < files.size(); ++index) {
        Random random(seed, index, purpose);
        std::string text = "\n/* Never called: what lies behind it lies elsewhere. */\n";
        for (const auto& [mark, attributes] :
             {std::pair{"", "__attribute__((__used__, __noinline__)) void"},
              std::pair{"_noinstr", "__attribute__((__used__)) noinstr void"}}) {
            const std::string function = fmt::format("kerntoll_padding{}_{}", mark, index);
            text += fmt::format(
                "void {}(void);\n{} {}(void)\n{{\n\tasm volatile(\".rept {}\\n\\t{}"
                "\\n\\t.endr\");\n}}\n",
                function, attributes, function, 1 + random.below(most_fillers), row.filler);
        }
        all.push_back({std::string(files[index]), std::move(text)});
    }
    return all;
}

}  // namespace kerntoll::lab::kernel
