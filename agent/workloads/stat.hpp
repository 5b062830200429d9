// SPDX-License-Identifier: MIT
// stat: lmbench's `lat_syscall stat`: stat(file), which glibc since 2.33 makes newfstatat.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Stat {
    struct Operands {
        long path;
        long status;
    };
    static Operands operands(const Fixture& fixture) {
        return {as_argument(fixture.path), as_argument(&fixture.status)};
    }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        arch::call<trap, Call::newfstatat>(at_working_directory, operands.path, operands.status, 0);
    }

    [[gnu::cold]] static long status_of(const char* path, FileStatus& status) {
        return kernel<Call::newfstatat>(at_working_directory, as_argument(path),
                                        as_argument(&status), 0);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        if (const long result = status_of(fixture.path, fixture.status); result != 0) {
            return refused("newfstatat of ", fixture.path, " fails with ",
                           describe_error(result).text());
        }
        return ok();
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        FileStatus directory{};
        if (const long result = status_of("/", directory); result != 0) {
            return fault("newfstatat of / fails with ", describe_error(result).text());
        }
        fixture.status = directory;
        run_one_op<Stat>(fixture);
        FileStatus again{};
        const long result = status_of(fixture.path, again);
        const bool same =
            fixture.status.inode == again.inode && fixture.status.device == again.device;
        const bool other =
            fixture.status.inode != directory.inode || fixture.status.device != directory.device;
        if (result != 0 || !same || !other) {
            return fault("the loop found inode ", fixture.status.inode, " for ", fixture.path,
                         ", a single call ", again.inode, ", / is ", directory.inode);
        }
        const long missing = status_of("/kerntoll has no such file", again);
        if (missing != -error::no_entry) {
            return fault("newfstatat of a missing file answers ", missing, " instead of ENOENT");
        }
        return ok("the loop overwrote the status of / by inode ", fixture.status.inode, " of ",
                  fixture.path, "; a missing file gives ENOENT");
    }
};

}  // namespace kerntoll::agent
