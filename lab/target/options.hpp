// SPDX-License-Identifier: MIT
// Values of target options that several kinds share, read and checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// The treatments that a target asks for, as the wire's `setup` names them; empty where it asks for
/// none. Fault::usage for values that do not exist.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> read_treatments(
    const TargetSpec& spec);

/// A whole number option in [least, most], or `otherwise` where it is not given.
[[nodiscard]] Result<std::uint64_t> read_number(const TargetSpec& spec, std::string_view key,
                                                std::uint64_t least, std::uint64_t most,
                                                std::uint64_t otherwise);

/// A duration option ("90", "90s", "2m", "500ms"), or `otherwise` where it is not given.
[[nodiscard]] Result<std::chrono::milliseconds> read_duration(const TargetSpec& spec,
                                                              std::string_view key,
                                                              std::chrono::milliseconds otherwise);

/// A memory size option in MiB ("256", "256M", "1G"), or `otherwise` where it is not given.
[[nodiscard]] Result<std::uint64_t> read_mebibytes(const TargetSpec& spec, std::string_view key,
                                                   std::uint64_t otherwise);

/// Fault::usage that says what an option may be.
[[nodiscard]] std::unexpected<Error> bad_option(const TargetSpec& spec, std::string_view key,
                                                std::string_view expected);

}  // namespace kerntoll::lab
