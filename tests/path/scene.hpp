// SPDX-License-Identifier: MIT
// Paths that are written down instruction by instruction, for the tests of their anatomy.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {

/// A path and what is known of the code that it runs through. It begins with a user's trap.
class Scene {
public:
    explicit Scene(Arch arch = Arch::x86_64) : arch_(arch) { run(0x1000, "trap", 2); }

    /// A function from `start` to below `end`.
    Scene& function(std::string name, std::uint64_t start, std::uint64_t end) {
        functions_.push_back({.name = std::move(name), .start = start, .end = end});
        return *this;
    }
    /// Functions that were inlined, the outermost first, from `start` to below `end`.
    Scene& inlined(std::uint64_t start, std::uint64_t end, std::vector<std::string> names) {
        inlined_.push_back({.start = start, .end = end, .names = std::move(names)});
        return *this;
    }

    /// The next instruction of the path.
    Scene& run(std::uint64_t address, std::string text, std::size_t size = 4) {
        return run(address, std::move(text), std::string(size, '\x90'));
    }
    Scene& run(std::uint64_t address, std::string text, std::string bytes) {
        const auto next = static_cast<std::uint32_t>(trace_.instructions.size());
        const auto [at, added] = numbers_.try_emplace({address, bytes}, next);
        if (added) {
            trace_.instructions.push_back({.address = address, .bytes = bytes, .text = text});
        }
        EXPECT_EQ(trace_.instructions[at->second].text, text) << "two instructions at one address";
        path_.steps.push_back(at->second);
        return *this;
    }
    /// An access of the last instruction.
    Scene& load(std::uint64_t address, std::uint32_t size = 8) {
        return access(address, size, false);
    }
    Scene& store(std::uint64_t address, std::uint32_t size = 8) {
        return access(address, size, true);
    }

    [[nodiscard]] const Trace& trace() const { return trace_; }
    [[nodiscard]] const Path& path() const { return path_; }
    [[nodiscard]] Arch arch() const { return arch_; }

    /// The path's anatomy. The scene must outlive it.
    [[nodiscard]] Anatomy dissect() const {
        return path::dissect(trace_, path_, arch_,
                             [this](std::uint64_t address) { return spot(address); });
    }

private:
    struct Inlined {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::vector<std::string> names;
    };

    Scene& access(std::uint64_t address, std::uint32_t size, bool store) {
        path_.accesses.push_back({.step = static_cast<std::uint32_t>(path_.steps.size() - 1),
                                  .size = size,
                                  .store = store,
                                  .address = address});
        return *this;
    }
    [[nodiscard]] std::optional<Spot> spot(std::uint64_t address) const {
        for (const Function& function : functions_) {
            if (function.start <= address && address < function.end) {
                Spot spot{.function = function.name,
                          .start = function.start,
                          .size = function.end - function.start,
                          .inlined = {}};
                for (const Inlined& range : inlined_) {
                    if (range.start <= address && address < range.end) {
                        spot.inlined = range.names;
                    }
                }
                return spot;
            }
        }
        return std::nullopt;
    }

    Arch arch_;
    Trace trace_;
    Path path_;
    std::map<std::pair<std::uint64_t, std::string>, std::uint32_t> numbers_;
    std::vector<Function> functions_;
    std::vector<Inlined> inlined_;
};

}  // namespace kerntoll::lab::path
