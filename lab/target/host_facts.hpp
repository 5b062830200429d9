// SPDX-License-Identifier: MIT
// The machine that the lab runs on: whether its time is hardware's, and the settings that a
// measurement depends on. All of it is read from files under a root directory.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// What kind of machine this is, and what says so.
struct HostNature {
    Grade grade = Grade::hardware;
    std::string evidence;  ///< "the CPU flag hypervisor"; empty for hardware
};

/// Hardware, unless something speaks of a hypervisor (virtualised) or of QEMU's emulated CPU
/// (emulated): the CPU's flags and name, DMI, the device tree, s390x's sysinfo.
[[nodiscard]] HostNature host_nature(const std::filesystem::path& root = "/");

/// Something that is on, off, or that the machine does not have or show.
enum class Setting { on, off, absent };
[[nodiscard]] std::string_view name(Setting setting);

struct HostSettings {
    std::string cpu_model;
    unsigned cpus = 0;                   ///< online
    std::vector<std::string> governors;  ///< the different ones in use; empty: no cpufreq
    Setting boost = Setting::absent;
    Setting smt = Setting::absent;  ///< more than one thread a core runs
    std::string isolated_cpus;      ///< as in the kernel's list format; empty: none
    std::optional<int> address_space_randomisation;  ///< kernel.randomize_va_space
    std::optional<double> load;                      ///< over the last minute
    /// CPU vulnerabilities that concern this machine and what is done about each.
    std::vector<std::pair<std::string, std::string>> mitigations;
    std::string kernel_release;
    std::string kernel_version;
    std::string kernel_build_id;
    std::string command_line;
    std::string system;  ///< PRETTY_NAME of os-release
};

[[nodiscard]] HostSettings read_host_settings(const std::filesystem::path& root = "/");

/// Settings and nature as they are stored with every run.
[[nodiscard]] Provenance host_facts(const std::filesystem::path& root = "/");

}  // namespace kerntoll::lab
