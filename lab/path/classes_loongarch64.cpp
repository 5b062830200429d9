// SPDX-License-Identifier: MIT
// loongarch64, as QEMU's own disassembler prints it: registers by number, `_` where the manual has
// a dot, and the name of a control register behind `#`. Control goes into the kernel by `syscall`
// and out by `ertn`. r1 holds the way back: `jirl` is a return from there, a call where it writes
// r1, else a jump.
#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr Row rows[] = {
    {"b *", jump},
    {"bl *", call},
    // QEMU 7.2 prints the target's register first, and the address behind `#`.
    {"jirl r1, r0, 0 #*", ret},
    {"jirl *, r0, * #*", indirect_jump},
    {"jirl * #*", indirect_call},
    {"jirl r0, r1, 0", ret},
    {"jirl r0, *", indirect_jump},
    {"jirl *", indirect_call},
    {"beq*", branch},
    {"bne*", branch},
    {"blt*", branch},
    {"bge*", branch},
    {"bceqz *", branch},
    {"bcnez *", branch},

    {"syscall *", trap, "$0"},
    {"ertn", trap_return, "$0"},

    {"ll[_.]*", atomic},
    {"llacq*", atomic},
    {"sc[_.]*", atomic},
    {"screl*", atomic},
    {"am[acsomx]*", atomic},

    {"dbar *", barrier, "$0 $1"},
    {"ibar *", barrier, "$0"},

    {"csrxchg *", nothing, "$0 $4"},
    {"csr*", nothing, "$0 $3"},
    {"iocsr*", nothing, "$0"},
    {"rdtime*", nothing, "$0"},
    {"cpucfg *", nothing, "$0"},
    {"cacop *", nothing, "$0"},
    {"tlb*", nothing, "$0"},
    {"invtlb *", nothing, "$0"},
    {"lddir *", nothing, "$0"},
    {"ldpte *", nothing, "$0"},
    {"idle *", gives_way, "$0"},
    {"ldptr?d r3, r5, *", gives_way},  // the stack of the task that is to go on: __switch_to
    {"break *", nothing, "$0"},
};

}  // namespace

constinit const std::span<const Row> loongarch64_rows = rows;

}  // namespace kerntoll::lab::path
