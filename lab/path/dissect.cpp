// SPDX-License-Identifier: MIT
// Where the anatomy takes what it needs to know from a kernel's symbols.
#include <utility>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

/// Of s390x, the area at address 0 that the processor shares with the kernel, which puts the last
/// instruction of its way out there (arch/s390/include/asm/lowcore.h). No symbol stands for it.
constexpr std::uint64_t lowcore_bytes = 8192;

}  // namespace

Anatomy dissect(const Trace& trace, const Path& path, Arch arch, const Symbols* symbols) {
    return dissect(trace, path, arch,
                   [symbols, arch](std::uint64_t address) -> std::optional<Spot> {
                       auto place = symbols == nullptr ? std::nullopt : symbols->at(address);
                       if (!place) {
                           const bool low =
                               arch == Arch::s390x && address < lowcore_bytes && symbols != nullptr;
                           return low ? std::optional(Spot{.function = "lowcore", .inlined = {}})
                                      : std::nullopt;
                       }
                       const Function& function = *place->function;
                       return Spot{.function = function.name,
                                   .start = function.start + symbols->slide(),
                                   .size = function.end - function.start,
                                   .inlined = std::move(place->inlined)};
                   });
}

}  // namespace kerntoll::lab::path
