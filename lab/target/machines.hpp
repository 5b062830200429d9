// SPDX-License-Identifier: MIT
// The machine table: everything that differs between the architectures when Linux is run under
// QEMU. A new architecture is one more row.
#pragma once

#include <bit>
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"
#include "nano/places.hpp"

namespace kerntoll::lab {

struct QemuVersion {
    unsigned major = 0;
    unsigned minor = 0;
    auto operator<=>(const QemuVersion&) const = default;
};

/// One architecture's machine. Every machine powers off by reboot(2), upon which QEMU exits with 0.
/// How nano runs on it, where that differs from Linux.
struct NanoMachine {
    std::string_view machine;
    std::string_view cpu;
    unsigned memory_mib;
    std::string_view arguments;  ///< more of QEMU's, with single spaces between them
    nano::Places places;
};

struct MachineRow {
    Arch arch;
    std::string_view program;         ///< QEMU's executable
    std::string_view debian_package;  ///< where Debian has it
    QemuVersion least_for_linux;      ///< the oldest QEMU on which Linux boots
    std::string_view machine;         ///< -machine
    std::string_view cpu;             ///< -cpu, unless the target says otherwise
    unsigned memory_mib;              ///< -m, unless the target says otherwise
    /// QEMU's arguments for the console, "{}" standing for the id of its -chardev.
    std::string_view console_device;
    /// What the kernel's command line must hold: its console, and what makes it boot on this
    /// machine.
    std::string_view kernel_arguments;
    /// One tick of the counter that the agent reads, in ns of the guest's time under -icount:
    /// tick_ns_numerator / tick_ns_denominator.
    unsigned tick_ns_numerator;
    unsigned tick_ns_denominator;
    /// Whether QEMU's counter of instructions (-icount) has the trap instruction. Where its helper
    /// leaves the translated code as a fault does, it takes the instruction back: it is to be
    /// executed again, as far as it knows.
    bool trap_is_counted = true;
    /// The program counter's number for QEMU's gdb stub, and the order of its bytes there.
    unsigned gdb_program_counter;
    std::endian byte_order = std::endian::little;
    NanoMachine nano;
};

[[nodiscard]] std::span<const MachineRow> machine_table();
[[nodiscard]] const MachineRow& machine_row(Arch arch);

/// -serial chardev:ID, or what the machine has instead.
[[nodiscard]] std::vector<std::string> console_arguments(const MachineRow& row,
                                                         std::string_view chardev);

/// The kernel's command line: what the row needs, the settings that every guest of the lab has, and
/// the user's words last, where they win.
[[nodiscard]] std::string kernel_command_line(const MachineRow& row, std::string_view append);

/// A QEMU that was found and asked.
struct Qemu {
    std::string program;  ///< absolute path
    QemuVersion version;
    std::string version_text;  ///< "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)"
};

/// How a target's text names a QEMU.
inline constexpr std::string_view in_target = "qemu=PATH";

/// The QEMU for this row, or the one given as `qemu=`, whatever its version. Fault::environment
/// where it is missing (names Debian's package) or is no QEMU for this architecture. `other` is how
/// the user names another one.
[[nodiscard]] Result<Qemu> find_qemu(const MachineRow& row, std::optional<std::string_view> given,
                                     std::string_view other = in_target);

/// Fault::environment where this QEMU is too old to boot Linux on this architecture.
[[nodiscard]] Result<void> check_boots_linux(const MachineRow& row, const Qemu& qemu,
                                             std::string_view other = in_target);

/// Whether this QEMU loads the recorder, found out by starting it without a machine.
/// Fault::environment, in QEMU's words, where it does not.
[[nodiscard]] Result<void> check_plugin(const Qemu& qemu, const std::string& plugin);

/// Takes the output of `qemu-system-… --version` apart; nothing where it is something else.
[[nodiscard]] std::optional<Qemu> parse_qemu_version(std::string_view output);

/// A program's absolute path, looked for in $PATH unless `program` holds a slash.
[[nodiscard]] std::optional<std::string> find_program(std::string_view program);

}  // namespace kerntoll::lab
