// SPDX-License-Identifier: MIT
#include "cli/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "lab/base/cpus.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/tidy.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/workloads.hpp"

namespace kerntoll::cli {
namespace {

using lab::Arch;
using lab::kernel::Compiler;

constexpr std::string_view every = "all";

unsigned most_jobs() {
    const auto cpus = lab::usable_cpus();
    return cpus ? static_cast<unsigned>(cpus->size()) : 1;
}

lab::Result<std::vector<Arch>> architectures(const KernelOptions& options) {
    std::vector<Arch> archs;
    const auto add = [&archs](Arch arch) {
        if (std::ranges::find(archs, arch) == archs.end()) {
            archs.push_back(arch);
        }
    };
    if (options.archs.empty()) {
        add(lab::host_arch().value_or(Arch::riscv64));
        add(Arch::riscv64);
    }
    for (const std::string& text : options.archs) {
        if (text == every) {
            for (const auto& row : lab::kernel::kbuild_table()) {
                add(row.arch);
            }
            continue;
        }
        const auto arch = lab::arch_from_name(text);
        if (!arch) {
            return lab::fail(lab::Fault::usage,
                             fmt::format("--arch: there is no architecture '{}'; there are x86_64, "
                                         "arm64, riscv64, s390x, loongarch64, and all",
                                         text));
        }
        add(*arch);
    }
    return archs;
}

std::vector<Compiler> compilers(const KernelOptions& options) {
    if (options.compiler == "both") {
        return {Compiler::gcc, Compiler::clang};
    }
    return {options.compiler == "clang" ? Compiler::clang : Compiler::gcc};
}

/// An option that says something of one architecture: of the form ARCH=WHAT.
struct PerArch {
    const char* option;
    const char* form;
    const char* example;
    bool (*is_there)(const std::string& what);  ///< known before kernels are built for it
};
constexpr PerArch qemu_per_arch{
    "--qemu", "ARCH=PATH", "loongarch64=/opt/qemu/bin/qemu-system-loongarch64",
    [](const std::string& path) { return lab::find_program(path).has_value(); }};
constexpr PerArch cpu_per_arch{"--cpu-model", "ARCH=MODEL", "x86_64=EPYC",
                               [](const std::string&) { return true; }};

lab::Result<std::pair<Arch, std::string>> parse(const PerArch& of, const std::string& text) {
    const auto sign = text.find('=');
    const auto arch = lab::arch_from_name(text.substr(0, sign));
    if (sign == std::string::npos || !arch || sign + 1 == text.size()) {
        return lab::fail(lab::Fault::usage, fmt::format("{}: '{}' is not {}, such as {}", of.option,
                                                        text, of.form, of.example));
    }
    std::string what = text.substr(sign + 1);
    if (!of.is_there(what)) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("{} is no program that can be executed; give {}, such as {}",
                                     what, of.form, of.example));
    }
    return std::pair{*arch, std::move(what)};
}

/// What was said of an architecture; the last word counts.
std::optional<std::string> value_for(const PerArch& of, const std::vector<std::string>& typed,
                                     Arch arch) {
    std::optional<std::string> value;
    for (const std::string& each : typed) {
        if (auto said = parse(of, each); said && said->first == arch) {
            value = std::move(said->second);
        }
    }
    return value;
}

void add_per_arch(CLI::App& command, const PerArch& of, std::vector<std::string>& kept,
                  const char* description) {
    command
        .add_option_function<std::vector<std::string>>(
            of.option,
            [&of, &kept](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    (void)value_or_refuse(of.option, parse(of, text));
                }
                kept = texts;
            },
            description)
        ->type_name(of.form)
        ->expected(1)
        ->allow_extra_args(false)  // a patch may stand behind it
        ->take_all();
}

/// A value that may hold commas, quotes and spaces, as a target's text has it.
std::string in_quotes(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += c;
    }
    return text + '"';
}

bool is_plain(const std::string& value) {
    return value.find_first_of(", \"\\") == std::string::npos;
}

}  // namespace

void add_kernel_options(CLI::App& command, KernelOptions& options, Architectures architectures) {
    command
        .add_option("--tree", options.tree,
                    "Linux source tree, from 5.10 on: a git tree or an unpacked one (default: the "
                    "current folder). Nothing is written into it")
        ->type_name("DIR");
    command
        .add_option_function<std::string>(
            "--arch",
            [&options](const std::string& text) {
                options.archs = split_list(text);
                if (options.archs.empty()) {
                    throw CLI::ValidationError("--arch", "names no architecture; write riscv64");
                }
            },
            architectures == Architectures::several
                ? "Architectures, as a list, or all: every one whose compiler is installed "
                  "(default: this machine's and riscv64)"
                : "Architecture (default: riscv64)")
        ->type_name(architectures == Architectures::several ? "LIST" : "ARCH");
    command
        .add_option("--cc", options.compiler,
                    architectures == Architectures::several ? "Compiler: gcc, clang or both"
                                                            : "Compiler: gcc or clang")
        ->type_name("CC")
        ->default_str("gcc")
        ->check(CLI::IsMember(architectures == Architectures::several
                                  ? std::vector<std::string>{"gcc", "clang", "both"}
                                  : std::vector<std::string>{"gcc", "clang"})
                    .description(""));
    command
        .add_option(
            "--config", options.config,
            "A whole .config of yours (default: the tree's tinyconfig and what this program "
            "adds so that it boots)")
        ->type_name("FILE");
    command.add_option("--append", options.append, "More words of every kernel's command line")
        ->type_name("WORDS");
    command
        .add_option_function<std::string>(
            "-j,--jobs",
            [&options](const std::string& text) {
                options.jobs = whole<unsigned>("--jobs", text, 1, most_jobs());
            },
            "Compile so many files at a time, at most one per CPU (default: that many)")
        ->type_name("N");
    add_per_arch(command, qemu_per_arch, options.qemu,
                 "QEMU to run an architecture's kernels with, such as loongarch64=PATH of 9.1 or "
                 "newer. Repeatable");
    add_per_arch(command, cpu_per_arch, options.cpu,
                 "CPU model to run an architecture's kernels on, such as x86_64=EPYC: the "
                 "mitigations, and with them the counts, are the model's. Repeatable");
}

