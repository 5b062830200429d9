// SPDX-License-Identifier: MIT
// The state of a run as it is, and what both reading and reopening one say about it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lab/store/database.hpp"
#include "lab/store/owner.hpp"
#include "lab/store/records.hpp"

namespace kerntoll::lab::store {

struct State {
    RunState state = RunState::running;
    std::string why;
};

/// The state as stored, unless the process that was measuring is gone: then it is interrupted.
[[nodiscard]] State true_state(std::string_view stored, std::string why, const Owner& owner);

/// The owner in three columns of a row: process id, boot id, start time.
[[nodiscard]] Owner owner_at(const Statement& row, int column);

[[nodiscard]] Error no_such_run(const std::filesystem::path& path, RunId id);

}  // namespace kerntoll::lab::store
