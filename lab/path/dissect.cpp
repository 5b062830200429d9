// SPDX-License-Identifier: MIT
// Where the anatomy takes what it needs to know from a kernel's symbols.
#include <utility>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {

Anatomy dissect(const Trace& trace, const Path& path, Arch arch, const Symbols* symbols) {
    return dissect(trace, path, arch, [symbols](std::uint64_t address) -> std::optional<Spot> {
        auto place = symbols == nullptr ? std::nullopt : symbols->at(address);
        if (!place) {
            return std::nullopt;
        }
        const Function& function = *place->function;
        return Spot{.function = function.name,
                    .start = function.start + symbols->slide(),
                    .size = function.end - function.start,
                    .inlined = std::move(place->inlined)};
    });
}

}  // namespace kerntoll::lab::path
