// SPDX-License-Identifier: MIT
// The one task of this program, as the entry path sees it: a frame and the Thread above it, as a
// stub leaves them on a kernel stack. The calls themselves run on the program's own stack.
#pragma once

#include <stddef.h>

#include "frame.hpp"
#include "kerntoll/entry/thread.hpp"

namespace kerntoll::hosted {

/// Aligned, so that what a call touches is the same cache lines in every program.
struct alignas(64) Place {
    /// Its caller fills number and arguments. Nobody fills `pc`, which the path moves on by one for
    /// every call: that counts the entries (proof.cpp).
    entry::Frame frame;
    entry::Thread thread;
};
static_assert(offsetof(Place, thread) == sizeof(entry::Frame));

extern Place place;

}  // namespace kerntoll::hosted
