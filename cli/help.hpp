// SPDX-License-Identifier: MIT
// The parts of --help that teach: what a target is, which kinds there are, what to type first.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kerntoll::cli {

/// Keeps the descriptions of options within a hundred columns.
class WrappingFormatter : public CLI::Formatter {
public:
    [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override;
};

/// Below `kerntoll --help`: examples, targets, exit codes.
[[nodiscard]] std::string general_help();

/// Below the help of commands that take targets: every kind with its options.
[[nodiscard]] std::string target_help();

/// `examples` (lines), then target_help().
[[nodiscard]] std::string examples_and_targets(const std::string& examples);

}  // namespace kerntoll::cli
