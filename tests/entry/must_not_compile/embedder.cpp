// SPDX-License-Identifier: MIT
// The least embedder. Compiled with macros that choose a policy, and with those below, each of
// which makes one mistake.
#include "handlers.hpp"

namespace {

using kerntoll::entry::Call;
using kerntoll::entry::Cause;
using kerntoll::entry::Frame;
using kerntoll::entry::Thread;

long no_call(Frame& /*frame*/) {
    return kerntoll::entry::no_such_call;
}

struct Hooks {
    static constexpr size_t call_count = 1;
#ifndef WITHOUT_CALLS
    static constexpr Call table[call_count] = {no_call};
    static const Call (&calls())[call_count] { return table; }
#endif
    static void exception(Frame& /*frame*/, Thread& /*thread*/, Cause /*cause*/) {}
    static void kernel_exception(Frame& /*frame*/, Cause /*cause*/) {}
    static void interrupt(Frame& /*frame*/, Cause /*cause*/) {}
#ifdef SECCOMP_ANSWERS_NOTHING
    static void seccomp(Frame& /*frame*/, Thread& /*thread*/) {}
#endif
#ifdef SIGNAL_WITHOUT_FRAME
    static void signal(Thread& /*thread*/) {}
#endif
#ifndef WITHOUT_SWITCH
    static bool call_by_switch(Frame& /*frame*/, unsigned long /*number*/) { return false; }
#endif
};

}  // namespace

KERNTOLL_ENTRY_HANDLERS(kerntoll::entry::chosen_policy(), Hooks)
