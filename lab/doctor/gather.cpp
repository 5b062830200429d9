// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "lab/base/interrupt.hpp"
#include "lab/doctor/evidence.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/counters.hpp"
#include "lab/target/kvm_probe.hpp"
#include "lab/target/machines.hpp"

namespace kerntoll::lab::doctor {
namespace {

/// The cross compilers that Debian has: program and package.
struct CrossCompiler {
    Arch arch;
    std::string_view program;
    std::string_view package;
};
constexpr std::array cross_compilers = {
    CrossCompiler{Arch::x86_64, "x86_64-linux-gnu-gcc", "gcc"},
    CrossCompiler{Arch::arm64, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"},
    CrossCompiler{Arch::riscv64, "riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu"},
    CrossCompiler{Arch::s390x, "s390x-linux-gnu-gcc", "gcc-s390x-linux-gnu"},
};

Tools look_for_tools(const MachineRow& row) {
    Tools tools{
        .arch = row.arch, .qemu = {}, .why_no_qemu = {}, .cross_gcc = {}, .cross_gcc_package = {}};
    const auto qemu = find_qemu(row, std::nullopt);
    if (!qemu) {
        tools.why_no_qemu = qemu.error().message;
    } else {
        tools.qemu = fmt::format("{} {}", qemu->program, qemu->version_text);
        if (const auto boots = check_boots_linux(row, *qemu); !boots) {
            tools.why_no_qemu = boots.error().message;
        }
    }
    for (const CrossCompiler& compiler : cross_compilers) {
        if (compiler.arch == row.arch) {
            tools.cross_gcc = find_program(compiler.program).value_or("");
            tools.cross_gcc_package = compiler.package;
        }
    }
    return tools;
}

}  // namespace

Result<Evidence> gather(std::chrono::nanoseconds probe, int cpu,
                        const std::filesystem::path& root) {
    Evidence evidence;
    evidence.host = host_arch();
    evidence.nature = host_nature(root);
    evidence.settings = read_host_settings(root);
    if (const auto counters = attach_counters(getpid()); !counters) {
        evidence.why_no_counters = counters.error().message;
    }
    evidence.why_no_kvm = "kerntoll has no agent for this machine's architecture";
    if (evidence.host) {
        const auto kvm = prove_kvm(*evidence.host);
        evidence.why_no_kvm = kvm ? std::string{} : kvm.error().message;
    }
    evidence.clang = find_program("clang++-19").value_or("");
    for (const MachineRow& row : machine_table()) {
        evidence.tools.push_back(look_for_tools(row));
    }
    if (probe > std::chrono::nanoseconds::zero()) {
        auto target = open_target("host");
        auto noise = target ? measure_noise(**target, probe, cpu)
                            : Result<NoiseFloor>(std::unexpected(target.error()));
        if (noise) {
            evidence.noise = *noise;
        } else {
            evidence.why_no_noise = noise.error().message;
        }
    }
    if (auto asked = check_interrupt(); !asked) {
        return std::unexpected(asked.error());
    }
    return evidence;
}

}  // namespace kerntoll::lab::doctor
