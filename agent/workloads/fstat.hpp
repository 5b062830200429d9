// SPDX-License-Identifier: MIT
// fstat: lmbench's `lat_syscall fstat`: fstat of the opened file.
#pragma once

#include "agent/workloads/stat.hpp"

namespace kerntoll::agent {

struct Fstat {
    struct Operands {
        long descriptor;
        long status;
    };
    static Operands operands(const Fixture& fixture) {
        return {fixture.file, as_argument(&fixture.status)};
    }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        arch::call<trap, Call::fstat>(operands.descriptor, operands.status);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const Outcome opened = open_once(fixture.file, fixture.path, open_flag::read_only);
        return opened.is_ok()
                   ? expect_success("fstat",
                                    kernel<Call::fstat>(fixture.file, as_argument(&fixture.status)))
                   : opened;
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        fixture.status = {};
        run_one_op<Fstat>(fixture);
        FileStatus by_path{};
        const long result = Stat::status_of(fixture.path, by_path);
        if (result != 0 || fixture.status.inode == 0 || fixture.status.inode != by_path.inode ||
            fixture.status.device != by_path.device) {
            return fault("the loop found inode ", fixture.status.inode, " for the opened ",
                         fixture.path, ", newfstatat answers ", result, " and finds ",
                         by_path.inode);
        }
        return ok("the loop filled an empty status with inode ", fixture.status.inode, " of ",
                  fixture.path, ", as newfstatat does");
    }
};

}  // namespace kerntoll::agent
