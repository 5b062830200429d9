// SPDX-License-Identifier: MIT
// riscv64, as QEMU's own disassembler prints it: compressed instructions by their full names, and
// the pseudo-instructions `j`, `jr` and `ret` where they fit. Control goes into the kernel by
// `ecall` and out by `sret`. A call leaves the way back in ra (t0 in routines that save registers
// for others); it is indirect where the target is computed, as by `auipc` for one that is far away.
#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr Row rows[] = {
    {"j *", jump},
    {"jal zero,*", jump},
    {"jal *", call},
    {"ret", ret},
    {"jr ra", ret},
    {"jr *", indirect_jump},
    {"jalr zero,ra,*", ret},
    {"jalr zero,*", indirect_jump},
    {"jalr *", indirect_call},
    {"beq*", branch},
    {"bne*", branch},
    {"blt*", branch},
    {"ble*", branch},
    {"bgt*", branch},
    {"bge*", branch},

    {"ecall", trap, "$0"},
    {"ebreak", trap, "$0"},
    {"[smu]ret", trap_return, "$0"},

    {"lr.*", atomic},
    {"sc.*", atomic},
    {"amo*", atomic},

    {"fence *", barrier, "$0 $1,$2"},
    {"fence", barrier, "$0"},
    {"fence.*", barrier, "$0"},
    {"sfence.*", barrier, "$0"},
    {"hfence.*", barrier, "$0"},

    {"csrr*", nothing, "$0 $2"},
    {"rdtime*", nothing, "$0"},
    {"rdcycle*", nothing, "$0"},
    {"rdinstret*", nothing, "$0"},
    {"wfi", gives_way, "$0"},
    {"ld sp,*(a[14])", gives_way},  // the stack of the task that is to go on: __switch_to
};

}  // namespace

constinit const std::span<const Row> riscv64_rows = rows;

}  // namespace kerntoll::lab::path
