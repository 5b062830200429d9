// SPDX-License-Identifier: MIT
// The texts are those that QEMU 7.2 printed of Linux kernels, or its Capstone of such bytes.
#include <gtest/gtest.h>

#include "lab/path/classes.hpp"
#include "tests/path/class_words.hpp"

namespace kerntoll::lab::path {
namespace {

TEST(ClassesS390x, branches_that_only_their_bytes_tell) {
    expect(Arch::s390x, {{"basr %r1, %r0", "next"},
                         {".byte 0x05, 0x10", "next"},
                         {".byte 0x05, 0x1e", "call indirect"},
                         {".byte 0x0c, 0x1e", "call indirect"},
                         {".byte 0x0b, 0x0e", "jump indirect"},
                         {".byte 0x0b, 0x00", "next"},
                         {".byte 0x45, 0x10, 0xa0, 0x00", "call indirect"},
                         {".byte 0xe3, 0xf0, 0x10, 0x00, 0x00, 0x47", "jump indirect"},
                         {".byte 0xe3, 0x80, 0x10, 0x00, 0x00, 0x47", "branch indirect"},
                         {".byte 0xe3, 0x00, 0x10, 0x00, 0x00, 0x47", "next"},
                         {".byte 0xe3, 0x10, 0x10, 0x00, 0x00, 0x46", "branch indirect"},
                         {".byte 0xb9, 0x46, 0x00, 0x12", "branch indirect"},
                         {".byte 0xb9, 0x46, 0x00, 0x10", "next"},
                         {".byte 0x86, 0x12, 0x30, 0x00", "branch indirect"},
                         {".byte 0xeb, 0x12, 0x30, 0x00, 0x00, 0x44", "branch indirect"},
                         {".byte 0xec, 0x12, 0x00, 0x00, 0x00, 0x44", "branch"}});
}

TEST(ClassesS390x, control_flow) {
    expect(Arch::s390x, {{"brasl %r14, 0x3ffe0312710", "call"},
                         {"bras %r14, 0x1000", "call"},
                         {"basr %r14, %r1", "call indirect"},
                         {".byte 0x4d, 0xe0, 0x10, 0x00", "call indirect"},
                         {"br %r14", "ret"},
                         {"br %r1", "jump indirect"},
                         {"ber %r14", "branch indirect"},
                         {"bner %r1", "branch indirect"},
                         {"j 0x3ffe031c124", "jump"},
                         {"jg 0x3ffe02a40d0", "jump"},
                         {"je 0x3ffe0312c72", "branch"},
                         {"jgne 0x3ffe02a40d0", "branch"},
                         {"jnhe 0x3ffe0103666", "branch"},
                         {"cgije %r7, 0, 0x3ffe0194e88", "branch"},
                         {"clgrjle %r4, %r5, 0x3ffe010a0b4", "branch"},
                         {"crjlh %r11, %r1, 0x3ffe0199946", "branch"},
                         {"brct %r6, 0x3ffe0195f32", "branch"},
                         {"brctg %r4, 0x3ffe01fafd0", "branch"},
                         {".byte 0x84, 0x12, 0x00, 0x00", "branch"},
                         {".byte 0xec, 0x28, 0xe0, 0x00, 0x00, 0xfc", "branch indirect"},
                         {".byte 0x47, 0xf0, 0x04, 0x00", "jump"},
                         {".byte 0x47, 0xf0, 0x10, 0x00", "jump indirect"},
                         {".byte 0x47, 0x80, 0x10, 0x00", "branch indirect"},
                         {".byte 0x0a, 0x14", "trap [svc]"},
                         {".byte 0xb2, 0xb2, 0x02, 0x90", "trap_return [lpswe]"},
                         {"lpswe 0x200", "trap_return [lpswe]"},
                         {".byte 0xeb, 0x00, 0x02, 0x90, 0x00, 0x71", "trap_return [lpswey]"}});
}

TEST(ClassesS390x, copies_from_storage_to_storage_are_not_seen) {
    for (const char* text :
         {"mvc 0x58(0x40, %r2), 0x200(%r13)", "xc 0(8, %r1), 0(%r1)", "oc 0(8, %r1), 0(%r2)",
          "nc 0(8, %r1), 0(%r2)", "mvcl %r2, %r4", "mvcle %r2, %r4, 0", "mvst %r2, %r4",
          ".byte 0xd2, 0x3f, 0x20, 0x58, 0xd2, 0x00", ".byte 0xd7, 0x07, 0x10, 0x00, 0x10, 0x00",
          ".byte 0xc8, 0x20, 0x10, 0x00, 0x20, 0x00", ".byte 0xa8, 0x24, 0x00, 0x00"}) {
        EXPECT_TRUE(classify(Arch::s390x, text).unseen) << text;
    }
    for (const char* text : {"clc 0(8, %r1), 0(%r2)", "mvi 0(%r1), 1", "mvghi 0(%r1), 1",
                             ".byte 0xd5, 0x07, 0x10, 0x00, 0x20, 0x00", "lmg %r0, %r15, 0(%r1)"}) {
        EXPECT_FALSE(classify(Arch::s390x, text).unseen) << text;
    }
}

TEST(ClassesS390x, what_an_exrl_executes_is_told_by_its_bytes) {
    expect(Arch::s390x, {{".byte 0xc6, 0x00, 0x00, 0x00, 0x00, 0x05", "next"},  // the exrl itself
                         {".byte 0x07, 0xfe, 0x00, 0x00, 0x00, 0x00", "ret"},
                         {".byte 0x07, 0xf1, 0x00, 0x00, 0x00, 0x00", "jump indirect"}});
}

TEST(ClassesS390x, jumps_that_go_nowhere_are_barriers_or_nothing) {
    expect(Arch::s390x, {{"br %r0", "next barrier [bcr 15,0]"},
                         {"bnor %r0", "next barrier [bcr 14,0]"},
                         {"ber %r0", "next"},
                         {"bcr 0, %r0", "next"},
                         {"brcl 0, 0x3ffe031bd90", "next"},
                         {"brc 0, 0x1000", "next"},
                         {".byte 0x47, 0x00, 0x00, 0x00", "next"},
                         {".byte 0x06, 0x10", "next"},  // counts down, and does not jump
                         {".byte 0x06, 0x12", "branch indirect"}});
}

TEST(ClassesS390x, atomics_and_system_instructions_by_name) {
    expect(Arch::s390x, {{"cs %r1, %r2, 0(%r11)", "next atomic"},
                         {"csg %r1, %r4, 0(%r11)", "next atomic"},
                         {".byte 0xeb, 0x24, 0x00, 0x00, 0x00, 0x3e", "next atomic"},
                         {"laa %r1, %r1, 0x10(%r2)", "next atomic"},
                         {"laog %r1, %r1, 0(%r11)", "next atomic"},
                         {".byte 0xb2, 0x09, 0xd2, 0xb8", "next [stpt]"},
                         {".byte 0xac, 0xfc, 0xf0, 0xa0", "next [stnsm]"},
                         {"stnsm 0xa0(%r15), 0xfc", "next [stnsm]"},
                         {".byte 0xad, 0x03, 0xb0, 0xa0", "next [stosm]"},
                         {".byte 0xeb, 0x11, 0xd3, 0x88, 0x00, 0x2f", "next [lctlg]"},
                         {".byte 0xb2, 0x7c, 0xd3, 0x18", "next [stckf]"},
                         {".byte 0xb2, 0x06, 0xf0, 0xa0", "next [sckc]"},
                         {".byte 0xb2, 0xe8, 0x10, 0x12", "next [ppa]"},
                         {".byte 0xb2, 0x80, 0x10, 0x00", "next [lpp]"},
                         {".byte 0xe3, 0x10, 0x10, 0x00, 0x00, 0x03", "next [lrag]"},
                         {".byte 0xb9, 0x8a, 0x00, 0x12", "next atomic [cspg]"},
                         {".byte 0xda, 0xff, 0x10, 0x00, 0x20, 0x00", "next [mvcp]"},
                         {".byte 0xc8, 0x71, 0xa0, 0x00, 0x60, 0x00", "next [ectg]"},
                         {".byte 0xc8, 0x70, 0xa0, 0x00, 0x60, 0x00", "next [mvcos]"}});
}

TEST(ClassesS390x, ordinary_instructions_are_nothing_else) {
    for (const char* text :
         {"lay %r15, -0x58(%r15)", "la %r2, 0xa0(%r15)", "lbr %r0, %r0", "clc 0(8, %r1), 0(%r2)",
          "cgr %r10, %r4", "cli 0x50(%r5), 0", "msr %r3, %r5", "stg %r1, 0x98(%r15)",
          "stc %r1, 0(%r11)", "lgr %r1, %r15", "sllg %r2, %r9, 3", "larl %r13, 0x3ffe031d248",
          "asi 0x14(%r11), 1", ".byte 0xec, 0x18, 0x39, 0x39, 0x06, 0x59",
          ".byte 0xb2, 0xfa, 0x00, 0x70"}) {
        expect(Arch::s390x, {{text, "next"}});
    }
}

}  // namespace
}  // namespace kerntoll::lab::path
