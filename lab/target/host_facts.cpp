// SPDX-License-Identifier: MIT
#include "lab/target/host_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "lab/target/image_elf.hpp"

namespace kerntoll::lab {
namespace {

namespace fs = std::filesystem;

/// A small file's content without the space around it; empty where it cannot be read.
std::string text_in(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    constexpr std::string_view blank = " \t\r\n";
    text.erase(text.find_last_not_of(blank) + 1);
    text.erase(0, std::min(text.find_first_not_of(blank), text.size()));
    return text;
}

/// The value of the first line "key : value" whose key is one of these.
std::string value_in(const std::string& text, std::initializer_list<std::string_view> keys) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) {
            continue;
        }
        std::string_view key = std::string_view(line).substr(0, colon);
        key = key.substr(0, key.find_last_not_of(" \t") + 1);
        if (std::ranges::find(keys, key) != keys.end()) {
            const std::size_t start = line.find_first_not_of(" \t", colon + 1);
            return start == std::string::npos ? std::string{} : line.substr(start);
        }
    }
    return {};
}

bool has_word(std::string_view text, std::string_view word) {
    std::istringstream words{std::string(text)};
    return std::ranges::find(std::istream_iterator<std::string>(words),
                             std::istream_iterator<std::string>(),
                             word) != std::istream_iterator<std::string>();
}

/// Names by which virtual machines present themselves in DMI. Amazon and Google sell real machines
/// under the vendor's name as well, so that their vendor alone says nothing.
constexpr std::array dmi_names = {"QEMU",
                                  "KVM",
                                  "VMware",
                                  "VirtualBox",
                                  "innotek",
                                  "Xen",
                                  "Bochs",
                                  "BHYVE",
                                  "Parallels",
                                  "OpenStack",
                                  "RHEV",
                                  "Firecracker",
                                  "HVM domU",
                                  "oVirt",
                                  "Nutanix AHV",
                                  "Cloud Hypervisor",
                                  "crosvm",
                                  "Apple Virtualization",
                                  "Virtual Machine",
                                  "Google Compute Engine"};

std::string dmi_evidence(const fs::path& root) {
    for (const char* file : {"sys_vendor", "product_name", "board_vendor", "bios_vendor"}) {
        const std::string text = text_in(root / "sys/class/dmi/id" / file);
        for (const char* known : dmi_names) {
            if (text.find(known) != std::string::npos) {
                return fmt::format("DMI's {} \"{}\"", file, text);
            }
        }
    }
    // Amazon's real machines end in ".metal".
    const std::string product = text_in(root / "sys/class/dmi/id/product_name");
    if (text_in(root / "sys/class/dmi/id/sys_vendor") == "Amazon EC2" &&
        !product.ends_with(".metal")) {
        return fmt::format("DMI's product_name \"{}\" of Amazon EC2", product);
    }
    return {};
}

std::string device_tree_evidence(const fs::path& root) {
    const fs::path tree = root / "proc/device-tree";
    std::error_code ignored;
    if (fs::exists(tree / "hypervisor", ignored)) {
        return "a hypervisor node in the device tree";
    }
    const std::string compatible = text_in(tree / "compatible");
    for (const char* known :
         {"linux,dummy-virt", "riscv-virtio", "linux,dummy-loongson3", "qemu,pseries"}) {
        if (compatible.find(known) != std::string::npos) {
            return fmt::format("\"{}\" in the device tree", known);
        }
    }
    return {};
}

std::string hypervisor_evidence(const fs::path& root, const std::string& cpuinfo) {
    if (has_word(value_in(cpuinfo, {"flags"}), "hypervisor")) {
        return "the CPU flag hypervisor";
    }
    if (std::string found = dmi_evidence(root); !found.empty()) {
        return found;
    }
    if (std::string found = device_tree_evidence(root); !found.empty()) {
        return found;
    }
    // On s390x every system runs under firmware's hypervisor; VM00 is a second one above it.
    const std::string program = value_in(text_in(root / "proc/sysinfo"), {"VM00 Control Program"});
    if (!program.empty()) {
        return fmt::format("the control program \"{}\" in /proc/sysinfo", program);
    }
    const std::string type = text_in(root / "sys/hypervisor/type");
    return type.empty() ? std::string{} : fmt::format("\"{}\" in /sys/hypervisor/type", type);
}

Setting setting_of(std::string_view text, std::string_view on, std::string_view off) {
    if (text == on) {
        return Setting::on;
    }
    return text == off ? Setting::off : Setting::absent;
}

std::vector<std::string> governors_in_use(const fs::path& cpu_root) {
    std::set<std::string> governors;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cpu_root / "cpufreq", error)) {
        governors.insert(text_in(entry.path() / "scaling_governor"));
    }
    governors.erase("");
    return {governors.begin(), governors.end()};
}

std::vector<std::pair<std::string, std::string>> mitigations_in_use(const fs::path& cpu_root) {
    std::vector<std::pair<std::string, std::string>> mitigations;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cpu_root / "vulnerabilities", error)) {
        std::string text = text_in(entry.path());
        if (!text.empty() && text != "Not affected") {
            mitigations.emplace_back(entry.path().filename(), std::move(text));
        }
    }
    std::ranges::sort(mitigations);
    return mitigations;
}

