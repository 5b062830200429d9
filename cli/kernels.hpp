// SPDX-License-Identifier: MIT
// What `try` and `bisect-step` have in common: kernels that are built, and become targets.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "lab/kernel/builder.hpp"

namespace kerntoll::cli {

/// How kernels are built and run, as typed.
struct KernelOptions {
    std::string tree = ".";
    std::vector<std::string> archs;     ///< none: the host's and riscv64
    std::string compiler = "gcc";       ///< gcc, clang or both
    std::optional<std::string> config;  ///< a file
    std::optional<unsigned> jobs;       ///< none: one per CPU
    std::vector<std::string> qemu;      ///< ARCH=PATH
    std::vector<std::string> cpu;       ///< ARCH=MODEL
    std::string append;                 ///< more words of the kernel's command line
};
enum class Architectures { several, one };
void add_kernel_options(CLI::App& command, KernelOptions& options, Architectures architectures);

/// An architecture and a compiler that builds for it.
struct Port {
    lab::Arch arch = lab::Arch::x86_64;
    lab::kernel::Toolchain toolchain;
};
/// Ports that were asked for, and sentences on those that this machine has not what they need.
struct Ports {
    std::vector<Port> there;
    std::vector<lab::Error> missing;
};
/// Whether the architectures were named one by one; otherwise it is whatever is there.
[[nodiscard]] bool names_architectures(const KernelOptions& options);
/// Fault::usage for names that do not exist. `--arch all` passes over what is not installed.
[[nodiscard]] lab::Result<Ports> choose_ports(const KernelOptions& options);

/// A file of kernel options, whole ones or a fragment, that was given with `option`. Fault::usage
/// where it has no line of one.
[[nodiscard]] lab::Result<std::string> read_kernel_options(std::string_view option,
                                                           const std::string& file);
/// The user's own configuration; empty where none was given. Fault::usage where it is none.
[[nodiscard]] lab::Result<std::string> read_config(const KernelOptions& options);

/// Fault::usage where the agent has no such workload: building takes minutes, so what is measured
/// afterwards is looked at before.
[[nodiscard]] lab::Result<void> check_workloads(const std::vector<std::string>& workloads);

/// How the kernels of a port are built. Progress goes to the line.
[[nodiscard]] lab::Result<lab::kernel::BuildPlan> plan_of(const Port& port,
                                                          const KernelOptions& options,
                                                          ProgressLine& line);

/// Keeps the cache within its limits, and says what is gone from it.
void tidy();

/// Fault::environment where no QEMU runs this architecture's Linux: names the option that does.
[[nodiscard]] lab::Result<void> check_qemu(lab::Arch arch, const KernelOptions& options);

/// Where the configuration comes from, in words.
[[nodiscard]] std::string configuration_text(const KernelOptions& options);

/// A kernel as a target's text. `append` comes behind the options' own.
[[nodiscard]] std::string target_of(const lab::kernel::Built& built, const Port& port,
                                    const KernelOptions& options, const std::string& append);

}  // namespace kerntoll::cli
