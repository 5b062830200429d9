// SPDX-License-Identifier: MIT
#include "lab/doctor/doctor.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/cpu.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/doctor/evidence.hpp"

namespace kerntoll::cli {
namespace {

/// How long `host` is probed for its noise.
constexpr std::chrono::seconds probe_time{2};

struct Options {
    std::optional<int> cpu;
    OutputOptions output;
};

std::string written(const std::vector<lab::doctor::Finding>& findings, Format format) {
    switch (format) {
        case Format::text:
            return lab::doctor::to_text(findings);
        case Format::markdown:
            return lab::doctor::to_markdown(findings);
        case Format::json:
            break;
    }
    return lab::doctor::to_json(findings);
}

lab::Result<Exit> examine_machine(const Options& options) {
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    const auto cpu = choose_cpu(options.cpu);
    if (!cpu) {
        return std::unexpected(cpu.error());
    }
    const auto evidence = lab::doctor::gather(probe_time, *cpu);
    if (!evidence) {
        return std::unexpected(evidence.error());
    }
    const auto findings = lab::doctor::examine(*evidence);
    if (auto printed = print_answer(written(findings, options.output.format)); !printed) {
        return std::unexpected(printed.error());
    }
    return Exit::done;
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "doctor", "Tell what this machine can measure and what stands in the way");
    add_output_options(command, options->output);
    add_cpu_option(command, options->cpu);
    command.callback([options, &invocation] {
        invocation.action = [options] { return examine_machine(*options); };
    });
}

}  // namespace kerntoll::cli
