// SPDX-License-Identifier: MIT
// The options that several commands share, each with one meaning everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/condition.hpp"
#include "cli/units.hpp"
#include "lab/store/records.hpp"

namespace kerntoll::cli {

/// Hands a value on, or refuses the option with the error's sentence.
template <class T>
T value_or_refuse(const std::string& option, lab::Result<T> value) {
    if (!value) {
        throw CLI::ValidationError(option, value.error().message);
    }
    return *std::move(value);
}

/// A whole number that the option's type can hold.
template <class Number>
Number whole(const std::string& option, const std::string& text, std::uint64_t least = 0,
             std::uint64_t most = std::numeric_limits<Number>::max()) {
    return static_cast<Number>(value_or_refuse(option, parse_whole(text, least, most)));
}

enum class Format { text, markdown, json };

/// How the answer is printed.
struct OutputOptions {
    Format format = Format::text;
};
void add_output_options(CLI::App& command, OutputOptions& options);

/// Where results are kept.
struct StoreOptions {
    std::optional<std::string> path;  ///< nothing: under the user's data directory
};
void add_store_options(CLI::App& command, StoreOptions& options);

/// Whether targets that can be counted have their instructions counted before they are timed.
enum class Counting { on, off };
inline constexpr const char* no_count_option = "--no-count";

/// Whether paths of targets that can be recorded are recorded before they are timed.
enum class PathRecording { on, off };
inline constexpr const char* no_path_option = "--no-path";

/// When to stop: what is not given is as usual, or as it was where a run is resumed.
void add_limit_options(CLI::App& command, lab::store::Limits& limits);

/// How to measure. Log-ratios and seconds, as in lab::store::RunRecord.
struct MeasureOptions {
    std::vector<std::string> workloads{"getpid"};
    std::optional<std::uint64_t> seed;  ///< nothing: drawn
    double margin = 0;                  ///< set by add_measure_options
    lab::store::Limits limits;
    std::uint32_t blocks = 8;
    std::optional<double> batch_seconds;  ///< nothing: by where the time comes from
    std::uint32_t most_replicates = 0;    ///< 0: no limit
    std::optional<int> cpu;               ///< nothing: the last one that may be used
    Counting counting = Counting::on;
    PathRecording recording = PathRecording::off;  ///< on: set by add_path_option
};
/// What `--workload` takes, for help.
[[nodiscard]] std::string list_of_workloads();
void add_workload_option(CLI::App& command, std::vector<std::string>& workloads);
void add_cpu_option(CLI::App& command, std::optional<int>& cpu);
void add_measure_options(CLI::App& command, MeasureOptions& options);

/// --no-path of `compare`, whose paths are recorded without it.
void add_path_option(CLI::App& command, PathRecording& recording);

/// --fail-if of the commands that end with verdicts.
void add_condition_option(CLI::App& command, std::vector<Condition>& conditions);

}  // namespace kerntoll::cli
