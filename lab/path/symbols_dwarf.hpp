// SPDX-License-Identifier: MIT
// What DWARF says of an address: the functions inlined there and the line, by libdw.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kerntoll::lab::path {

/// The debug information of an open ELF file. A kernel's is hundreds of megabytes, so each part of
/// it is read when the first address in it is asked for: its units, then the functions of a unit,
/// then what was inlined into a function. Not for several threads at once.
class DebugInfo {
public:
    struct Found {
        std::vector<std::string> inlined;  ///< the outermost first
        std::string source;                ///< "kernel/entry/common.c:203"
    };

    /// Of a file that must stay open; one without debug information knows of no address.
    explicit DebugInfo(Elf* elf);
    /// Empty where the debug information says nothing, or is damaged.
    [[nodiscard]] Found at(std::uint64_t address);

    DebugInfo(DebugInfo&&) noexcept;
    DebugInfo& operator=(DebugInfo&&) noexcept;
    ~DebugInfo();

private:
    struct Units;
    Elf* elf_;
    std::unique_ptr<Units> units_;
};

}  // namespace kerntoll::lab::path
