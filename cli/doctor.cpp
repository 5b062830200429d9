// SPDX-License-Identifier: MIT
#include "lab/doctor/doctor.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

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
    std::string format = "text";
};

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
    const auto printed = print_answer(options.format == "json" ? lab::doctor::to_json(findings)
                                                               : lab::doctor::to_text(findings));
    if (!printed) {
        return std::unexpected(printed.error());
    }
    return Exit::done;
}

}  // namespace

void add_doctor(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "doctor", "Tell what this machine can measure and what stands in the way");
    command.add_option("--format", options->format, "How to print the findings: text or json")
        ->type_name("FORMAT")
        ->default_str("text")
        ->check(CLI::IsMember({"text", "json"}).description(""));
    add_cpu_option(command, options->cpu);
    command.callback([options, &invocation] {
        invocation.action = [options] { return examine_machine(*options); };
    });
}

}  // namespace kerntoll::cli
