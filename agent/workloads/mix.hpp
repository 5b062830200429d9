// SPDX-License-Identifier: MIT
// mix: UnixBench's `syscall` test as it runs by default: close(dup(fd)); getpid(); getuid();
// umask(022), fd being the read end of a pipe whose write end is closed. Five system calls.
#pragma once

#include "agent/workloads/close.hpp"

namespace kerntoll::agent {

struct Mix {
    static constexpr long mask = 022;

    using Operands = Close::Operands;
    static Operands operands(const Fixture& fixture) { return Close::operands(fixture); }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        Close::op<trap>(operands);
        arch::call<trap, Call::getpid>();
        arch::call<trap, Call::getuid>();
        arch::call<trap, Call::umask>(mask);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const Outcome closes = Close::prepare(fixture);
        if (!closes.is_ok()) {
            return closes;
        }
        if (const Outcome user = expect_success("getuid", kernel<Call::getuid>()); !user.is_ok()) {
            return user;
        }
        return expect_success("umask", kernel<Call::umask>(mask));
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        if (const Outcome closes = Close::prove(fixture); !closes.is_ok()) {
            return closes;
        }
        if (const Outcome process = prove_process_id(); !process.is_ok()) {
            return process;
        }
        const auto user = static_cast<uint64_t>(kernel<Call::getuid>());
        if (user != fixture.user_id) {
            return fault("getuid answers ", user, ", but the kernel started the agent as ",
                         fixture.user_id);
        }
        constexpr long other_mask = 0751;
        kernel<Call::umask>(other_mask);
        run_one_op<Mix>(fixture);
        const long found = kernel<Call::umask>(mask);
        if (found != mask) {
            return fault("umask was set to ", mask, " by the loop, but is ", found);
        }
        return ok("dup and close as in close, getpid by a child, getuid is the ", user,
                  " of the auxiliary vector, umask holds what the loop set");
    }
};

}  // namespace kerntoll::agent
