// SPDX-License-Identifier: MIT
// getpid: what UnixBench's `getpid` mode and the usual hand-written loop call.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Getpid {
    struct Operands {};
    static Operands operands(const Fixture&) { return {}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands&) {
        arch::call<trap, Call::getpid>();
    }

    [[gnu::cold]] static Outcome prepare(Fixture&) {
        return expect_success("getpid", process_id());
    }
    [[gnu::cold]] static Outcome prove(Fixture&) { return prove_process_id(); }
};

}  // namespace kerntoll::agent
