// SPDX-License-Identifier: MIT
// What this program brings to the entry path.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "frame.hpp"
#include "hosted/calls.hpp"
#include "kerntoll/entry/hooks.hpp"

namespace kerntoll::hosted {

struct Hooks {
    static constexpr size_t call_count = calls::count;
    static const entry::Call (&calls())[call_count] { return calls::table.rows; }
    static void call_by_switch(entry::Frame& frame, unsigned long number);

    // Nothing traps, so that none of these is ever called.
    static void exception(entry::Frame&, entry::Thread&, entry::Cause) {}
    static void kernel_exception(entry::Frame&, entry::Cause) {}
    static void interrupt(entry::Frame&, entry::Cause) {}

    /// The work that a proof asks for, to see that the path looks at its flag word.
    static void tracepoint_enter(entry::Frame& frame, entry::Thread& thread, long number);
    /// Says what is wrong and ends the process.
    static void state_fault(entry::Frame& frame, const char* what);
};

/// How often tracepoint_enter() was called.
extern uint64_t traced;
/// Whether this variant looks at its flag words (work=full).
extern const bool looks_at_work;

}  // namespace kerntoll::hosted
