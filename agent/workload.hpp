// SPDX-License-Identifier: MIT
// What a workload is, and the one loop that all of them run in.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/arch.hpp"
#include "agent/kernel.hpp"
#include "agent/sentence.hpp"
#include "agent/trap.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::agent {

/// Everything that workloads prepare once and then use in every batch.
struct Fixture {
    static constexpr size_t io_size = 512;

    char path[wire::max_path + 1] = "/usr/include/linux/types.h";  ///< `file` of setup
    uint64_t user_id = 0;                                          ///< as the kernel told at start
    long zero = -1;                                                ///< /dev/zero
    long null = -1;                                                ///< /dev/null
    long file = -1;                                                ///< path, opened
    long pipe = -1;       ///< the read end of a pipe whose write end is closed
    long seek_file = -1;  ///< see workloads/seek.hpp
    TimeSpec time = {};
    FileStatus status = {};
    alignas(64) char output[io_size] = {};
    alignas(64) char input[io_size] = {};
};

/// Whether a loop runs through the sled (`pad` of setup).
enum class Pad { off, on };

/// Runs n > 0 ops. `at` is where the sled is entered; unused with Pad::off.
using Loop = void (*)(uint64_t n, Fixture& fixture, const char* at);

/// The measured loop: the ops, a count down, a branch back, and nothing else. Operands are copied
/// out of the fixture first, so that they stay in registers although every call may write memory.
/// An op executes each of its trap instructions once: a call that it repeats stands there as often,
/// since a recording counts ops by a trap and tells calls by their addresses (docs/trace.md).
template <class Workload, Trap trap, Pad pad>
[[gnu::noinline, gnu::aligned(64)]] void loop(uint64_t n, Fixture& fixture,
                                              [[maybe_unused]] const char* at) {
    const typename Workload::Operands operands = Workload::operands(fixture);
    do {
        Workload::template op<trap>(operands);
        if constexpr (pad == Pad::on) {
            arch::slide(at);
        }
        asm volatile("" : "+r"(n));  // n is counted down in a register, whatever the op is
    } while (--n != 0);
}

/// One op of the measured loop itself, for proofs.
template <class Workload>
void run_one_op(Fixture& fixture) {
    loop<Workload, Trap::real, Pad::off>(1, fixture, nullptr);
}

/// A row of the table.
struct WorkloadRow {
    Text name;
    uint64_t calls;                ///< system calls per op
    Outcome (*prepare)(Fixture&);  ///< opens what it takes and tries every call once
    Outcome (*prove)(Fixture&);    ///< shows that the calls enter the kernel; says how
    Loop real;
    Loop hollow;
    Loop padded_real;
    Loop padded_hollow;
};

template <class Workload>
constexpr WorkloadRow row(Text name, uint64_t calls) {
    return {name,
            calls,
            &Workload::prepare,
            &Workload::prove,
            &loop<Workload, Trap::real, Pad::off>,
            &loop<Workload, Trap::hollow, Pad::off>,
            &loop<Workload, Trap::real, Pad::on>,
            &loop<Workload, Trap::hollow, Pad::on>};
}

/// The table, in the order in which `list` tells it.
struct WorkloadTable {
    const WorkloadRow* rows;
    size_t size;
    [[nodiscard]] const WorkloadRow* begin() const { return rows; }
    [[nodiscard]] const WorkloadRow* end() const { return rows + size; }
};
[[nodiscard]] WorkloadTable workloads();

}  // namespace kerntoll::agent
