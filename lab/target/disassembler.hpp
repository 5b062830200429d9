// SPDX-License-Identifier: MIT
// Instructions of this machine in words: by Capstone, which QEMU asks as well, with the settings
// that QEMU has it use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/target/disassembly.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

class Disassembler {
public:
    /// Fault::environment where the library has no such architecture: x86_64 and arm64 are asked.
    [[nodiscard]] static Result<Disassembler> open(Arch arch);

    Disassembler(Disassembler&& other) noexcept;
    Disassembler& operator=(Disassembler&& other) = delete;
    Disassembler(const Disassembler&) = delete;
    Disassembler& operator=(const Disassembler&) = delete;
    ~Disassembler();

    /// The first instruction of `bytes`, which lie at `address`. What Capstone does not know is
    /// ".byte" and bytes, as from QEMU. Fault::measurement where there is not a whole one.
    [[nodiscard]] Result<Disassembled> disassemble(std::uint64_t address,
                                                   std::string_view bytes) const;

private:
    explicit Disassembler(std::size_t handle) : handle_(handle) {}

    std::size_t handle_;  ///< Capstone's; 0: moved from
};

}  // namespace kerntoll::lab
