// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "lab/doctor/doctor.hpp"

namespace kerntoll::lab::doctor {
namespace {

Finding good(std::string subject, std::string text) {
    return {std::move(subject), Standing::good, std::move(text), {}};
}

Finding limit(std::string subject, std::string text, std::string remedy) {
    return {std::move(subject), Standing::limit, std::move(text), std::move(remedy)};
}

Finding missing(std::string subject, std::string text, std::string remedy) {
    return {std::move(subject), Standing::missing, std::move(text), std::move(remedy)};
}

Finding examine_grade(const HostNature& nature) {
    switch (nature.grade) {
        case Grade::hardware:
            return good("time", "times of `host` are hardware's: nothing speaks of a hypervisor");
        case Grade::virtualised:
            return limit("time",
                         fmt::format("times of `host` are virtualised ({}): other machines on the "
                                     "same hardware disturb them",
                                     nature.evidence),
                         "confirm what matters on a machine of your own, without a hypervisor");
        case Grade::emulated:
        case Grade::simulated:
            return limit("time",
                         fmt::format("times of `host` are emulated ({}): they say nothing of "
                                     "hardware",
                                     nature.evidence),
                         "run kerntoll outside of the emulator");
    }
    std::unreachable();
}

Finding examine_noise(const Evidence& evidence) {
    constexpr double coarse = 0.02;
    if (!evidence.noise) {
        return missing("noise",
                       evidence.why_no_noise.empty()
                           ? "the noise of `host` was not probed"
                           : fmt::format("`host` cannot be measured: {}", evidence.why_no_noise),
                       evidence.why_no_noise.empty() ? "give the doctor time for its probe"
                                                     : "remove what the sentence names");
    }
    const NoiseFloor& noise = *evidence.noise;
    std::string text = fmt::format(
        "getpid takes {:.1f} ns; batches of {} ms scatter by {:.1f} % inside one process, and {} "
        "processes by {:.1f} % from one to the next",
        noise.ns_per_op, std::chrono::duration_cast<std::chrono::milliseconds>(noise.batch).count(),
        100 * noise.within, noise.processes, 100 * noise.between);
    if (noise.within < coarse && noise.between < coarse) {
        return good("noise", std::move(text));
    }
    return limit("noise", std::move(text),
                 "end other work on this machine, follow the findings below, and give comparisons "
                 "more time (--max-time): replicates average it out");
}

Finding examine_counters(const Evidence& evidence) {
    if (evidence.why_no_counters.empty()) {
        return good("hardware counters", "instructions and cycles of the kernel can be counted");
    }
    // The sentence holds its remedy behind a semicolon.
    const std::string& why = evidence.why_no_counters;
    const std::size_t split = why.find("; ");
    if (split == std::string::npos) {
        return limit(
            "hardware counters", why,
            "instructions are counted exactly under emulation: kerntoll count linux:IMAGE");
    }
    return limit("hardware counters", why.substr(0, split), why.substr(split + 2));
}

Finding examine_governor(const HostSettings& settings) {
    if (settings.governors.empty()) {
        return good("governor", "the CPU's frequency is not in Linux's hands");
    }
    std::string text =
        fmt::format("the CPU's frequency governor is {}", fmt::join(settings.governors, ", "));
    if (settings.governors == std::vector<std::string>{"performance"}) {
        return good("governor", std::move(text));
    }
    return limit("governor", text + ": the frequency follows the load",
                 "cpupower frequency-set -g performance");
}

Finding examine_boost(const HostSettings& settings) {
    switch (settings.boost) {
        case Setting::on:
            return limit(
                "boost",
                "the CPU raises its frequency as long as heat and the other cores allow it",
                "echo 0 > /sys/devices/system/cpu/cpufreq/boost, or with intel_pstate "
                "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
        case Setting::off:
            return good("boost", "the CPU does not raise its frequency above the nominal one");
        case Setting::absent:
            return good("boost", "there is no frequency boost that Linux could switch");
    }
    std::unreachable();
}

Finding examine_smt(const HostSettings& settings) {
    if (settings.smt == Setting::on) {
        return limit("SMT", "a core runs two threads, and the other thread's work slows this one",
                     "echo off > /sys/devices/system/cpu/smt/control");
    }
    return good("SMT", "no core runs more than one thread, as far as this machine says");
}

Finding examine_isolation(const HostSettings& settings) {
    if (settings.isolated_cpus.empty()) {
        return limit("isolation", "no CPU is kept free of other work",
                     settings.cpus < 2 ? "use a machine with more than one CPU"
                                       : "boot with isolcpus=N nohz_full=N rcu_nocbs=N and "
                                         "measure with --cpu N");
    }
    return good("isolation", fmt::format("CPU {} is kept free of other work; measure there with "
                                         "--cpu",
                                         settings.isolated_cpus));
}

Finding examine_layouts(const HostSettings& settings) {
    if (settings.address_space_randomisation.value_or(2) != 0) {
        return good("address layout",
                    "every process gets a layout of its own, so replicates of "
                    "`host` are draws of layouts");
    }
    return limit("address layout",
                 "address space randomisation is off: all replicates of `host` share one layout, "
                 "which becomes part of every effect",
                 "sysctl kernel.randomize_va_space=2");
}

Finding examine_load(const HostSettings& settings) {
    constexpr double idle = 0.5;
    if (!settings.load) {
        return good("load", "the load of this machine is not known");
    }
    std::string text = fmt::format("load over the last minute: {:.2f} on {} CPU{}", *settings.load,
                                   settings.cpus, settings.cpus == 1 ? "" : "s");
    if (*settings.load < idle) {
        return good("load", std::move(text));
    }
    return limit("load", std::move(text), "end other work before you measure");
}

Finding examine_mitigations(const HostSettings& settings) {
    if (settings.mitigations.empty()) {
        return good("mitigations", "this kernel reports no CPU vulnerability");
    }
    std::vector<std::string> names;
    names.reserve(settings.mitigations.size());
    for (const auto& [vulnerability, text] : settings.mitigations) {
        names.push_back(vulnerability);
    }
    return good("mitigations",
                fmt::format("this CPU is concerned by {}: what the kernel does about them is part "
                            "of every entry's cost, and is stored with each run",
                            fmt::join(names, ", ")));
}

Finding examine_kvm(const Evidence& evidence) {
    if (evidence.why_no_kvm.empty()) {
        return good("KVM",
                    "system calls of a KVM guest work: linux: targets of this architecture "
                    "can be timed with accel=kvm");
    }
    return limit("KVM", evidence.why_no_kvm,
                 "linux: targets run under emulation, where counts are exact and times are no "
                 "evidence; for times use a machine with a working /dev/kvm");
}

Finding examine_qemu(const Tools& tools) {
    const std::string subject = fmt::format("QEMU for {}", name(tools.arch));
    if (tools.why_no_qemu.empty()) {
        return good(subject, fmt::format("{} boots Linux and counts instructions", tools.qemu));
    }
    const std::size_t split = tools.why_no_qemu.find("; ");
    return missing(subject, tools.why_no_qemu.substr(0, split),
                   split == std::string::npos ? "repair it, or name another with qemu=PATH"
                                              : tools.why_no_qemu.substr(split + 2));
}

Finding examine_clang(const Evidence& evidence) {
    if (!evidence.clang.empty()) {
        return good("clang",
                    fmt::format("{} builds guests for every architecture", evidence.clang));
    }
    return missing("clang",
                   "clang++-19, which builds guests for every architecture, is not "
                   "installed",
                   "install Debian's packages clang-19 and lld-19");
}

Finding examine_gcc(const Tools& tools) {
    const std::string subject = fmt::format("gcc for {}", name(tools.arch));
    if (!tools.cross_gcc.empty()) {
        return good(subject, tools.cross_gcc);
    }
    if (tools.cross_gcc_package.empty()) {
        return good(subject, "Debian has none; clang builds what is needed");
    }
    return limit(subject,
                 "not installed: kernels for this architecture can be built with clang only",
                 fmt::format("install Debian's package {}", tools.cross_gcc_package));
}

}  // namespace

std::string_view name(Standing standing) {
    switch (standing) {
        case Standing::good:
            return "good";
        case Standing::limit:
            return "limit";
        case Standing::missing:
            return "missing";
    }
    std::unreachable();
}

std::vector<Finding> examine(const Evidence& evidence) {
    const HostSettings& settings = evidence.settings;
    std::vector<Finding> findings = {
        examine_grade(evidence.nature), examine_noise(evidence), examine_counters(evidence),
        examine_governor(settings),     examine_boost(settings), examine_smt(settings),
        examine_isolation(settings),    examine_load(settings),  examine_layouts(settings),
        examine_mitigations(settings),  examine_kvm(evidence),
    };
    for (const Tools& tools : evidence.tools) {
        findings.push_back(examine_qemu(tools));
    }
    findings.push_back(examine_clang(evidence));
    for (const Tools& tools : evidence.tools) {
        findings.push_back(examine_gcc(tools));
    }
    return findings;
}

}  // namespace kerntoll::lab::doctor
