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

#ifdef HOOKS_ARE_FINAL
struct Hooks final {
#else
struct Hooks {
#endif
#ifdef MORE_CALLS_THAN_ROWS
    static constexpr size_t call_count = 2;
#elif defined TOO_MANY_CALLS
    static constexpr size_t call_count = 0x10000;
#else
static constexpr size_t call_count = 1;
#endif
#ifdef TOO_MANY_CALLS
    static constexpr Call table[call_count] = {no_call};
    static const Call (&calls())[call_count] { return table; }
#elif !defined WITHOUT_CALLS
    static constexpr Call table[1] = {no_call};
    static const Call (&calls())[1] { return table; }
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
#ifdef SECCOMP_OVERLOADED
    static bool seccomp(Frame& /*frame*/, Thread& /*thread*/) { return true; }
    static bool seccomp(Frame& /*frame*/) { return true; }
#endif
#ifdef SECCOMP_TEMPLATE
    template <class F>
    static bool seccomp(F& /*frame*/, Thread& /*thread*/) {
        return true;
    }
#endif
#ifdef SECCOMP_OF_AN_OBJECT
    bool seccomp(Frame& /*frame*/, Thread& /*thread*/) { return true; }
#endif
#ifdef PTRACE_GETS_COPIES
    static bool ptrace_enter(Frame /*frame*/, Thread /*thread*/) { return true; }
#endif
#ifdef TRACEPOINT_CUTS_NUMBERS
    static void tracepoint_enter(Frame& /*frame*/, Thread& /*thread*/, int /*number*/) {}
#endif
#ifdef USER_LIMIT_IS_AN_INT
    static constexpr int user_limit = 4096;
#endif
#ifdef SWITCH_CUTS_NUMBERS
    static void call_by_switch(Frame& /*frame*/, unsigned /*number*/) {}
#elif !defined WITHOUT_SWITCH
    static void call_by_switch(Frame& /*frame*/, unsigned long /*number*/) noexcept {}
#endif
#ifdef SECCOMP_PRIVATE
private:
    static bool seccomp(Frame& /*frame*/, Thread& /*thread*/) { return true; }
#endif
};

#ifdef POLICY_OF_ITS_OWN
constexpr kerntoll::entry::Policy policy = {.debug = kerntoll::entry::Switched::on};
#else
constexpr kerntoll::entry::Policy policy = kerntoll::entry::chosen_policy();
#endif

}  // namespace

KERNTOLL_ENTRY_HANDLERS(policy, Hooks)
