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

#define KERNTOLL_CALL(name, ...) long name(entry::Frame& frame);
#include "nano/calls/table.def"

/// As wide as what is dispatched on, or a number that does not exist would be cut to one that does.
enum class Number : unsigned long {
#define KERNTOLL_CALL(name, generic, x86_64, s390x) name = KERNTOLL_NUMBER(generic, x86_64, s390x),
#include "nano/calls/table.def"
};

/// One more than the highest of them.
inline constexpr size_t count = [] {
    size_t end = 0;
#define KERNTOLL_CALL(name, ...) \
    end = static_cast<size_t>(Number::name) < end ? end : static_cast<size_t>(Number::name) + 1;
#include "nano/calls/table.def"
    return end;
}();
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
