// SPDX-License-Identifier: MIT
// The table that the path dispatches by. A call takes its arguments from the frame and returns a
// result or a negative error number, with Linux's numbers and meaning.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "kerntoll/entry/hooks.hpp"

namespace kerntoll::hosted {

namespace calls {

#define KERNTOLL_CALL(name) long name(entry::Frame& frame);
#include "hosted/calls.def"

/// Asks the host's kernel, and counts it.
long hand_on(entry::Frame& frame);

/// Beyond every number that Linux has (it is below 500), and below the agent's `invalid`.
inline constexpr size_t count = 512;
struct Table {
    entry::Call rows[count];
};
extern const Table table;

}  // namespace calls

/// How many calls the host's kernel has answered.
extern uint64_t handed_on;

}  // namespace kerntoll::hosted
