// SPDX-License-Identifier: MIT
// What can be proved here beside the answers, which the agent checks itself: that every call of an
// op goes through the entry path. That it changes no mode needs no proof.
#include "agent/proof.hpp"

#include "hosted/hooks.hpp"
#include "hosted/place.hpp"

namespace kerntoll::agent {

Outcome prove_entries(const WorkloadRow& row, Fixture& fixture) {
    const auto entries_of = [&](Loop loop) {
        const uintptr_t before = hosted::place.frame.pc;
        loop(1, fixture, nullptr);
        return uint64_t{hosted::place.frame.pc - before};
    };
    const uint64_t handed_on_before = hosted::handed_on;
    const uint64_t entries = entries_of(row.real);
    const uint64_t handed_on = hosted::handed_on - handed_on_before;
    const uint64_t hollow = entries_of(row.hollow);
    if (entries != row.calls || hollow != 0) {
        return fault("one op entered the path ", entries, " times instead of ", row.calls,
                     ", and a hollow one ", hollow, " times");
    }
    entry::WorkWord& work = hosted::place.thread.syscall_work;
    const uint64_t traced_before = hosted::traced;
    entry::set_work(work, entry::syscall_work::tracepoint);
    row.real(1, fixture, nullptr);
    entry::clear_work(work, entry::syscall_work::tracepoint);
    const uint64_t traced = hosted::traced - traced_before;
    if (traced != (hosted::looks_at_work ? row.calls : 0)) {
        return fault("a tracepoint saw ", traced, " of an op's ", row.calls, " calls");
    }
    if (row.calls == 0) {
        return ok();
    }
    return ok("entries per op: ", row.calls, ", by function call (no mode switch), ", handed_on,
              " of them handed on to the host's kernel",
              hosted::looks_at_work ? "; seen by a tracepoint" : "");
}

}  // namespace kerntoll::agent
