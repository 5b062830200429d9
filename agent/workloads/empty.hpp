// SPDX-License-Identifier: MIT
// empty: the loop alone, so that its cost is on show.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Empty {
    struct Operands {};
    static Operands operands(const Fixture&) { return {}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands&) {}

    [[gnu::cold]] static Outcome prepare(Fixture&) { return ok(); }
    [[gnu::cold]] static Outcome prove(Fixture&) { return ok("the loop makes no system call"); }
};

}  // namespace kerntoll::agent
