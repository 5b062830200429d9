// SPDX-License-Identifier: MIT
// The texts are those that QEMU 7.2 printed of Linux kernels, or its Capstone of such bytes.
#include "lab/path/classes.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/path/class_words.hpp"

namespace kerntoll::lab::path {
namespace {

TEST(Classes, what_no_table_knows_goes_on_and_is_nothing_else) {
    for (const Arch arch :
         {Arch::x86_64, Arch::arm64, Arch::riscv64, Arch::s390x, Arch::loongarch64}) {
        expect(arch, {{"", "next"}, {" \t ", "next"}, {"frobnicate %r1, x0", "next"}});
    }
}

TEST(ClassesX86, control_flow) {
    expect(Arch::x86_64, {{"callq 0xffffffff81341050", "call"},
                          {"callq *%rax", "call indirect"},
                          {"callq *0x10(%rip)", "call indirect"},
                          {"jmp 0xffffffff8140009f", "jump"},
                          {"jmpq *%rax", "jump indirect"},
                          {"jmpq *(%rax, %rbx, 8)", "jump indirect"},
                          {"notrack jmpq *%rax", "jump indirect"},
                          {"bnd jmpq *%rax", "jump indirect"},
                          {"bnd jmp 0x1006", "jump"},
                          {"bnd callq *(%rax)", "call indirect"},
                          {"bnd retq ", "ret"},
                          {"je 0xffffffff8140113a", "branch"},
                          {"jrcxz 0x1002", "branch"},
                          {"loop 0x1002", "branch"},
                          {"retq ", "ret"},
                          {"rep retq ", "ret"},
                          {"syscall ", "trap [syscall]"},
                          {"int $0x80", "trap [int]"},
                          {"sysretq ", "trap_return [sysretq]"},
                          {"iretq ", "trap_return [iretq]"}});
}

TEST(ClassesX86, atomics_are_locked_or_exchange_with_memory) {
    expect(Arch::x86_64, {{"lock cmpxchgq %rcx, (%rdx)", "next atomic"},
                          {"lock addl $0, -4(%rsp)", "next atomic"},
                          {"xacquire lock cmpxchgq %rdx, (%rcx)", "next atomic"},
                          {"xchgq %rax, (%rbx)", "next atomic"},
                          {"xchgl %eax, %gs:0x10", "next atomic"},
                          {"xchgq %rbx, %rax", "next"},
                          {"cmpxchgl %edx, %ds:(%rdi)", "next"},
                          {"incl %gs:0x7efdccfd(%rip)", "next"}});
}

TEST(ClassesX86, barriers_and_system_instructions_by_name) {
    expect(Arch::x86_64, {{"lfence ", "next barrier [lfence]"},
                          {"mfence ", "next barrier [mfence]"},
                          {"sfence ", "next barrier [sfence]"},
                          {".byte 0x0f, 0x01, 0xe8", "next barrier [serialize]"},
                          {"swapgs ", "next [swapgs]"},
                          {"verw 0x10(%rip)", "next [verw]"},
                          {"wrmsr ", "next [wrmsr]"},
                          {"rdmsr ", "next [rdmsr]"},
                          {"rdtsc ", "next [rdtsc]"},
                          {"rdtscp ", "next [rdtscp]"},
                          {"cli ", "next [cli]"},
                          {"sti ", "next [sti]"},
                          {"stac ", "next [stac]"},
                          {"clac ", "next [clac]"},
                          {"popfq ", "next [popfq]"},
                          {"movq %cr3, %rax", "next [mov from cr3]"},
                          {"movq %rax, %cr3", "next [mov to cr3]"},
                          {"movq %rax, %dr7", "next [mov to dr7]"},
                          {"movl %eax, %ds", "next [mov to ds]"},
                          {"wrgsbaseq %rax", "next [wrgsbaseq]"},
                          {"invpcid (%rax), %rbx", "next [invpcid]"},
                          {"invlpg (%rax)", "next [invlpg]"},
                          {"lgdtq (%rax)", "next [lgdtq]"},
                          {"ltrw %ax", "next [ltrw]"},
                          {"outb %al, $0x80", "next [outb]"},
                          {"popq %gs", "next [pop gs]"},
                          {"lssl (%rax), %esp", "next [lssl]"},
                          {"xsaves64 (%rdi)", "next [xsaves64]"},
                          {"xrstors64 (%rdi)", "next [xrstors64]"},
                          {"monitor ", "next [monitor]"},
                          {"invlpga %ecx, %rax", "next [invlpga]"},
                          {".byte 0x0f, 0x01, 0xef", "next [wrpkru]"},
                          {"hlt ", "next [hlt]"}});
}

TEST(ClassesX86, ordinary_instructions_are_nothing_else) {
    for (const char* text :
         {"movq %rsp, %gs:0x14", "movl %ds, %eax", "pushq $0x33", "popq %rbx", "pushfq ", "cltq ",
          "leaq 8(%rsp), %rax", "rep stosq %rax, (%rdi)", "incl %ecx", "lea 1(%rax), %rbx",
          "movslq %eax, %rsi", "nopl (%rax, %rax)", "endbr64 ", "leave ", "cld "}) {
        expect(Arch::x86_64, {{text, "next"}});
    }
}

TEST(ClassesArm64, control_flow) {
    expect(Arch::arm64, {{"b #0xffff800080010c0c", "jump"},
                         {"b.eq #0xffff8000800a8498", "branch"},
                         {"cbz x23, #0xffff800080011480", "branch"},
                         {"cbnz w3, #0xffff8000800a528c", "branch"},
                         {"tbz w19, #0x15, #0xffff800080011428", "branch"},
                         {"tbnz w5, #5, #0xffff800080021218", "branch"},
                         {"bl #0xffff80008026d750", "call"},
                         {"blr x1", "call indirect"},
                         {"br x3", "jump indirect"},
                         {"ret ", "ret"},
                         {"ret x5", "ret"},
                         {"svc #0", "trap [svc]"},
                         {"hvc #0", "trap [hvc]"},
                         {"eret ", "trap_return [eret]"}});
}

TEST(ClassesArm64, jumps_by_signed_pointers_are_told_by_their_bytes) {
    expect(Arch::arm64, {{".byte 0xff, 0x0b, 0x5f, 0xd6", "ret"},
                         {".byte 0x3f, 0x08, 0x3f, 0xd6", "call indirect"},
                         {".byte 0x22, 0x08, 0x1f, 0xd7", "jump indirect"},
                         {".byte 0xff, 0x0b, 0x9f, 0xd6", "trap_return [eretaa]"},
                         {".byte 0xe0, 0x43, 0xc1, 0xda", "next"}});  // xpaci
}

TEST(ClassesArm64, atomics_are_exclusive_pairs_and_those_of_armv8_1) {
    for (const char* text :
         {"ldxr x0, [x1]", "ldaxr w1, [x21]", "stxr w3, w2, [x21]", "stlxrh w0, w1, [x2]",
          "ldxp x0, x1, [x2]", "ldaxp x0, x1, [x2]", "stlxp w0, x1, x2, [x3]", "cas x0, x1, [x2]",
          ".byte 0x41, 0x7c, 0xa0, 0xc8",     // cas
          ".byte 0x82, 0xfc, 0x60, 0x48",     // caspal
          ".byte 0x41, 0xfc, 0xe0, 0x08",     // casalb
          ".byte 0x41, 0x80, 0xe0, 0xf8",     // swpal
          ".byte 0x41, 0x00, 0x20, 0xf8",     // ldadd
          ".byte 0x3f, 0x30, 0x20, 0xf8",     // stset
          ".byte 0x41, 0x60, 0x20, 0xf8"}) {  // ldumax
        expect(Arch::arm64, {{text, "next atomic"}});
    }
    expect(Arch::arm64, {{"ldar w19, [x20]", "next"},
                         {"stlr x4, [x0]", "next"},
                         {"ldp x0, x1, [x2]", "next"},
                         {"stp x0, x1, [sp]", "next"},
                         {".byte 0x20, 0x04, 0x20, 0xf8", "next"},    // ldraa
                         {".byte 0x63, 0x08, 0x40, 0xf8", "next"}});  // ldtr
}

TEST(ClassesArm64, barriers_and_system_registers_by_name) {
    expect(Arch::arm64, {{"isb ", "next barrier [isb]"},
                         {"dsb ish", "next barrier [dsb ish]"},
                         {"dmb ishld", "next barrier [dmb ishld]"},
                         {"hint #0x14", "next barrier [csdb]"},
                         {"msr s3_3_c3_c0_7, xzr", "next barrier [sb]"},
                         {"msr s3_3_c3_c14_1, xzr", "next barrier [dsb nxs]"},
                         {"hint #0x12", "next barrier [tsb]"},
                         {"hint #0x16", "next [clrbhb]"},
                         {"mrs x1, esr_el1", "next [mrs esr_el1]"},
                         {"mrs x0, s3_0_c4_c0_2", "next [mrs s3_0_c4_c0_2]"},
                         {"msr daifset, #0xf", "next [msr daifset]"},
                         {"msr daif, xzr", "next [msr daif]"},
                         {"msr ttbr0_el1, x0", "next [msr ttbr0_el1]"},
                         {".byte 0x3f, 0x41, 0x03, 0xd5", "next [msr ssbs]"},
                         {".byte 0x3f, 0x40, 0x03, 0xd5", "next [msr ssbs]"},
                         {".byte 0x5f, 0x41, 0x03, 0xd5", "next [msr dit]"},
                         {".byte 0x9f, 0x40, 0x03, 0xd5", "next [msr tco]"},
                         {".byte 0x1f, 0x41, 0x01, 0xd5", "next [msr allint]"},
                         {"tlbi vae1is, x0", "next [tlbi vae1is]"},
                         {"tlbi vmalle1is", "next [tlbi vmalle1is]"},
                         {"dc zva, x8", "next [dc zva]"},
                         {"at s1e1r, x0", "next [at s1e1r]"},
                         {"clrex ", "next [clrex]"}});
}

TEST(ClassesArm64, ordinary_instructions_are_nothing_else) {
    for (const char* text : {"hint #0x19", "hint #0x22", "bic w1, w3, w27", "bfi x1, x4, #0x20, #8",
                             "adrp x28, #0xffff800080367000", "and w1, w0, #0x3ff", "nop ",
                             "brk #0x1", "csel w1, w1, w2, ne", "movz x1, #0xc0", "rbit x0, x1"}) {
        expect(Arch::arm64, {{text, "next"}});
    }
}

TEST(ClassesRiscv, the_instructions_bytes_in_front_are_no_mnemonic) {
    expect(Arch::riscv64,
           {{"00008067          ret                     ", "ret"},
            {"8082              ret                     ", "ret"},
            {"14021273          csrrw           tp,sscratch,tp", "next [csrrw sscratch]"},
            {"csrrw           tp,sscratch,tp", "next [csrrw sscratch]"}});
}

TEST(ClassesRiscv, control_flow) {
    expect(Arch::riscv64,
           {{"jal             ra,-818                 # 0xffffffff800b68f8", "call"},
            {"jal             t0,-818                 # 0xffffffff800b68f8", "call"},
            {"jalr            ra,t1,0", "call indirect"},
            {"jalr            ra,ra,556", "call indirect"},
            {"jalr            zero,t1,-1244", "jump indirect"},
            {"jalr            zero,ra,4", "ret"},
            {"jr              a5", "jump indirect"},
            {"jr              ra", "ret"},
            {"ret             ", "ret"},
            {"j               -42                     # 0xffffffff800b6c22", "jump"},
            {"beqz            a5,48                   # 0xffffffff800b6c4a", "branch"},
            {"bnez            tp,136                  # 0xffffffff801c1708", "branch"},
            {"bltz            a0,112                  # 0xffffffff801c1700", "branch"},
            {"bleu            t2,t0,12                # 0xffffffff801c17b2", "branch"},
            {"bgtu            a1,a5,36                # 0xffffffff801badca", "branch"},
            {"bge             a5,a0,8                 # 0xffffffff80100000", "branch"},
            {"ecall           ", "trap [ecall]"},
            {"sret            ", "trap_return [sret]"},
            {"mret            ", "trap_return [mret]"}});
}

TEST(ClassesRiscv, atomics_barriers_and_registers_by_name) {
    expect(Arch::riscv64, {{"lr.d            a2,(s0)", "next atomic"},
                           {"sc.d            zero,a2,(sp)", "next atomic"},
                           {"amoadd.w.aq.rl  a5,a5,(a4)", "next atomic"},
                           {"fence           rw,w", "next barrier [fence rw,w]"},
                           {"fence.i         ", "next barrier [fence.i]"},
                           {"sfence.vma      zero,zero", "next barrier [sfence.vma]"},
                           {"csrrw           zero,satp,a5", "next [csrrw satp]"},
                           {"csrrs           s4,scause,zero", "next [csrrs scause]"},
                           {"csrrci          zero,sstatus,2", "next [csrrci sstatus]"},
                           {"csrrw           zero,0x14d,a5", "next [csrrw 0x14d]"},
                           {"rdtime          a0", "next [rdtime]"}});
}

TEST(ClassesRiscv, ordinary_instructions_are_nothing_else) {
    for (const char* text : {"00f70733          add             a4,a4,a5", "add a4,a4,a5",
                             "bclr a0,a1,a2", "bset a0,a1,a2", "sext.w          a2,a2",
                             "sb              a5,16(s0)", "lbu             a5,0(a4)"}) {
        expect(Arch::riscv64, {{text, "next"}});
    }
}

TEST(ClassesLoongArch, control_flow) {
    expect(Arch::loongarch64,
           {{"54265000   bl       \t9808 # 0x90000000002036a0", "call"},
            {"50000400   b        \t4 # 0x9000000000200048", "jump"},
            {"40000d80   beqz     \tr12, 12 # 0x9000000000200048", "branch"},
            {"5c000d80   bne      \tr12, r13, 12 # 0x9000000000200048", "branch"},
            {"6c000d80   bgeu     \tr12, r13, 12 # 0x9000000000200048", "branch"},
            {"48000100   bceqz    \tfcc0, 12 # 0x9000000000200048", "branch"},
            {"002b0000   syscall  \t0", "trap [syscall]"},
            {"06483800   ertn     \t", "trap_return [ertn]"}});
}

TEST(ClassesLoongArch, jirl_is_told_by_its_registers_in_either_order) {
    expect(Arch::loongarch64,
           {{"4c000020   jirl     \tr1, r0, 0 # 0x900000000020363c", "ret"},
            {"4c000180   jirl     \tr12, r0, 0 # 0x9000000000200044", "jump indirect"},
            {"4c000181   jirl     \tr12, r1, 0 # 0x9000000000200044", "call indirect"},
            {"4c000020   jirl     \tr0, r1, 0", "ret"},
            {"4c000180   jirl     \tr0, r12, 0", "jump indirect"},
            {"4c000181   jirl     \tr1, r12, 0", "call indirect"}});
}

TEST(ClassesLoongArch, atomics_barriers_and_registers_by_name) {
    expect(Arch::loongarch64, {{"2000018c   ll_w     \tr12, r12, 0", "next atomic"},
                               {"2300018c   sc_d     \tr12, r12, 0", "next atomic"},
                               {"38620000   amswap_db_w\tr12, r13, r14", "next atomic"},
                               {"amcas.d r12, r13, r14", "next atomic"},
                               {"llacq.w r12, r13", "next atomic"},
                               {"screl.d r12, r13", "next atomic"},
                               {"38720000   dbar     \t1792", "next barrier [dbar 1792]"},
                               {"38728000   ibar     \t0", "next barrier [ibar]"},
                               {"0400c426   csrwr    \tr6, 49 # SAVE(1)", "next [csrwr SAVE(1)]"},
                               {"04001824   csrrd    \tr4, 6 # ERA", "next [csrrd ERA]"},
                               {"04001824   csrxchg  \tr4, r5, 0 # CRMD", "next [csrxchg CRMD]"},
                               {"06498000   invtlb   \t0, r0, r0", "next [invtlb]"}});
}

TEST(ClassesLoongArch, ordinary_instructions_are_nothing_else) {
    for (const char* text : {"0010b5ac   add_d    \tr12, r13, r13", "bstrpick_d\tr12, r13, 5, 0",
                             "0348000c   andi     \tr12, r0, 512", "st_d r12, r3, 8"}) {
        expect(Arch::loongarch64, {{text, "next"}});
    }
}

TEST(Classes, the_stack_is_named_by_its_pointer_alone) {
    const std::pair<Arch, const char*> stack[] = {
        {Arch::x86_64, "pushq %rbx"},
        {Arch::x86_64, "popq %r15"},
        {Arch::x86_64, "movq 8(%rsp), %rax"},
        {Arch::arm64, "stp x29, x30, [sp, #-0x20]!"},
        {Arch::riscv64, "6142              ld                      s0,16(sp)"},
        {Arch::s390x, "lmg %r6, %r15, 0x30(%r15)"},
        {Arch::loongarch64, "28c06063   ld_d         r1, r3, 24"},
    };
    const std::pair<Arch, const char*> other[] = {
        {Arch::x86_64, "movq %r15, %rax"},       {Arch::x86_64, "popcntq %rax, %rbx"},
        {Arch::arm64, "mrs x0, sp_el0"},         {Arch::riscv64, "sd a5,16(s0)"},
        {Arch::s390x, "lgr %r3, %r2"},           {Arch::s390x, "spka 0"},
        {Arch::loongarch64, "ld_d r31, r30, 24"}};
    for (const auto& [arch, text] : stack) {
        EXPECT_TRUE(classify(arch, text).stack) << name(arch) << " " << text;
    }
    for (const auto& [arch, text] : other) {
        EXPECT_FALSE(classify(arch, text).stack) << name(arch) << " " << text;
    }
}

TEST(Classes, TellWhereTheProcessorIsGivenAway) {
    const std::pair<Arch, const char*> away[] = {
        {Arch::x86_64, "hlt "},
        {Arch::x86_64, "movq 0x1a98(%rsi), %rsp"},
        {Arch::arm64, "wfi "},
        {Arch::arm64, "mov sp, x9"},
        {Arch::riscv64, "10500073          wfi"},
        {Arch::riscv64, "00873103          ld                      sp,8(a4)"},
        {Arch::s390x, "lg %r15, 0xb20(%r1,%r3)"},
        {Arch::loongarch64, "06488000   idle         0"},
        {Arch::x86_64, ".byte 0x0f, 0x01, 0xfb"},
        {Arch::loongarch64, "2607a8a3   ldptr_d      r3, r5, 1960"},
    };
    const std::pair<Arch, const char*> here[] = {
        {Arch::x86_64, "movq %gs:0x1fa0c, %rsp"},
        {Arch::x86_64, "movq %gs:0x7dfe1a10(%rip), %rsp"},
        {Arch::x86_64, "movq %r11, %rsp"},
        {Arch::x86_64, "movq 0xa0(%rsp), %rsp"},
        {Arch::arm64, "wfe "},
        {Arch::arm64, "mov sp, x29"},
        {Arch::riscv64, "01023103          ld                      sp,16(tp)"},
        {Arch::riscv64, "6142              ld                      sp,16(sp)"},
        {Arch::s390x, "lg %r15, 0x348(%r13)"},
        {Arch::loongarch64, "28c06063   ld_d         r3, r3, 24"},
    };
    for (const auto& [arch, text] : away) {
        EXPECT_TRUE(classify(arch, text).gives_way) << name(arch) << " " << text;
    }
    for (const auto& [arch, text] : here) {
        EXPECT_FALSE(classify(arch, text).gives_way) << name(arch) << " " << text;
    }
}

}  // namespace
}  // namespace kerntoll::lab::path