bool names_architectures(const KernelOptions& options) {
    return !options.archs.empty() && std::ranges::find(options.archs, every) == options.archs.end();
}

lab::Result<Ports> choose_ports(const KernelOptions& options) {
    const auto archs = architectures(options);
    if (!archs) {
        return std::unexpected(archs.error());
    }
    const bool whatever_is_there = std::ranges::find(options.archs, every) != options.archs.end();
    Ports ports;
    for (const Arch arch : *archs) {
        for (const Compiler compiler : compilers(options)) {
            // loongarch64 has no gcc in Debian 12, and whoever asks for all wants it all the same.
            const auto& row = lab::kernel::kbuild_row(arch);
            const bool other = whatever_is_there && row.gcc_prefix.empty();
            if (other && compilers(options).size() > 1 && compiler == Compiler::gcc) {
                continue;
            }
            auto toolchain = lab::kernel::find_toolchain(row, other ? Compiler::clang : compiler);
            const auto agent = lab::agent_path(arch);  // what would be missed after the build
            if (toolchain && agent) {
                ports.there.push_back({arch, *std::move(toolchain)});
            } else {
                ports.missing.push_back(toolchain ? agent.error() : toolchain.error());
            }
        }
    }
    return ports;
}

lab::Result<std::string> read_kernel_options(std::string_view option, const std::string& file) {
    std::string text = lab::kernel::contents(file);
    if (!text.contains("CONFIG_")) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("{}: {} is no kernel configuration that can be read; it has "
                                     "no line with CONFIG_",
                                     option, file));
    }
    return text;
}

lab::Result<std::string> read_config(const KernelOptions& options) {
    return options.config ? read_kernel_options("--config", *options.config) : std::string{};
}

lab::Result<void> check_workloads(const std::vector<std::string>& workloads) {
    const std::span<const std::string_view> known = lab::agent_workloads;
    for (const std::string& workload : workloads) {
        if (std::ranges::find(known, workload) == known.end()) {
            return lab::fail(lab::Fault::usage,
                             "--workload: " + lab::no_such_workload(workload, known));
        }
    }
    return {};
}

lab::Result<lab::kernel::BuildPlan> plan_of(const Port& port, const KernelOptions& options,
                                            ProgressLine& line) {
    lab::kernel::BuildPlan plan;
    plan.arch = port.arch;
    plan.toolchain = port.toolchain;
    plan.jobs = options.jobs.value_or(most_jobs());
    auto config = read_config(options);
    if (!config) {
        return std::unexpected(config.error());
    }
    plan.config = *std::move(config);
    plan.say = [&line](const std::string& text) { line.update(text); };
    return plan;
}

void tidy() {
    if (const std::string gone = lab::kernel::tidy_cache().text(); !gone.empty()) {
        print_note(
            fmt::format("the cache of kernels is within its limits again, without {} that "
                        "nobody had used for the longest time",
                        gone));
    }
}

lab::Result<void> check_qemu(lab::Arch arch, const KernelOptions& options) {
    const std::string option = fmt::format("--qemu {}=PATH", lab::name(arch));
    const lab::MachineRow& row = lab::machine_row(arch);
    const auto given = value_for(qemu_per_arch, options.qemu, arch);
    const auto qemu = lab::find_qemu(row, given, option);
    return qemu ? lab::check_boots_linux(row, *qemu, option) : std::unexpected(qemu.error());
}

std::string configuration_text(const KernelOptions& options) {
    return (options.config
                ? fmt::format("the file {}",
                              std::filesystem::path(*options.config).filename().string())
                : fmt::format("tinyconfig and the fragments of kerntoll {}", KERNTOLL_VERSION)) +
           (options.append.empty() ? "" : "; on the command line: " + options.append);
}

std::string target_of(const lab::kernel::Built& built, const Port& port,
                      const KernelOptions& options, const std::string& append) {
    const std::string image = built.image.string();
    std::string text = "linux:" + (is_plain(image) ? image : in_quotes(image));
    std::string words = options.append;
    if (!append.empty()) {
        words += (words.empty() ? "" : " ") + append;
    }
    if (!words.empty()) {
        text += ",append=" + (is_plain(words) ? words : in_quotes(words));
    }
    const auto add = [&](std::string_view name, const PerArch& of, const auto& typed) {
        if (const auto value = value_for(of, typed, port.arch)) {
            text += fmt::format(",{}={}", name, is_plain(*value) ? *value : in_quotes(*value));
        }
    };
    add("cpu", cpu_per_arch, options.cpu);
    add("qemu", qemu_per_arch, options.qemu);
    return text;
}

}  // namespace kerntoll::cli
