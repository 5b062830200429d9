// SPDX-License-Identifier: MIT
#include "lab/path/classes.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

std::span<const Row> rows_of(Arch arch) {
    switch (arch) {
        case Arch::x86_64:
            return x86_64_rows;
        case Arch::arm64:
            return arm64_rows;
        case Arch::riscv64:
            return riscv64_rows;
        case Arch::s390x:
            return s390x_rows;
        case Arch::loongarch64:
            return loongarch64_rows;
    }
    std::unreachable();
}

/// As the disassembly has it.
std::string_view stack_pointer(Arch arch) {
    switch (arch) {
        case Arch::x86_64:
            return "%rsp";
        case Arch::arm64:
        case Arch::riscv64:
            return "sp";
        case Arch::s390x:
            return "%r15";
        case Arch::loongarch64:
            return "r3";
    }
    std::unreachable();
}

std::vector<std::string_view> words_of(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> words;
    for (std::size_t end = 0; end < text.size();) {
        const std::size_t begin = text.find_first_not_of(separators, end);
        if (begin == text.npos) {
            break;
        }
        end = std::min(text.find_first_of(separators, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
    }
    return words;
}

/// Whether a first word is an instruction's bytes and no mnemonic. QEMU's own disassemblers print
/// them in front; no mnemonic of these architectures has four or eight letters from a to f.
bool is_bytes(Arch arch, std::string_view word) {
    return (arch == Arch::riscv64 || arch == Arch::loongarch64) &&
           (word.size() == 4 || word.size() == 8) &&
           word.find_first_not_of("0123456789abcdef") == word.npos;
}

/// The text as the tables' patterns expect it.
std::string tidy(Arch arch, std::string_view text) {
    std::string tidied;
    for (const std::string_view word : words_of(text, " \t")) {
        if (tidied.empty() && is_bytes(arch, word)) {
            continue;
        }
        tidied += tidied.empty() ? "" : " ";
        tidied += word;
    }
    return tidied;
}

bool is_of_the_stack(Arch arch, std::string_view text) {
    const auto words = words_of(text, " ,()[]!");
    const bool pops = text.starts_with("pop") && !text.starts_with("popcnt");
    return text.starts_with("push") || pops || std::ranges::count(words, stack_pointer(arch)) > 0;
}

/// A row's name with the words of the instruction put in.
std::string fill_in(std::string_view name, std::string_view text) {
    const auto words = words_of(text, " ,#%");
    std::string filled;
    for (std::size_t at = 0; at < name.size(); ++at) {
        if (name[at] != '$') {
            filled += name[at];
            continue;
        }
        const auto word = static_cast<std::size_t>(name[++at] - '0');
        filled += word < words.size() ? words[word] : "?";
    }
    return filled;
}

}  // namespace

Class classify(Arch arch, std::string_view text) {
    const std::string tidied = tidy(arch, text);
    const auto rows = rows_of(arch);
    const auto row = std::ranges::find_if(
        rows, [&](const Row& each) { return fnmatch(each.pattern, tidied.c_str(), 0) == 0; });
    const bool stack = is_of_the_stack(arch, tidied);
    if (row == rows.end()) {
        return {.stack = stack, .special = {}};
    }
    const Effect& effect = row->effect;
    return {.flow = effect.flow,
            .indirect = effect.indirect,
            .atomic = effect.atomic,
            .barrier = effect.barrier,
            .gives_way = effect.gives_way,
            .stack = stack,
            .special = fill_in(row->special, tidied)};
}

}  // namespace kerntoll::lab::path
