// SPDX-License-Identifier: MIT
#include "lab/target/machines.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "lab/base/subprocess.hpp"
#include "nano/arch/arm64/places.hpp"
#include "nano/arch/loongarch64/places.hpp"
#include "nano/arch/riscv64/places.hpp"
#include "nano/arch/s390x/places.hpp"
#include "nano/arch/x86_64/places.hpp"

namespace kerntoll::lab {
namespace {

constexpr QemuVersion debian_12{7, 2};

// Ticks: rdtsc counts 1 GHz under -icount; arm64's timer runs at 62.5 MHz, riscv64's at 10 MHz,
// loongarch64's at 100 MHz; s390x's clock has 4096 units a microsecond.
constexpr std::array<MachineRow, 5> table{{
    {.arch = Arch::x86_64,
     .program = "qemu-system-x86_64",
     .debian_package = "qemu-system-x86",
     .least_for_linux = debian_12,
     .machine = "q35",
     .cpu = "max",
     .memory_mib = 256,
     .console_device = "-serial chardev:{}",
     .kernel_arguments = "console=ttyS0",
     .tick_ns_numerator = 1,
     .tick_ns_denominator = 1,
     .gdb_program_counter = 16,
     .nano = {.machine = "microvm",
              .cpu = "max",
              .memory_mib = 64,
              .arguments = "-device isa-debug-exit,iobase=0xf4,iosize=4",
              .places = nano::x86_64::places}},
    {.arch = Arch::arm64,
     .program = "qemu-system-aarch64",
     .debian_package = "qemu-system-arm",
     .least_for_linux = debian_12,
     .machine = "virt",
     .cpu = "cortex-a72",
     .memory_mib = 256,
     .console_device = "-serial chardev:{}",
     .kernel_arguments = "console=ttyAMA0",
     .tick_ns_numerator = 16,
     .tick_ns_denominator = 1,
     .gdb_program_counter = 32,
     .nano = {.machine = "virt",
              .cpu = "max",
              .memory_mib = 128,
              .arguments = "-semihosting-config enable=on,target=native",
              .places = nano::arm64::places}},
    {.arch = Arch::riscv64,
     .program = "qemu-system-riscv64",
     .debian_package = "qemu-system-misc",
     .least_for_linux = debian_12,
     .machine = "virt",
     .cpu = "rv64",
     .memory_mib = 256,
     .console_device = "-serial chardev:{}",
     // Linux from 6.7 on reads extensions from a property that QEMU writes from 8.2 on.
     .kernel_arguments = "console=ttyS0 riscv_isa_fallback",
     .tick_ns_numerator = 100,
     .tick_ns_denominator = 1,
     .gdb_program_counter = 32,
     .nano = {.machine = "virt",
              .cpu = "rv64",
              .memory_mib = 64,
              .arguments = "-bios none",
              .places = nano::riscv64::places}},
    {.arch = Arch::s390x,
     .program = "qemu-system-s390x",
     .debian_package = "qemu-system-misc",
     .least_for_linux = debian_12,
     .machine = "s390-ccw-virtio",
     .cpu = "max",
     .memory_mib = 256,
     .console_device = "-device sclpconsole,chardev={}",
     .kernel_arguments = "console=ttyS0",
     .tick_ns_numerator = 1000,
     .tick_ns_denominator = 4096,
     .gdb_program_counter = 1,
     .byte_order = std::endian::big,
     .nano = {.machine = "s390-ccw-virtio",
              .cpu = "max",
              .memory_mib = 64,
              .arguments = "-action panic=exit-failure",
              .places = nano::s390x::places}},
    {.arch = Arch::loongarch64,
     .program = "qemu-system-loongarch64",
     .debian_package = "qemu-system-misc",
     // Older ones have no direct boot of Linux, and Debian 12 has no firmware for it.
     .least_for_linux = {9, 1},
     .machine = "virt",
     .cpu = "la464",
     .memory_mib = 1024,
     .console_device = "-serial chardev:{}",
     // Looking for a keyboard controller that is not there hangs the boot.
     .kernel_arguments = "console=ttyS0,115200 initcall_blacklist=i8042_init",
     .tick_ns_numerator = 10,
     .tick_ns_denominator = 1,
     .trap_is_counted = false,
     .gdb_program_counter = 33,
     .nano = {.machine = "virt",
              .cpu = "la464",
              .memory_mib = 1024,
              .arguments = "",
              .places = nano::loongarch64::places}},
}};

bool is_executable_file(const std::string& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

std::string absolute(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    std::string text = resolved == nullptr ? path : resolved;
    std::free(resolved);
    return text;
}

}  // namespace

std::span<const MachineRow> machine_table() {
    return table;
}

const MachineRow& machine_row(Arch arch) {
    return table.at(static_cast<std::size_t>(arch));
}

std::vector<std::string> console_arguments(const MachineRow& row, std::string_view chardev) {
    const std::string_view device = row.console_device;
    const std::size_t space = device.find(' ');
    return {std::string(device.substr(0, space)),
            fmt::format(fmt::runtime(device.substr(space + 1)), chardev)};
}

std::string kernel_command_line(const MachineRow& row, std::string_view append) {
    // panic=-1: a kernel that panics reboots at once, which -no-reboot turns into QEMU's end.
    std::string line = fmt::format("{} panic=-1 quiet", row.kernel_arguments);
    if (!append.empty()) {
        line += fmt::format(" {}", append);
    }
    return line;
}

std::optional<std::string> find_program(std::string_view program) {
    if (program.find('/') != program.npos) {
        const std::string path(program);
        return is_executable_file(path) ? std::optional(absolute(path)) : std::nullopt;
    }
    const char* variable = std::getenv("PATH");
    std::string_view rest = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const std::string path = fmt::format("{}/{}", rest.substr(0, colon), program);
        if (colon != 0 && is_executable_file(path)) {
            return path;
        }
        rest = colon == rest.npos ? std::string_view{} : rest.substr(colon + 1);
    }
    return std::nullopt;
}

std::optional<Qemu> parse_qemu_version(std::string_view output) {
    constexpr std::string_view marker = "QEMU emulator version ";
    const std::size_t at = output.find(marker);
    if (at == output.npos) {
        return std::nullopt;
    }
    std::string_view text = output.substr(at + marker.size());
    text = text.substr(0, text.find('\n'));
    Qemu qemu;
    qemu.version_text = text;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, qemu.version.major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') {
        return std::nullopt;
    }
    const auto minor = std::from_chars(major.ptr + 1, end, qemu.version.minor);
    if (minor.ec != std::errc{}) {
        return std::nullopt;
    }
    return qemu;
}

