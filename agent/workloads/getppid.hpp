// SPDX-License-Identifier: MIT
// getppid: what `perf bench syscall basic` and lmbench's `lat_syscall null` call. The kernel takes
// a read lock's worth of care to find the parent, so it costs a little more than getpid.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Getppid {
    struct Operands {};
    static Operands operands(const Fixture&) { return {}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands&) {
        arch::call<trap, Call::getppid>();
    }

    [[gnu::cold]] static Outcome prepare(Fixture&) {
        return expect_success("getppid", kernel<Call::getppid>());
    }

    [[gnu::cold]] static Outcome prove(Fixture&) {
        const long own = process_id();
        const long parent = kernel<Call::getppid>();
        const ChildReport child =
            ask_child([](long* values) { values[0] = kernel<Call::getppid>(); });
        if (child.clone_result < 0) {
            return ok("getppid answers ", parent,
                      "; not proved by a child, since clone fails with ",
                      describe_error(child.clone_result).text());
        }
        if (!child.complete) {
            return fault("the child that was to call getppid ended without an answer");
        }
        if (child.values[0] != own || parent == own) {
            return fault("getppid in a child of ", own, " answers ", child.values[0],
                         ", in its parent ", parent);
        }
        return ok("getppid in a child answers its parent ", own, ", here ", parent);
    }
};

}  // namespace kerntoll::agent
