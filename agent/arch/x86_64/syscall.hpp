// SPDX-License-Identifier: MIT
// x86-64 enters the kernel by `syscall`: number in rax, arguments in rdi, rsi, rdx, r10, r8, result
// in rax; rcx and r11 are lost to the return address and the flags. Everything else survives.
#pragma once

#include "agent/trap.hpp"
#include "numbers.hpp"

namespace kerntoll::agent::arch {

// Both forms are two bytes long.
#define KERNTOLL_TRAP ".if %c[real]\n\tsyscall\n\t.else\n\txchgw %%ax, %%ax\n\t.endif"
#define KERNTOLL_CLOBBERS "rcx", "r11", "memory"

// NOLINTBEGIN(misc-const-correctness): assembly writes what looks constant.
template <Trap trap, Call number>
[[gnu::always_inline]] inline long call() {
    long result = static_cast<long>(number);
    asm volatile(KERNTOLL_TRAP : "+a"(result) : [real] "i"(trap == Trap::real) : KERNTOLL_CLOBBERS);
    return result;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first) {
    long result = static_cast<long>(number);
    asm volatile(KERNTOLL_TRAP
                 : "+a"(result)
                 : [real] "i"(trap == Trap::real), "D"(first)
                 : KERNTOLL_CLOBBERS);
    return result;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second) {
    long result = static_cast<long>(number);
    asm volatile(KERNTOLL_TRAP
                 : "+a"(result)
                 : [real] "i"(trap == Trap::real), "D"(first), "S"(second)
                 : KERNTOLL_CLOBBERS);
    return result;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third) {
    long result = static_cast<long>(number);
    asm volatile(KERNTOLL_TRAP
                 : "+a"(result)
                 : [real] "i"(trap == Trap::real), "D"(first), "S"(second), "d"(third)
                 : KERNTOLL_CLOBBERS);
    return result;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth) {
    long result = static_cast<long>(number);
    register long r10 asm("r10") = fourth;
    asm volatile(KERNTOLL_TRAP
                 : "+a"(result)
                 : [real] "i"(trap == Trap::real), "D"(first), "S"(second), "d"(third), "r"(r10)
                 : KERNTOLL_CLOBBERS);
    return result;
}

template <Trap trap, Call number>
[[gnu::always_inline]] inline long call(long first, long second, long third, long fourth,
                                        long fifth) {
    long result = static_cast<long>(number);
    register long r10 asm("r10") = fourth;
    register long r8 asm("r8") = fifth;
    asm volatile(KERNTOLL_TRAP
                 : "+a"(result)
                 : [real] "i"(trap == Trap::real), "D"(first), "S"(second), "d"(third), "r"(r10),
                   "r"(r8)
                 : KERNTOLL_CLOBBERS);
    return result;
}

// NOLINTEND(misc-const-correctness)

#undef KERNTOLL_TRAP
#undef KERNTOLL_CLOBBERS

/// What fork(2) does: 0 in the child, the child's pid or -errno in the parent.
[[gnu::always_inline]] inline long fork_child(long exit_signal) {
    return call<Trap::real, Call::clone>(exit_signal, 0, 0, 0, 0);
}

}  // namespace kerntoll::agent::arch
