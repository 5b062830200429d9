// SPDX-License-Identifier: MIT
// What nano and whoever starts it must agree on about physical memory. Each port states its own in
// arch/<arch>/places.hpp; these headers can be included together.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::nano {

/// Physical addresses.
struct Places {
    uintptr_t parameters;  ///< where the parameter block (parameters.hpp) is put
    uintptr_t program;     ///< where the first program's ELF file is put
    size_t program_limit;  ///< bytes that it may have
    uintptr_t pool_begin;  ///< memory that nano gives out, page by page
    uintptr_t pool_end;    ///< the machine needs RAM up to here
};

}  // namespace kerntoll::nano
