// SPDX-License-Identifier: MIT
// One instruction as QEMU's monitor prints it (`x/1i ADDRESS`): the disassembler is the one that
// the recorder asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lab/target/target.hpp"
#include "recorder/trace_format.hpp"

namespace kerntoll::lab {

struct Disassembled {
    std::size_t size = 0;  ///< of the instruction, in bytes
    std::string text;      ///< as the recorder has it
};

using trace_format::longest_instruction;

/// Takes the monitor's answer apart, which may be anything, and returns the instruction at
/// `address`:
///
///     0xffffffff8100008c:  65 48 89 24 25 14 60 00  movq     %rsp, %gs:0x6014
///     0xffffffff81000094:  00
///
/// Nothing where there is none, or where the answer is no disassembly. Control bytes in the text
/// but for tabs become '?'.
[[nodiscard]] std::optional<Disassembled> parse_disassembly(Arch arch, std::uint64_t address,
                                                            std::string_view answer);

/// Whether QEMU's disassembler knew an instruction.
[[nodiscard]] bool is_known(const Disassembled& instruction);

}  // namespace kerntoll::lab
