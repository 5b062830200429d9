// SPDX-License-Identifier: MIT
// How what a machine executes is cut into round trips, for the plugin and for single steps alike.
#pragma once

#include <cstdint>
#include <optional>

#include "recorder/address_range.hpp"
#include "recorder/trace_writer.hpp"

namespace kerntoll::recorder {

/// What is to be recorded.
struct Cut {
    AddressRange text;         ///< all of the user's code: a path ends where it goes on
    AddressRange loop;         ///< the part of it whose round trips are recorded
    std::uint64_t rounds = 0;  ///< ops to record
    std::uint64_t limit = 0;   ///< instructions of one round trip, at most
};

/// Told of every instruction that is executed, keeps the round trips that begin in the loop.
class RoundTrips {
public:
    explicit RoundTrips(const Cut& cut) : cut_(cut) {}

    /// Says how the recording ends where it ends with this instruction.
    [[nodiscard]] std::optional<trace_format::End> executed(const Instruction& instruction) {
        if (cut_.text.holds(instruction.address)) {
            return executed_by_user(instruction);
        }
        if (!is_under_way()) {
            if (user_ == nullptr || !cut_.loop.holds(user_->address)) {
                return std::nullopt;
            }
            path_.steps.push_back(user_->number);
            if (paths_.rounds() == 0) {
                turn_ = user_;
                ops_ = 0;
            }
        }
        path_.steps.push_back(instruction.number);
        return path_.steps.size() > cut_.limit ? std::optional(trace_format::End::too_long)
                                               : std::nullopt;
    }
    /// The last instruction accesses memory; `kind` is trace_format's.
    void accessed(std::uint8_t kind, std::uint64_t address) {
        if (is_under_way()) {
            path_.accesses.push_back(
                {static_cast<std::uint32_t>(path_.steps.size() - 1), kind, address});
        }
    }

    [[nodiscard]] bool is_under_way() const { return !path_.steps.empty(); }
    [[nodiscard]] const Path& path() const { return path_; }  ///< under way, or empty
    [[nodiscard]] const Paths& paths() const { return paths_; }
    [[nodiscard]] std::uint64_t ops() const { return ops_; }  ///< recorded so far

private:
    std::optional<trace_format::End> executed_by_user(const Instruction& instruction) {
        if (is_under_way()) {
            paths_.add(path_);
            path_.clear();
        }
        user_ = &instruction;
        if (turn_ == nullptr && cut_.loop.holds(instruction.address)) {
            turn_ = &instruction;
            return std::nullopt;
        }
        const bool is_over = turn_ == &instruction && ++ops_ == cut_.rounds;
        return is_over ? std::optional(trace_format::End::complete) : std::nullopt;
    }

    Cut cut_;
    Paths paths_;
    Path path_;
    const Instruction* user_ = nullptr;  ///< the last user instruction
    /// The instruction that ops are counted by: the one that the first round trip began with. An op
    /// executes each of its traps once (agent/workload.hpp), so that an op is over where this one
    /// is executed again: each of the op's calls has then made one round trip. Before there is any,
    /// and where an op makes no call, it is the loop's first one that was seen.
    const Instruction* turn_ = nullptr;
    std::uint64_t ops_ = 0;
};

}  // namespace kerntoll::recorder
