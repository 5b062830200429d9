// SPDX-License-Identifier: MIT
// seek: what stress-ng's seek stressor (stress-seek.c, 2025) repeats on its own file, without its
// optional hole punching: write and read 512 bytes at two places, ask for the end and the position
// (twice: by lseek and by lseek64, which are one call here), for the first hole and the first data,
// then hunt through data and holes from a third place on. The hunt's length depends on the file;
// the stressor's writes soon leave no hole, and from then on it is three calls: the data at once,
// the hole at the end, no data there. So one op is 14 calls on a file without holes. The stressor's
// places are random; here they are fixed, so that every op takes the same path.
#pragma once

#include "agent/proof.hpp"

namespace kerntoll::agent {

struct Seek {
    static constexpr long file_size = 1 << 20;  // the stressor's least
    static constexpr long block = 512;
    static constexpr long write_at = 0x45000;
    static constexpr long read_at = 0xa9200;
    static constexpr long hunt_at = 0x71a00;
    static_assert(block == Fixture::io_size);

    struct Operands {
        long descriptor;
        long output;
        long input;
    };
    static Operands operands(const Fixture& fixture) {
        return {fixture.seek_file, as_argument(fixture.output), as_argument(fixture.input)};
    }

    template <Trap trap>
    [[gnu::always_inline]] static long go(const Operands& operands, long offset, Whence whence) {
        return arch::call<trap, Call::lseek>(operands.descriptor, offset,
                                             static_cast<long>(whence));
    }

    template <Trap trap>
    [[gnu::always_inline]] static void op(const Operands& operands) {
        go<trap>(operands, write_at, Whence::set);
        arch::call<trap, Call::write>(operands.descriptor, operands.output, block);
        go<trap>(operands, read_at, Whence::set);
        arch::call<trap, Call::read>(operands.descriptor, operands.input, block);
        go<trap>(operands, 0, Whence::end);
        go<trap>(operands, 0, Whence::current);
        go<trap>(operands, 0, Whence::set);
        go<trap>(operands, 0, Whence::end);
        go<trap>(operands, 0, Whence::current);
        go<trap>(operands, 0, Whence::hole);
        go<trap>(operands, 0, Whence::data);
        go<trap>(operands, hunt_at, Whence::data);
        go<trap>(operands, hunt_at, Whence::hole);
        go<trap>(operands, file_size, Whence::data);
    }

    [[gnu::cold]] static Outcome prepare(Fixture& fixture);
    [[gnu::cold]] static Outcome prove(Fixture& fixture);
};

}  // namespace kerntoll::agent
