// SPDX-License-Identifier: MIT
// What QEMU 7.2's monitor prints for x/1i, taken apart.
#include "lab/target/disassembly.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kerntoll::lab {
namespace {

struct Printed {
    Arch arch;
    std::uint64_t address;
    const char* answer;
    std::size_t size;
    const char* text;
};

TEST(Disassembly, IsTheRecordersText) {
    const Printed all[] = {
        {Arch::x86_64, 0xffffffff81400080,
         "0xffffffff81400080:  0f 01 f8                 swapgs   \r\n", 3, "swapgs "},
        {Arch::x86_64, 0xffffffff81400083,
         "0xffffffff81400083:  65 48 89 25 89 5f c0 7e  movq     %rsp, %gs:0x7ec05f89(%rip)\r\n", 8,
         "movq %rsp, %gs:0x7ec05f89(%rip)"},
        {Arch::x86_64, 0xffffffff81c00083,
         "0xffffffff81c00083:  65 48 89 24 25 14 60 00  movq     %rsp, %gs:0x6014\r\n"
         "0xffffffff81c0008b:  00\r\n",
         9, "movq %rsp, %gs:0x6014"},
        {Arch::arm64, 0xffff800080010c0c,
         "0xffff800080010c0c:  d10543ff  sub      sp, sp, #0x150\r\n", 4, "sub sp, sp, #0x150"},
        {Arch::s390x, 0x3ffe031bd28,
         "0x3ffe031bd28:  eb8f 0200 0024  stmg     %r8, %r15, 0x200\r\n", 6,
         "stmg %r8, %r15, 0x200"},
        {Arch::s390x, 0x3ffe031bd36,
         "0x3ffe031bd36:  4700 0000       .byte    0x47, 0x00, 0x00, 0x00\r\n", 4,
         ".byte 0x47, 0x00, 0x00, 0x00"},
        {Arch::riscv64, 0xffffffff801c1710,
         "0xffffffff801c1710:  712d              addi                    sp,sp,-288\r\n", 2,
         "712d              addi                    sp,sp,-288"},
        {Arch::riscv64, 0xffffffff801c1714,
         "0xffffffff801c1714:  00008067          ret                     \r\n", 4,
         "00008067          ret                     "},
        {Arch::loongarch64, 0x900000000020b000,
         "0x900000000020b000:  0400c023   csrwr    \tr3, 48 # SAVE(0)\r\n", 4,
         "0400c023   csrwr    \tr3, 48 # SAVE(0)"},
    };
    for (const Printed& each : all) {
        const auto found = parse_disassembly(each.arch, each.address, each.answer);
        ASSERT_TRUE(found) << each.answer;
        EXPECT_EQ(found->size, each.size) << each.answer;
        EXPECT_EQ(found->text, each.text);
    }
}

TEST(Disassembly, IsThatOfTheAddressAskedFor) {
    const std::string several =
        "0xffffffff81340ff9:  89 c6                    movl     %eax, %esi\r\n"
        "0xffffffff81340ffb:  f7 c6 0e 30 02 00        testl    $0x2300e, %esi\r\n"
        "0xffffffff81341001:  75 02                    jne      0xffffffff81341005\r\n";
    const auto found = parse_disassembly(Arch::x86_64, 0xffffffff81340ffb, several);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size, 6U);
    EXPECT_EQ(found->text, "testl $0x2300e, %esi");
    EXPECT_TRUE(is_known(*found));
    EXPECT_FALSE(parse_disassembly(Arch::x86_64, 0xffffffff81340ffc, several));
    const auto cut = parse_disassembly(Arch::x86_64, 0xffffffff81340ffb,
                                       "0xffffffff81340ffb:  f7   .byte    0xf7\r\n");
    ASSERT_TRUE(cut);
    EXPECT_FALSE(is_known(*cut));
}

TEST(Disassembly, OfAnythingElseIsNone) {
    for (const char* answer :
         {"", "\r\n", "0x10", "0x:  90  nop", "10:  90  nop", "0x10:  nop", "0x10:  90",
          "0x10: Cannot access memory\r\n", "unknown command: 'x'\r\n", "0x10:  90  nop\r\nunknown",
          "0x110000000000000000:  90  nop",
          "0x10:  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  nop"}) {
        EXPECT_FALSE(parse_disassembly(Arch::x86_64, 0x10, answer)) << answer;
    }
}

TEST(Disassembly, ShowsNoControlBytes) {
    const auto found = parse_disassembly(Arch::x86_64, 0x10, "0x10:  90  nop \x1b[31m\n");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, "nop ?[31m");
}

}  // namespace
}  // namespace kerntoll::lab
