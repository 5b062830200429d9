// SPDX-License-Identifier: MIT
// getpgid(0): what `perf bench syscall getpgid` calls.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Getpgid {
    struct Operands {};
    static Operands operands(const Fixture&) { return {}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands&) {
        arch::call<trap, Call::getpgid>(0);
    }

    [[gnu::cold]] static Outcome prepare(Fixture&) {
        return expect_success("getpgid", kernel<Call::getpgid>(0));
    }

    [[gnu::cold]] static Outcome prove(Fixture&) {
        const long group = kernel<Call::getpgid>(0);
        const ChildReport child = ask_child([](long* values) {
            values[0] = kernel<Call::getpgid>(0);
            values[1] = kernel<Call::setpgid>(0, 0);
            values[2] = kernel<Call::getpgid>(0);
        });
        if (child.clone_result < 0) {
            return ok("getpgid answers ", group, "; not proved by a child, since clone fails with ",
                      describe_error(child.clone_result).text());
        }
        if (!child.complete) {
            return fault("the child that was to call getpgid ended without an answer");
        }
        if (child.values[0] != group || child.values[1] != 0 ||
            child.values[2] != child.clone_result) {
            return fault("child ", child.clone_result, " in group ", group, " was told group ",
                         child.values[0], ", setpgid answered ", child.values[1], ", then group ",
                         child.values[2]);
        }
        return ok("getpgid in a child answers the parent's ", group,
                  " and, after setpgid, its own ", child.clone_result);
    }
};

}  // namespace kerntoll::agent
