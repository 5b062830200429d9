// SPDX-License-Identifier: MIT
// riscv64 enters the kernel by `ecall`: number in a7, arguments in a0 to a4, result in a0. All
// other registers survive. a7 is set for every call although it survives, as any C library does.
#pragma once

#include "agent/trap.hpp"
#include "numbers.hpp"

namespace kerntoll::agent::arch {

#define KERNTOLL_TRAP          \
    "li a7, %[number]\n\t"     \
    ".if %[real]\n\tecall\n\t" \
    ".else\n\tnop\n\t.endif"
#define KERNTOLL_CLOBBERS "a7", "memory"

// NOLINTBEGIN(misc-const-correctness): assembly writes what looks constant.
template <Trap trap, Call number>
[[gnu::always_inline]] inline long call() {
    register long a0 asm("a0");
    asm volatile(KERNTOLL_TRAP
                 : "=r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first) {
    register long a0 asm("a0") = first;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second) {
    register long a0 asm("a0") = first;
    register long a1 asm("a1") = second;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(a1)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third) {
    register long a0 asm("a0") = first;
    register long a1 asm("a1") = second;
    register long a2 asm("a2") = third;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(a1), "r"(a2)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth) {
    register long a0 asm("a0") = first;
    register long a1 asm("a1") = second;
    register long a2 asm("a2") = third;
    register long a3 asm("a3") = fourth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(a1), "r"(a2), "r"(a3)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth,
                                        long fifth) {
    register long a0 asm("a0") = first;
    register long a1 asm("a1") = second;
    register long a2 asm("a2") = third;
    register long a3 asm("a3") = fourth;
    register long a4 asm("a4") = fifth;
    asm volatile(KERNTOLL_TRAP
                 : "+r"(a0)
                 : [real] "i"(trap == Trap::real), [number] "i"(number), "r"(a1), "r"(a2), "r"(a3),
                   "r"(a4)
                 : KERNTOLL_CLOBBERS);
    return a0;
}

// NOLINTEND(misc-const-correctness)

#undef KERNTOLL_TRAP
#undef KERNTOLL_CLOBBERS

/// What fork(2) does: 0 in the child, the child's pid or -errno in the parent.
[[gnu::always_inline]] inline long fork_child(long exit_signal) {
    return call<Trap::real, Call::clone>(exit_signal, 0, 0, 0, 0);
}

}  // namespace kerntoll::agent::arch
