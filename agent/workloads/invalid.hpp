// SPDX-License-Identifier: MIT
// invalid: a system call number that no kernel has: entry and exit with nothing between them.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Invalid {
    struct Operands {};
    static Operands operands(const Fixture&) { return {}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands&) {
        arch::call<trap, Call::invalid>();
    }

    [[gnu::cold]] static Outcome prepare(Fixture&) { return ok(); }

    [[gnu::cold]] static Outcome prove(Fixture&) {
        const long result = kernel<Call::invalid>();
        if (result != -error::no_call) {
            return fault("call ", static_cast<long>(Call::invalid), " answers ", result,
                         " instead of ENOSYS");
        }
        return ok("call ", static_cast<long>(Call::invalid), " answers ENOSYS");
    }
};

}  // namespace kerntoll::agent
