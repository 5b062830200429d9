// SPDX-License-Identifier: MIT
// open: lmbench's `lat_syscall open`: open(file, O_RDONLY), which glibc makes openat, and close.
#pragma once

#include "agent/workloads/stat.hpp"

namespace kerntoll::agent {

struct Open {
    struct Operands {
        long path;
    };
    static Operands operands(const Fixture& fixture) { return {as_argument(fixture.path)}; }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        const long descriptor = arch::call<trap, Call::openat>(at_working_directory, operands.path,
                                                               open_flag::read_only);
        arch::call<trap, Call::close>(descriptor);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture) {
        const long descriptor = open_file(fixture.path, open_flag::read_only);
        if (descriptor < 0) {
            return refused("cannot open ", fixture.path, ": ", describe_error(descriptor).text());
        }
        return expect_success("close", close_file(descriptor));
    }

    [[gnu::cold]] static Outcome prove(Fixture& fixture) {
        const long descriptor = open_file(fixture.path, open_flag::read_only);
        const long second = open_file(fixture.path, open_flag::read_only);
        const long closed = close_file(second);
        const long closed_again = close_file(second);
        char byte = 0;
        const long got = read_some(descriptor, &byte, 1);
        close_file(descriptor);
        if (descriptor < 0 || second <= descriptor || closed != 0 ||
            closed_again != -error::bad_descriptor || got < 0) {
            return fault("openat answered ", descriptor, " and ", second, ", read ", got,
                         ", close ", closed, ", a second close ", closed_again,
                         " instead of EBADF");
        }
        run_one_op<Open>(fixture);
        const long next = open_file(fixture.path, open_flag::read_only);
        close_file(next);
        if (next != descriptor) {
            return fault("the loop left a descriptor open: ", descriptor, " was free, now ", next);
        }
        return ok("openat of ", fixture.path, " gives the lowest free descriptor ", descriptor,
                  ", which reads; closing twice gives EBADF, and the loop leaves none open");
    }
};

}  // namespace kerntoll::agent
