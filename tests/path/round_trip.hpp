// SPDX-License-Identifier: MIT
// A round trip as two kernels make it, for the tests of their comparison and of what is printed of
// it.
#pragma once

#include <fmt/format.h>

#include <string>

#include "lab/path/explain.hpp"
#include "tests/path/path_writer.hpp"

namespace kerntoll::lab::path {

// A getpid of riscv64 Linux 6.12 with and without the change that inlines the way out: 210 and 197
// instructions (214 and 201 with the user's loop of four). What a body is made of is like the real
// one, not equal to it.

inline Texts saved_registers(const char* mnemonic) {
    Texts texts;
    for (const char* reg : {"ra", "gp", "t0", "t1",  "t2",  "s0", "s1", "a0", "a1", "a2",
                            "a3", "a4", "a5", "a6",  "a7",  "s2", "s3", "s4", "s5", "s6",
                            "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"}) {
        texts.push_back(
            fmt::format("{}              {},{}(sp)", mnemonic, reg, 8 * texts.size() + 8));
    }
    return texts;
}

/// What syscall_exit_to_user_mode does, as a function or inlined, with these registers.
inline Texts exit_work(const std::string& flags, const std::string& mask) {
    return {fmt::format("ld              {},8(tp)", mask),
            fmt::format("andi            {},{},1024", flags, mask),
            fmt::format("bnez            {},60              # 0xffffffff80a01234", flags),
            "csrrci          zero,sstatus,2",
            fmt::format("ld              {},0(tp)", flags),
            fmt::format("lui             {},16", mask),
            fmt::format("addi            {},{},14", mask, mask),
            fmt::format("and             {},{},{}", flags, flags, mask),
            fmt::format("bnez            {},44              # 0xffffffff80a01260", flags),
            "fence           w,o"};
}

inline void frame_in(PathWriter& path) {
    path.steps({"addi            sp,sp,-32", "sd              ra,24(sp)",
                "sd              s0,16(sp)", "addi            s0,sp,32"});
}
inline void frame_out(PathWriter& path) {
    path.steps(
        {"ld              ra,24(sp)", "ld              s0,16(sp)", "addi            sp,sp,32"});
}

enum class WayOut { called, inlined };

inline Anatomy getpid_path(WayOut way_out, std::uint64_t text) {
    PathWriter path(text);
    path.enter("handle_exception")
        .step("csrrw           tp,sscratch,tp")
        .steps({"bnez            tp,8                # 0xffffffff80a0000c",
                "sd              sp,16(tp)", "ld              sp,8(tp)",
                "addi            sp,sp,-288"})
        .steps(saved_registers("sd"))
        .steps({"lui             t0,6",
                "csrrc           s1,sstatus,t0",
                "csrrs           s2,sepc,zero",
                "csrrs           s3,stval,zero",
                "csrrs           s4,scause,zero",
                "csrrs           s5,sscratch,zero",
                "sd              s0,16(sp)",
                "sd              s1,256(sp)",
                "sd              s2,0(sp)",
                "sd              s3,264(sp)",
                "sd              s4,272(sp)",
                "sd              s5,16(sp)",
                "csrrw           zero,sscratch,zero",
                fmt::format("auipc           gp,{}             # 0x{:x}", text >> 12U & 0xfffU,
                            text + 0x5000),
                fmt::format("addi            gp,gp,{}", (text >> 8U & 0xffU) + 7),
                "addi            t1,zero,12",
                "addi            a0,sp,0",
                "bgez            s4,20               # 0xffffffff80a000a0",
                "slli            t0,s4,3",
                "auipc           t1,2597",
                "addi            t1,t1,-1172",
                "add             t0,t1,t0",
                "ld              a5,0(t0)"})
        .call_indirect("do_trap_ecall_u");
    path.phase(Phase::enter);
    frame_in(path);
    path.steps({"sd              s1,8(sp)", "addi            s1,a0,0", "ld              a5,256(a0)",
                "andi            a5,a5,256",
                "bnez            a5,120              # 0xffffffff80a01300",
                "sd              zero,96(s1)", "ld              a0,88(s1)",
                "sd              a0,104(s1)", "addi            a1,a0,0", "ld              a4,0(s1)",
                "addi            a4,a4,4", "sd              a4,0(s1)"});
    path.call("syscall_enter_from_user_mode");
    path.steps({"addi            sp,sp,-16", "sd              s0,8(sp)", "addi            s0,sp,16",
                "csrrsi          zero,sstatus,2", "ld              a4,8(tp)",
                "andi            a4,a4,63",
                "bnez            a4,20               # 0xffffffff80a02020",
                "addi            a0,a1,0", "ld              s0,8(sp)", "addi            sp,sp,16"});
    path.ret();
    path.phase(Phase::dispatch);
    path.steps(
        {"addi            a4,zero,462", "bltu            a4,a0,56            # 0xffffffff80a01288",
         "addi            a4,zero,463", "sltu            a4,a0,a4", "sub             a4,zero,a4",
         "and             a0,a0,a4", fmt::format("auipc           a5,{}", text >> 16U & 0xfffU),
         fmt::format("addi            a5,a5,-{}", text >> 12U & 0xffU), "slli            a0,a0,3",
         "add             a5,a5,a0", "ld              a5,0(a5)", "addi            a0,s1,0"});
    path.call_indirect("__riscv_sys_getpid");
    path.phase(Phase::call);
    path.steps({"addi            sp,sp,-16", "sd              ra,8(sp)",
                "ld              a0,1096(tp)", "addi            a2,zero,0",
                "addi            a1,zero,1"});
    path.call("__task_pid_nr_ns");
    frame_in(path);
    path.steps(
        {"addi            s1,a1,0", "bnez            a2,24               # 0xffffffff80a04040",
         "ld              a5,1600(a0)", "beqz            a5,48               # 0xffffffff80a04064",
         "lw              a2,4(a5)", "slli            a2,a2,5", "add             a5,a5,a2",
         "ld              a2,112(a5)", "lw              a0,96(a5)", "fence           r,rw"});
    frame_out(path);
    path.ret();
    path.steps({"ld              ra,8(sp)", "addi            sp,sp,16"});
    path.ret();
    path.phase(Phase::exit);
    path.steps({"sd              a0,80(s1)", "ld              a5,1360(tp)",
                "addi            a4,zero,255", "slli            a4,a4,6",
                "xor             a5,a5,a4", "andi            a5,a5,1008",
                "sd              a5,1360(tp)"});
    if (way_out == WayOut::called) {
        path.step("addi            a0,s1,0");
        path.call("syscall_exit_to_user_mode");
        path.steps({"addi            sp,sp,-32", "sd              ra,24(sp)",
                    "sd              s0,16(sp)", "sd              s1,8(sp)",
                    "addi            s0,sp,32", "addi            s1,a0,0"});
        path.steps(exit_work("a5", "a4"));
        path.step("ld              s1,8(sp)");
        frame_out(path);
        path.step("addi            a0,zero,0");
        path.ret();
    } else {
        path.inlined("exit_to_user_mode_prepare");
        path.steps(exit_work("a4", "a3"));
        path.end_inlined();
        path.step("addi            a5,zero,0");
    }
    path.step("ld              s1,8(sp)");
    frame_out(path);
    path.ret();
    path.phase(Phase::ret).enter("ret_from_exception");
    path.steps(
        {"ld              s0,256(sp)", "andi            s0,s0,256",
         "bnez            s0,28               # 0xffffffff80a000f0", "addi            s0,sp,288",
         "sd              s0,16(tp)", "csrrw           zero,sscratch,tp",
         "ld              a0,256(sp)", "ld              a2,0(sp)", "sc.d            zero,a2,0(sp)",
         "ld              a3,280(sp)", "addi            a4,zero,1", "sub             a3,a3,a4",
         "sd              a3,280(sp)", "ld              a5,264(sp)",
         "csrrw           zero,sstatus,a0", "csrrw           zero,sepc,a2"});
    path.steps(saved_registers("ld"));
    path.steps({"ld              tp,32(sp)", "ld              sp,16(sp)", "sret"});
    return path.anatomy();
}

/// The two, as `kerntoll explain` has them.
inline Explanation getpid_explanation() {
    return explain({.target = "linux:a/Image",
                    .workload = "getpid",
                    .anatomy = getpid_path(WayOut::called, 0xffffffff80001000)},
                   {.target = "linux:b/Image",
                    .workload = "getpid",
                    .anatomy = getpid_path(WayOut::inlined, 0xffffffff80023000)});
}

}  // namespace kerntoll::lab::path
