// SPDX-License-Identifier: MIT
// s390x enters the kernel by `svc`, here in the form that reaches every number: 0 in the
// instruction, the number in r1; arguments in r2 to r6, result in r2. All other registers survive.
// It is what the C library's syscall() does; its wrappers put numbers below 256 into the
// instruction instead, which saves Linux four instructions per call.
#pragma once

#include "agent/trap.hpp"
#include "numbers.hpp"

namespace kerntoll::agent::arch {

// Both forms of the trap are two bytes long.
#define KERNTOLL_TRAP          \
    "lghi %%r1, %[number]\n\t" \
    ".if %[real]\n\tsvc 0\n\t" \
    ".else\n\tnopr\n\t.endif"
#define KERNTOLL_CLOBBERS "r1", "memory"

// NOLINTBEGIN(misc-const-correctness): assembly writes what looks constant.
template <Trap trap, Call number>
[[gnu::always_inline]] inline long call() {
    register long r2 asm("r2");
    asm volatile(KERNTOLL_TRAP
                 : "=r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first) {
    register long r2 asm("r2") = first;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second) {
    register long r2 asm("r2") = first;
    register long r3 asm("r3") = second;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(r3)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third) {
    register long r2 asm("r2") = first;
    register long r3 asm("r3") = second;
    register long r4 asm("r4") = third;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(r3), "r"(r4)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth) {
    register long r2 asm("r2") = first;
    register long r3 asm("r3") = second;
    register long r4 asm("r4") = third;
    register long r5 asm("r5") = fourth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(r3), "r"(r4), "r"(r5)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth,
                                        long fifth) {
    register long r2 asm("r2") = first;
    register long r3 asm("r3") = second;
    register long r4 asm("r4") = third;
    register long r5 asm("r5") = fourth;
    register long r6 asm("r6") = fifth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(r2)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(r3), "r"(r4), "r"(r5),
                   "r"(r6)
                 : KERNTOLL_CLOBBERS);
    return r2;
}

// NOLINTEND(misc-const-correctness)

#undef KERNTOLL_TRAP
#undef KERNTOLL_CLOBBERS

/// What fork(2) does: 0 in the child, the child's pid or -errno in the parent.
[[gnu::always_inline]] inline long fork_child(long exit_signal) {
    return call<Trap::real, Call::clone>(0, exit_signal, 0, 0, 0);
}

}  // namespace kerntoll::agent::arch