Result<Qemu> find_qemu(const MachineRow& row, std::optional<std::string_view> given,
                       std::string_view other) {
    const auto program = find_program(given.value_or(row.program));
    if (!program && given) {
        return fail(Fault::environment,
                    fmt::format("qemu=\"{}\" is not a program that can be executed; give the path "
                                "of a {}",
                                *given, row.program));
    }
    if (!program) {
        return fail(Fault::environment,
                    fmt::format("{} is not installed, and {} kernels need it; install Debian's "
                                "package {} or name one with {}",
                                row.program, name(row.arch), row.debian_package, other));
    }
    const auto answer = run_captured({*program, "--version"}, std::chrono::seconds(10));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    auto qemu = parse_qemu_version(answer->output);
    if (!qemu) {
        return fail(Fault::environment,
                    fmt::format("\"{}\" does not answer --version as QEMU does; give the path of a "
                                "{} with {}",
                                *program, row.program, other));
    }
    qemu->program = *program;
    return *qemu;
}

Result<void> check_plugin(const Qemu& qemu, const std::string& plugin) {
    // Without its options the recorder refuses to be installed, and says which it needs: whoever
    // hears that has loaded it. QEMU ends upon it.
    const auto answer =
        run_captured({qemu.program, "-nodefaults", "-no-user-config", "-display", "none",
                      "-machine", "none", "-S", "-d", "plugin", "-plugin", plugin},
                     std::chrono::seconds(10));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    if (answer->output.contains("the recorder needs")) {
        return {};
    }
    const std::string_view output = answer->output;
    return fail(Fault::environment,
                fmt::format("the recorder cannot be loaded into QEMU: '{}'",
                            output.empty() ? "" : output.substr(0, output.find('\n'))));
}

Result<void> check_boots_linux(const MachineRow& row, const Qemu& qemu, std::string_view other) {
    if (qemu.version >= row.least_for_linux) {
        return {};
    }
    return fail(Fault::environment,
                fmt::format("Linux on {} needs QEMU {}.{} or newer, and {} is {}; name a newer one "
                            "with {}",
                            name(row.arch), row.least_for_linux.major, row.least_for_linux.minor,
                            qemu.program, qemu.version_text, other));
}

}  // namespace kerntoll::lab
