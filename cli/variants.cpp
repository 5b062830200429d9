// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "lab/target/axes.hpp"
#include "lab/target/machines.hpp"

namespace kerntoll::cli {
namespace {

constexpr const char* examples = R"(  kerntoll variants
  kerntoll compare nano:riscv64,exit=outlined nano:riscv64
  kerntoll explain nano:arm64,vector=table nano:arm64,vector=likely
)";

/// Every port: the architectures, and the one without a machine.
std::vector<std::string_view> ports() {
    std::vector<std::string_view> names;
    for (const lab::MachineRow& row : lab::machine_table()) {
        names.push_back(lab::name(row.arch));
    }
    names.emplace_back("hosted");
    return names;
}

std::vector<std::string_view> ports_with(const lab::Axis& axis) {
    auto names = ports();
    std::erase_if(names, [&axis](std::string_view port) { return !lab::has_axis(port, axis); });
    return names;
}

/// Their names, or what they have in common: every architecture, with hosted or without.
std::string ports_text(const lab::Axis& axis) {
    const auto with = ports_with(axis);
    const bool on_hosted = lab::has_axis("hosted", axis);
    if (with.size() == lab::machine_table().size() + (on_hosted ? 1 : 0)) {
        return on_hosted ? "all architectures, and hosted" : "all architectures, but not hosted";
    }
    return fmt::format("{}", fmt::join(with, " "));
}

std::string to_text() {
    std::string text;
    for (const lab::Axis& axis : lab::axes()) {
        text += fmt::format("{}  {}\n", axis.name, axis.decides);
        for (const lab::AxisValue& value : axis.values) {
            text += fmt::format("    {:<10}{}{}\n", value.spelling, value.meaning,
                                &value == axis.values.data() ? " (default)" : "");
        }
        text += fmt::format("    ports: {}", ports_text(axis));
        if (axis.posts != "-") {
            text += fmt::format("; posts: {}", axis.posts);
        }
        text += '\n';
        if (!axis.gives_up.empty()) {
            text += fmt::format("    gives up, {}\n", axis.gives_up);
        }
    }
    text +=
        "\nA variant is a port and its choices: nano:riscv64,vector=likely,frame=lazy; cc=clang or "
        "cc=gcc\n(not loongarch64) compiles it, layout=SEED or layout=random says where its "
        "functions lie.\n";
    return text;
}

std::string to_markdown() {
    std::string text =
        "| axis | values (the first is the default) | ports | posts | gives up |\n"
        "|---|---|---|---|---|\n";
    for (const lab::Axis& axis : lab::axes()) {
        std::vector<std::string> values;
        for (const lab::AxisValue& value : axis.values) {
            values.push_back(fmt::format("`{}`: {}", value.spelling, value.meaning));
        }
        text += fmt::format("| `{}`: {} | {} | {} | {} | {} |\n", axis.name, axis.decides,
                            fmt::join(values, "; "), ports_text(axis), axis.posts, axis.gives_up);
    }
    return text;
}

std::string to_json() {
    auto all = nlohmann::ordered_json::array();
    for (const lab::Axis& axis : lab::axes()) {
        auto values = nlohmann::ordered_json::array();
        for (const lab::AxisValue& value : axis.values) {
            values.push_back({{"value", value.spelling}, {"meaning", value.meaning}});
        }
        all.push_back({{"axis", axis.name},
                       {"decides", axis.decides},
                       {"default", axis.values.front().spelling},
                       {"values", values},
                       {"ports", ports_with(axis)},
                       {"posts", axis.posts},
                       {"gives_up", axis.gives_up}});
    }
    return nlohmann::ordered_json{{"schema", 1}, {"axes", all}}.dump(2) + '\n';
}

std::string written(Format format) {
    switch (format) {
        case Format::markdown:
            return to_markdown();
        case Format::json:
            return to_json();
        case Format::text:
            break;
    }
    return to_text();
}

}  // namespace

void add_variants(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<OutputOptions>();
    CLI::App& command = *app.add_subcommand(
        "variants", "List the choices of the project's own entry path (nano:, hosted:)");
    add_output_options(command, *options);
    command.footer(fmt::format("\nExamples:\n{}", examples));
    command.callback([options, &invocation] {
        invocation.action = [options]() -> lab::Result<Exit> {
            if (auto printed = print_answer(written(options->format)); !printed) {
                return std::unexpected(printed.error());
            }
            return Exit::done;
        };
    });
}

}  // namespace kerntoll::cli
