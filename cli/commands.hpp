// SPDX-License-Identifier: MIT
// The commands of kerntoll, one file each. Adding one is a file, a line here and a line in
// main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/exit.hpp"
#include "lab/base/error.hpp"

namespace kerntoll::cli {

/// One command line: what was typed, and what the chosen command does once all of it is parsed.
struct Invocation {
    std::vector<std::string> argv;
    std::function<lab::Result<Exit>()> action;
};

void add_compare(CLI::App& app, Invocation& invocation);
void add_count(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_runs(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
void add_resume(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_trace(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_try(CLI::App& app, Invocation& invocation);
void add_bisect_step(CLI::App& app, Invocation& invocation);
void add_variants(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);

}  // namespace kerntoll::cli
