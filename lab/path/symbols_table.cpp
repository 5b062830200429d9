// SPDX-License-Identifier: MIT
#include "lab/path/symbols_table.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

namespace kerntoll::lab::path {
namespace {

/// How far a function reaches that has no size and nothing behind it. The last label of a text is
/// that of its end, so that hardly anything depends on it.
constexpr std::uint64_t unbounded_reach = 4096;

/// What the kernel's build puts before the names of code that it links twice: for before there are
/// page tables, for UEFI, for arm64's hypervisor.
constexpr auto copy_prefixes =
    std::to_array<std::string_view>({"__pi_", "__efistub_", "__kvm_nvhe_"});

/// Names that tools make for themselves and that start nothing: the mapping symbols of arm64 and
/// riscv64 ("$x", "$d.12"), and local labels, which riscv64's assembler keeps.
bool is_dropped(std::string_view name) {
    for (const std::string_view prefix : copy_prefixes) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
        }
    }
    return name.starts_with('$') || name.starts_with(".L");
}

/// Marks of the linker script, such as _stext or __irqentry_text_start: they share their address
/// with the first function behind them.
bool is_section_mark(std::string_view name) {
    return name.starts_with('_') && (name.ends_with("text") || name.ends_with("_start") ||
                                     name.ends_with("_begin") || name.ends_with("_end"));
}

bool starts_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
    return std::ranges::any_of(prefixes,
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Names that compilers and the kernel's build derive from others: a part split off ("foo.cold"),
/// padding before a function, a type's hash, a copy.
bool is_derived(std::string_view name) {
    constexpr auto prefixes = std::to_array<std::string_view>({"__pfx_", "__cfi_"});
    return name.contains('.') || starts_with_one_of(name, prefixes) ||
           starts_with_one_of(name, copy_prefixes);
}

/// How well a label reads, the best first: code, plain names, then as Binding says, then the one
/// with less decoration. The name itself comes last, so that the order is the same for every file.
auto reading_order(const Label& label) {
    const std::string_view name = label.name;
    return std::tuple(!label.code, is_section_mark(name) || is_derived(name), label.binding,
                      std::min(name.find_first_not_of('_'), name.size()), name.size(), name);
}

bool comes_before(const Label& a, const Label& b) {
    return a.address != b.address ? a.address < b.address : reading_order(a) < reading_order(b);
}

/// The end of `size` bytes from `start`, without wrapping round.
std::uint64_t end_of(std::uint64_t start, std::uint64_t size) {
    return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/// In the order in which they stand in the image.
constexpr std::array<std::string_view, 4> image_bounds{"_stext", "_etext", "__start_rodata",
                                                       "__end_rodata"};

}  // namespace

bool bounds_the_image(std::string_view name) {
    return std::ranges::find(image_bounds, name) != image_bounds.end();
}

std::optional<store::ImageSize> size_between(std::span<const Label> labels) {
    std::array<std::uint64_t, image_bounds.size()> at{};
    for (std::size_t bound = 0; bound < image_bounds.size(); ++bound) {
        const auto label = std::ranges::find(labels, image_bounds[bound], &Label::name);
        if (label == labels.end()) {
            return std::nullopt;
        }
        at[bound] = label->address;
    }
    if (at[1] < at[0] || at[3] < at[2]) {
        return std::nullopt;
    }
    return store::ImageSize{at[1] - at[0], at[3] - at[2]};
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= longest_name &&
           std::ranges::all_of(text,
                               [](char character) { return character > ' ' && character <= '~'; });
}

Table arrange(std::vector<Label> labels) {
    std::erase_if(labels, [](const Label& label) { return is_dropped(label.name); });
    std::ranges::sort(labels, comes_before);
    Table table;
    // Where the sized functions so far end: a label inside of one splits it and takes the rest.
    std::uint64_t reached = 0;
    for (auto best = labels.begin(); best != labels.end();) {
        const std::uint64_t start = best->address;
        const auto behind = std::find_if(
            best, labels.end(), [&](const Label& label) { return label.address != start; });
        const auto codeless =
            std::find_if(best, behind, [](const Label& label) { return !label.code; });
        std::uint64_t size = 0;
        for (auto label = best; label != codeless; ++label) {
            size = std::max(size, label->size);
            table.names.try_emplace(label->name, table.functions.size());
        }
        if (best != codeless) {
            reached = std::max(reached, end_of(start, size));
            std::uint64_t end = reached;
            if (reached <= start) {  // the file says no size
                end = behind != labels.end() ? behind->address : end_of(start, unbounded_reach);
            } else if (behind != labels.end()) {
                end = std::min(end, behind->address);
            }
            table.functions.push_back({std::move(best->name), start, end});
        }
        best = behind;
    }
    return table;
}

}  // namespace kerntoll::lab::path
