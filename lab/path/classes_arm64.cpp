// SPDX-License-Identifier: MIT
// arm64. Control goes into the kernel by `svc` and out by `eret`. `bl` leaves the way back in x30,
// where `ret` takes it from. Read-modify-write is a pair of an exclusive load and store, or one of
// the instructions of ARMv8.1.
//
// Capstone 4 knows ARMv8.0: hints stand here by number too, and what came later by its bytes (Arm
// Architecture Reference Manual, A64 instruction set encoding), lowest first.
#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr Row rows[] = {
    {"b #*", jump},
    {"b.*", branch},
    {"cbz *", branch},
    {"cbnz *", branch},
    {"tbz *", branch},
    {"tbnz *", branch},
    {"bl #*", call},
    {"blr *", indirect_call},
    {"br *", indirect_jump},
    {"ret*", ret},
    // With a signed pointer, by their bytes.
    {".byte 0xff, 0x0[bf], 0x5f, 0xd6", ret},
    {".byte 0x??, 0x0?, 0x3f, 0xd[67]", indirect_call},
    {".byte 0x??, 0x0?, 0x1f, 0xd[67]", indirect_jump},

    {"svc *", trap, "$0"},
    {"hvc *", trap, "$0"},
    {"smc *", trap, "$0"},
    {"eret*", trap_return, "$0"},
    {".byte 0xff, 0x0b, 0x9f, 0xd6", trap_return, "eretaa"},
    {".byte 0xff, 0x0f, 0x9f, 0xd6", trap_return, "eretab"},

    {"ldxr*", atomic},
    {"ldaxr*", atomic},
    {"stxr*", atomic},
    {"stlxr*", atomic},
    {"ld*xp *", atomic},
    {"st*xp *", atomic},
    {"cas*", atomic},
    {"swp*", atomic},
    {"ldadd*", atomic},
    {"ldclr*", atomic},
    {"ldeor*", atomic},
    {"ldset*", atomic},
    {"ld[su]max*", atomic},
    {"ld[su]min*", atomic},
    {"stadd*", atomic},
    {"stclr*", atomic},
    {"steor*", atomic},
    {"stset*", atomic},
    {"st[su]max*", atomic},
    {"st[su]min*", atomic},
    // The same by their bytes: compare and swap, then all others.
    {".byte 0x??, 0x[7f][cdef], 0x[2367abef]?, 0x[048c]8", atomic},
    {".byte 0x??, 0x[012345678][0123], 0x[2367abef]?, 0x[37bf]8", atomic},

    {"isb*", barrier, "isb"},
    {"dsb *", barrier, "$0 $1"},
    {"dmb *", barrier, "$0 $1"},
    {"sb", barrier, "$0"},
    {"msr s3_3_c3_c0_7, xzr", barrier, "sb"},
    {"csdb", barrier, "$0"},
    {"hint #0x14", barrier, "csdb"},
    {"esb", barrier, "$0"},
    {"hint #0x10", barrier, "esb"},
    {"tsb csync", barrier, "$0"},
    {"hint #0x12", barrier, "tsb"},
    {"clrbhb", nothing, "$0"},
    {"hint #0x16", nothing, "clrbhb"},
    {"msr s3_3_c3_c*_1, xzr", barrier, "dsb nxs"},

    {"mrs *", nothing, "$0 $2"},
    {"msr *", nothing, "$0 $1"},
    {".byte 0x3f, 0x4?, 0x03, 0xd5", nothing, "msr ssbs"},
    {".byte 0x5f, 0x4?, 0x03, 0xd5", nothing, "msr dit"},
    {".byte 0x9f, 0x4?, 0x03, 0xd5", nothing, "msr tco"},
    {".byte 0x1f, 0x4?, 0x01, 0xd5", nothing, "msr allint"},
    {"sys *", nothing, "$0"},
    {"sysl *", nothing, "$0"},
    {"at *", nothing, "$0 $1"},
    {"dc *", nothing, "$0 $1"},
    {"ic *", nothing, "$0 $1"},
    {"tlbi *", nothing, "$0 $1"},
    {"clrex*", nothing, "$0"},
    {"wfe", nothing, "$0"},
    {"wfi", gives_way, "$0"},
    {"mov sp, x9", gives_way},  // the stack of the task that is to go on: cpu_switch_to
};

}  // namespace

constinit const std::span<const Row> arm64_rows = rows;

}  // namespace kerntoll::lab::path
