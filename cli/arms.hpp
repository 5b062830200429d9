// SPDX-License-Identifier: MIT
// From the targets that a user names to the arms of an experiment, and to what is stored of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/store/records.hpp"

namespace kerntoll::cli {

/// The targets of a command line, as texts.
struct TargetTexts {
    std::string base;
    std::vector<std::string> changes = {};
    std::vector<std::string> placebos = {};
};

/// Whether the arms are timed. Exact counts need no control beside them.
enum class Purpose { timing, counting };
/// What the runs of a command (compare, run, count) are for.
[[nodiscard]] Purpose purpose_of(std::string_view command);

/// Opens the targets and puts them into their columns.
[[nodiscard]] lab::Result<std::vector<lab::experiment::Arm>> open_arms(const TargetTexts& texts,
                                                                       Purpose purpose);

/// What is stored of the arms.
[[nodiscard]] std::vector<lab::store::ArmRecord> describe(
    const std::vector<lab::experiment::Arm>& arms);

/// The arms of a stored run, opened again. Fault::usage where a target is another one by now: its
/// numbers would not belong beside the earlier ones.
[[nodiscard]] lab::Result<std::vector<lab::experiment::Arm>> reopen_arms(
    const lab::store::StoredRun& stored);

}  // namespace kerntoll::cli
