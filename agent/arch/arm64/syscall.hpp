// SPDX-License-Identifier: MIT
// arm64 enters the kernel by `svc #0`: number in x8, arguments in x0 to x4, result in x0. All other
// registers survive. x8 is set for every call although it survives, as any C library does.
#pragma once

#include "agent/trap.hpp"
#include "numbers.hpp"

namespace kerntoll::agent::arch {

#define KERNTOLL_TRAP            \
    "mov x8, %c[number]\n\t"     \
    ".if %c[real]\n\tsvc #0\n\t" \
    ".else\n\tnop\n\t.endif"
#define KERNTOLL_CLOBBERS "x8", "memory"

// NOLINTBEGIN(misc-const-correctness): assembly writes what looks constant.
template <Trap trap, Call number>
[[gnu::always_inline]] inline long call() {
    register long x0 asm("x0");
    asm volatile(KERNTOLL_TRAP
                 : "=r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first) {
    register long x0 asm("x0") = first;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second) {
    register long x0 asm("x0") = first;
    register long x1 asm("x1") = second;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(x1)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third) {
    register long x0 asm("x0") = first;
    register long x1 asm("x1") = second;
    register long x2 asm("x2") = third;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(x1), "r"(x2)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth) {
    register long x0 asm("x0") = first;
    register long x1 asm("x1") = second;
    register long x2 asm("x2") = third;
    register long x3 asm("x3") = fourth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(x1), "r"(x2), "r"(x3)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth,
                                        long fifth) {
    register long x0 asm("x0") = first;
    register long x1 asm("x1") = second;
    register long x2 asm("x2") = third;
    register long x3 asm("x3") = fourth;
    register long x4 asm("x4") = fifth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(x0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(x1), "r"(x2), "r"(x3),
                   "r"(x4)
                 : KERNTOLL_CLOBBERS);
    return x0;
}

// NOLINTEND(misc-const-correctness)

#undef KERNTOLL_TRAP
#undef KERNTOLL_CLOBBERS

/// What fork(2) does: 0 in the child, the child's pid or -errno in the parent.
[[gnu::always_inline]] inline long fork_child(long exit_signal) {
    return call<Trap::real, Call::clone>(exit_signal, 0, 0, 0, 0);
}

}  // namespace kerntoll::agent::arch
