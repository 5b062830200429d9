// SPDX-License-Identifier: MIT
// x86-64, in AT&T's syntax. Control goes into the kernel by `syscall` and out by `sysretq` or
// `iretq`; `swapgs` exchanges the user's GS for the kernel's at either end. Read-modify-write is
// atomic where it has the prefix `lock`, which a kernel on one CPU patches away, and in `xchg` with
// memory always.
#include "lab/path/class_table.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr Row rows[] = {
    {R"(jmp* \**)", indirect_jump},
    {R"(ljmp* \**)", indirect_jump},
    {R"(* jmp* \**)", indirect_jump},  // bnd, notrack
    {"jmp*", jump},
    {"bnd jmp*", jump},
    {"ljmp*", jump},
    {"j*", branch},
    {"bnd j*", branch},
    {"loop*", branch},
    {R"(call* \**)", indirect_call},
    {R"(lcall* \**)", indirect_call},
    {R"(* call* \**)", indirect_call},  // bnd, notrack
    {"call*", call},
    {"bnd call*", call},
    {"ret*", ret},
    {"bnd ret*", ret},
    {"lret*", ret},
    {"rep* ret*", ret},

    {"syscall", trap, "$0"},
    {"sysenter", trap, "$0"},
    {"int $*", trap, "$0"},
    {"sysret*", trap_return, "$0"},
    {"sysexit*", trap_return, "$0"},
    {"iret*", trap_return, "$0"},

    {"lock *", atomic},
    {"x* lock *", atomic},  // xacquire, xrelease
    {"xchg* *(*", atomic},
    {"xchg* *%?s:*", atomic},

    {"lfence", barrier, "$0"},
    {"mfence", barrier, "$0"},
    {"sfence", barrier, "$0"},
    {"serialize", barrier, "$0"},
    {".byte 0x0f, 0x01, 0xe8", barrier, "serialize"},

    {"swapgs", nothing, "$0"},
    {"verw *", nothing, "verw"},
    {"cpuid", nothing, "$0"},
    {"rdtsc", nothing, "$0"},
    {"rdtscp", nothing, "$0"},
    {"rdpmc", nothing, "$0"},
    {"rdmsr", nothing, "$0"},
    {"wrmsr", nothing, "$0"},
    {"rd[fg]sbase* *", nothing, "$0"},
    {"wr[fg]sbase* *", nothing, "$0"},
    {"xsetbv", nothing, "$0"},
    {"xsaves*", nothing, "$0"},
    {"xrstors*", nothing, "$0"},
    {".byte 0x0f, 0x01, 0xee", nothing, "rdpkru"},
    {".byte 0x0f, 0x01, 0xef", nothing, "wrpkru"},
    {"cli", nothing, "$0"},
    {"sti", nothing, "$0"},
    {"clac", nothing, "$0"},
    {"stac", nothing, "$0"},
    {"popf*", nothing, "$0"},
    // The stack of the task that is to go on. One's own is found through %gs.
    {"mov* %gs:*, %rsp", nothing},
    {"mov* *(%rsp), %rsp", nothing},  // the user's, from the frame on this stack
    {"mov* *(%r*), %rsp", gives_way},
    {"hlt", gives_way, "$0"},
    {"monitor*", nothing, "$0"},
    {".byte 0x0f, 0x01, 0xfa", nothing, "monitorx"},
    {"mwait*", gives_way, "$0"},
    {".byte 0x0f, 0x01, 0xfb", gives_way, "mwaitx"},
    {"in[bwl] *", nothing, "$0"},
    {"out[bwl] *", nothing, "$0"},
    {"mov* %cr*, *", nothing, "mov from $1"},
    {"mov* *, %cr*", nothing, "mov to $2"},
    {"mov* %dr*, *", nothing, "mov from $1"},
    {"mov* *, %dr*", nothing, "mov to $2"},
    // A segment register that is written; to read one is cheap.
    {"mov* *, %[cdefgs]s", nothing, "mov to $2"},
    {"pop* %[defgs]s", nothing, "pop $1"},
    {"l[fgs]s* *", nothing, "$0"},
    {"clts", nothing, "$0"},
    {"lmsw*", nothing, "$0"},
    {"l[gil]dt* *", nothing, "$0"},
    {"ltr*", nothing, "$0"},
    {"invlpg*", nothing, "$0"},
    {"invpcid*", nothing, "$0"},
    {"invd", nothing, "$0"},
    {"wbinvd", nothing, "$0"},
    {"vmcall", nothing, "$0"},
    {"vmmcall", nothing, "$0"},
};

}  // namespace

constinit const std::span<const Row> x86_64_rows = rows;

}  // namespace kerntoll::lab::path