/// Counts a list in the kernel's format: "0-3,8" is 5.
unsigned count_of_list(std::string_view list) {
    unsigned count = 0;
    while (!list.empty()) {
        const std::string_view range = list.substr(0, list.find(','));
        list.remove_prefix(std::min(range.size() + 1, list.size()));
        unsigned first = 0;
        const char* start = range.data();
        const char* end = start + range.size();
        const auto parsed = std::from_chars(start, end, first);
        unsigned last = first;
        if (parsed.ptr != end && *parsed.ptr == '-') {
            std::from_chars(parsed.ptr + 1, end, last);
        }
        count += last >= first ? last - first + 1 : 0;
    }
    return count;
}

template <class Number>
std::optional<Number> number_in(const fs::path& path) {
    std::istringstream text(text_in(path));
    Number value{};
    return text >> value ? std::optional(value) : std::nullopt;
}

std::string build_id_in(const fs::path& notes) {
    std::ifstream file(notes, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Bytes bytes = std::as_bytes(std::span(text));
    elf::File whole;
    whole.order = std::endian::native;
    whole.segments = {{.type = elf::segment_note, .file_size = bytes.size()}};
    std::string id;
    for (const std::byte byte : elf::note(bytes, whole, "GNU", 3).value_or(Bytes{})) {
        id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    }
    return id;
}

std::string system_name(const fs::path& os_release) {
    std::istringstream lines(text_in(os_release));
    constexpr std::string_view key = "PRETTY_NAME=";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(key)) {
            line.erase(0, key.size());
            std::erase(line, '"');
            return line;
        }
    }
    return {};
}

}  // namespace

std::string_view name(Setting setting) {
    switch (setting) {
        case Setting::on:
            return "on";
        case Setting::off:
            return "off";
        case Setting::absent:
            return "absent";
    }
    std::unreachable();
}

HostNature host_nature(const fs::path& root) {
    const std::string cpuinfo = text_in(root / "proc/cpuinfo");
    const std::string model = value_in(cpuinfo, {"model name"});
    if (model.find("QEMU TCG") != std::string::npos) {
        return {Grade::emulated, fmt::format("the CPU's name \"{}\"", model)};
    }
    std::string evidence = hypervisor_evidence(root, cpuinfo);
    return {evidence.empty() ? Grade::hardware : Grade::virtualised, std::move(evidence)};
}

HostSettings read_host_settings(const fs::path& root) {
    const fs::path cpu_root = root / "sys/devices/system/cpu";
    HostSettings settings;
    settings.cpu_model = value_in(text_in(root / "proc/cpuinfo"),
                                  {"model name", "Model Name", "uarch", "processor 0"});
    settings.cpus = count_of_list(text_in(cpu_root / "online"));
    settings.governors = governors_in_use(cpu_root);
    settings.boost = setting_of(text_in(cpu_root / "cpufreq/boost"), "1", "0");
    if (settings.boost == Setting::absent) {
        settings.boost = setting_of(text_in(cpu_root / "intel_pstate/no_turbo"), "0", "1");
    }
    settings.smt = setting_of(text_in(cpu_root / "smt/active"), "1", "0");
    settings.isolated_cpus = text_in(cpu_root / "isolated");
    settings.address_space_randomisation =
        number_in<int>(root / "proc/sys/kernel/randomize_va_space");
    settings.load = number_in<double>(root / "proc/loadavg");
    settings.mitigations = mitigations_in_use(cpu_root);
    settings.kernel_release = text_in(root / "proc/sys/kernel/osrelease");
    settings.kernel_version = text_in(root / "proc/sys/kernel/version");
    settings.kernel_build_id = build_id_in(root / "sys/kernel/notes");
    settings.command_line = text_in(root / "proc/cmdline");
    settings.system = system_name(root / "etc/os-release");
    return settings;
}

Provenance host_facts(const fs::path& root) {
    const HostSettings settings = read_host_settings(root);
    const HostNature nature = host_nature(root);
    std::vector<std::string> mitigations;
    mitigations.reserve(settings.mitigations.size());
    for (const auto& [vulnerability, text] : settings.mitigations) {
        mitigations.push_back(fmt::format("{}: {}", vulnerability, text));
    }
    const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
    return {
        {"grade", std::string(name(nature.grade))},
        {"grade_evidence", or_none(nature.evidence)},
        {"cpu_model", settings.cpu_model},
        {"cpus", fmt::format("{}", settings.cpus)},
        {"governor", or_none(fmt::format("{}", fmt::join(settings.governors, ", ")))},
        {"boost", std::string(name(settings.boost))},
        {"smt", std::string(name(settings.smt))},
        {"isolated_cpus", or_none(settings.isolated_cpus)},
        {"mitigations", or_none(fmt::format("{}", fmt::join(mitigations, " | ")))},
        {"kernel_release", settings.kernel_release},
        {"kernel_version", settings.kernel_version},
        {"kernel_build_id", settings.kernel_build_id},
        {"command_line", settings.command_line},
        {"system", settings.system},
    };
}

}  // namespace kerntoll::lab
