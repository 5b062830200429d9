// SPDX-License-Identifier: MIT
// Loading the first program. The file comes from outside: nothing in it is believed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nano/memory.hpp"

namespace kerntoll::nano {

/// Maps the segments of a static ELF executable into an empty space and tells its first
/// instruction. nullptr where that went well, else a sentence about what is wrong with it.
[[nodiscard]] const char* load_elf(const unsigned char* file, size_t size, AddressSpace& space,
                                   uintptr_t& start);

}  // namespace kerntoll::nano
