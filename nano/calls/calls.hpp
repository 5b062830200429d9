// SPDX-License-Identifier: MIT
// The system calls. Each takes its arguments from the frame, as its architecture passes them, and
// returns a result or a negative error number, with Linux's meaning.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"
#include "nano/arch.hpp"

namespace kerntoll::nano::calls {

#define KERNTOLL_CALL(name) long name(entry::Frame& frame);
#include "nano/calls/table.def"

inline constexpr size_t count = arch::number_end;
/// By number; where there is no call, one that says so.
struct Table {
    entry::Call rows[count];
};
extern const Table table;

}  // namespace kerntoll::nano::calls

namespace kerntoll::nano {

/// A size as read and write take it: at most what they can answer (Linux: MAX_RW_COUNT).
constexpr size_t cut_size(uintptr_t size) {
    constexpr size_t most = 0x7fff'f000;
    return size < most ? size : most;
}

}  // namespace kerntoll::nano
