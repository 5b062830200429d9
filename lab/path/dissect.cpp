// SPDX-License-Identifier: MIT
// Where the anatomy takes what it needs to know from a kernel's symbols.
#include <algorithm>
#include <ranges>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

/// A function's first address at run time, of which `address` is one: its symbol has the address
/// that the file gives it, without the slide.
std::uint64_t start_of(const Symbols& symbols, const Function& function, std::uint64_t address) {
    const std::uint64_t most = std::min(address, function.end - function.start - 1);
    const auto before = std::views::iota(address - most, address);
    const auto start = std::ranges::partition_point(before, [&](std::uint64_t earlier) {
        const auto place = symbols.at(earlier);
        return !place || place->function != &function;
    });
    return start == before.end() ? address : *start;
}

}  // namespace

Anatomy dissect(const Trace& trace, const Path& path, Arch arch, const Symbols* symbols) {
    std::optional<std::uint64_t> slide;
    return dissect(trace, path, arch, [&](std::uint64_t address) -> std::optional<Spot> {
        auto place = symbols == nullptr ? std::nullopt : symbols->at(address);
        if (!place) {
            return std::nullopt;
        }
        const Function& function = *place->function;
        if (!slide) {
            slide = start_of(*symbols, function, address) - function.start;
        }
        return Spot{.function = function.name,
                    .start = function.start + *slide,
                    .size = function.end - function.start,
                    .inlined = std::move(place->inlined)};
    });
}

}  // namespace kerntoll::lab::path
