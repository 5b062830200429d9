// SPDX-License-Identifier: MIT
#include "lab/path/align.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "lab/base/random.hpp"
#include "tests/path/path_writer.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::ElementsAre;

/// The length of a longest common subsequence, by the definition.
std::size_t slow_length(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1
                                              : std::max(best[i - 1][j], best[i][j - 1]);
        }
    }
    return best[a.size()][b.size()];
}

TEST(Alignment, matches_as_much_as_can_be_matched) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const std::uint64_t letters = 1 + random.below(8);
        const auto draw = [&] {
            std::vector<std::uint32_t> sequence(random.below(30));
            for (auto& element : sequence) {
                element = static_cast<std::uint32_t>(random.below(letters));
            }
            return sequence;
        };
        const auto a = draw();
        const auto b = draw();
        const Matches matches = longest_common(a, b);
        ASSERT_EQ(matches.size(), slow_length(a, b)) << seed;
        std::uint32_t next_a = 0;
        std::uint32_t next_b = 0;
        for (const auto& [left, right] : matches) {
            ASSERT_GE(left, next_a);
            ASSERT_GE(right, next_b);
            ASSERT_EQ(a[left], b[right]);
            next_a = left + 1;
            next_b = right + 1;
        }
    }
}

TEST(Alignment, takes_ten_thousand_elements_that_share_little) {
    std::vector<std::uint32_t> up(10'000);
    std::iota(up.begin(), up.end(), 0U);
    std::vector<std::uint32_t> down(up.rbegin(), up.rend());
    EXPECT_EQ(longest_common(up, down).size(), 1U);
    EXPECT_EQ(longest_common(up, up).size(), up.size());
}

/// One instruction, comparable.
std::string one(const std::string& text, Flow flow = Flow::next, bool indirect = false) {
    const Instruction instruction{.address = 0, .bytes = {}, .text = text};
    Step step;
    step.instruction = &instruction;
    step.text = disassembly(instruction);
    step.kind.flow = flow;
    step.kind.indirect = indirect;
    return comparable({&step, 1}).front();
}

TEST(Alignment, leaves_addresses_out_in_the_spelling_of_every_architecture) {
    EXPECT_EQ(one("beqz            a0,24                   # 0xffffffff80001234", Flow::branch),
              "beqz a0,@");
    EXPECT_EQ(one("callq    0xffffffff81a00000", Flow::call), "callq @");
    EXPECT_EQ(one("movq     0x1ab2c3(%rip), %rax"), "movq @(%rip), %rax");
    EXPECT_EQ(one("movq     $0xffffffff82345678, %rdi"), "movq $@, %rdi");
    EXPECT_EQ(one("movq     -0x7dffe0a0(, %rax, 8), %rax"), "movq @(, %rax, 8), %rax");
    EXPECT_EQ(one("jmpq     *-0x7dffe0a0(, %rax, 8)", Flow::jump, true), "jmpq *@(, %rax, 8)");
    EXPECT_EQ(one("movq     %gs:0x20c80, %rsp"), "movq %gs:@, %rsp");
    EXPECT_EQ(one("tbnz     w0, #3, #0xffff800080012345", Flow::branch), "tbnz w0, #3, @");
    EXPECT_EQ(one("brasl    %r14, 0x3ffe0123456", Flow::call), "brasl %r14, @");
    EXPECT_EQ(one("larl     %r1, 0x3ffe0123456"), "larl %r1, @");
    EXPECT_EQ(one("bl           -12345 # 0x900000000123456", Flow::call), "bl @");
}

/// One instruction at an address, comparable.
std::string one_at(std::uint64_t address, const std::string& text) {
    const Instruction instruction{.address = address, .bytes = {}, .text = text};
    Step step;
    step.instruction = &instruction;
    step.text = disassembly(instruction);
    return comparable({&step, 1}).front();
}

TEST(Alignment, leaves_out_what_lies_in_the_image_of_a_kernel_at_any_address) {
    constexpr std::uint64_t low = 0x40101234;
    EXPECT_EQ(one_at(low, "callq *0x40108998(, %rcx, 8)"), "callq *@(, %rcx, 8)");
    EXPECT_EQ(one_at(low, "movl $0x40109000, %edi"), "movl $@, %edi");
    EXPECT_EQ(one_at(low, "cmpb $0, 0x40109000(%rax)"), "cmpb $0, @(%rax)");
    constexpr std::uint64_t high = 0xffffffff81001000;
    EXPECT_EQ(one_at(high, "movq $-0x7e901f34, %rsi"), "movq $@, %rsi");
    EXPECT_EQ(one_at(high, "cmpq $-0x7df01f38, %rax"), "cmpq $@, %rax");
    EXPECT_EQ(one_at(0x10000, "larl %r2, 0x10a258"), "larl %r2, @");
    EXPECT_EQ(one_at(0x10000, "lgrl %r1, 0x1125c0"), "lgrl %r1, @");
    EXPECT_EQ(one_at(0x40200000, "adr x9, #0x40209258"), "adr x9, @");
    EXPECT_EQ(one_at(0x80000000, "ld a0,-120(gp)"), "ld a0,@(gp)");
    EXPECT_EQ(one_at(0x80000000, "addi a0,gp,-120"), "addi a0,gp,@");
}

TEST(Alignment, keeps_flags_and_sizes_whatever_the_address) {
    constexpr std::uint64_t low = 0x40101234;
    EXPECT_EQ(one_at(low, "testl $0x40000000, %eax"), "testl $0x40000000, %eax");
    EXPECT_EQ(one_at(low, "cmpl $0x1000, %eax"), "cmpl $0x1000, %eax");
    EXPECT_EQ(one_at(low, "movl $0x7fff1234, %eax"), "movl $0x7fff1234, %eax");
    EXPECT_EQ(one_at(0xffffffff81001000, "movq $-0x1000, %rax"), "movq $-0x1000, %rax");
    EXPECT_EQ(one_at(0xffffffff81001000, "cmpq $-0x80000000, %rax"), "cmpq $-0x80000000, %rax");
    EXPECT_EQ(one_at(0x10000, "lg %r1, 0x10a0(%r15)"), "lg %r1, 0x10a0(%r15)");
    EXPECT_EQ(one_at(0x10000, "srl %r1, 4"), "srl %r1, 4");
    EXPECT_EQ(one_at(0x80000000, "sd gp,16(sp)"), "sd gp,16(sp)");
}

TEST(Alignment, leaves_out_the_encoding_that_some_disassemblers_print_first) {
    EXPECT_EQ(disassembly({.address = 0,
                           .bytes = "\x93\x81\xc1\xad",
                           .text = "adc18193          addi                    gp,gp,-1316"}),
              "addi gp,gp,-1316");
    EXPECT_EQ(disassembly({.address = 0, .bytes = "\xd8\xc0", .text = "fadd     %st(0)"}),
              "fadd %st(0)");
}

TEST(Alignment, keeps_what_is_no_address) {
    EXPECT_EQ(one("addi            sp,sp,-32"), "addi sp,sp,-32");
    EXPECT_EQ(one("movq     -8(%rbp), %r12"), "movq -8(%rbp), %r12");
    EXPECT_EQ(one("testl    $0x20000000, %ecx"), "testl $0x20000000, %ecx");
    EXPECT_EQ(one("ldr      x30, [sp, #0x18]"), "ldr x30, [sp, #0x18]");
    EXPECT_EQ(one("jr       t0", Flow::jump, true), "jr t0");
}

TEST(Alignment, keeps_the_operands_of_an_instruction_that_only_has_the_name_of_another_machines) {
    EXPECT_EQ(one("larl     %eax, %ecx"), "larl %eax, %ecx");
    EXPECT_EQ(one("larl     0x8(%rax), %ecx"), "larl 0x8(%rax), %ecx");
    EXPECT_EQ(one("larl     %r1, 0x3ffe0123456"), "larl %r1, @");
}

TEST(Alignment, leaves_out_both_halves_of_an_address_made_from_the_program_counter) {
    const auto texts = [](const Texts& instructions) {
        return comparable(body(instructions).steps);
    };
    EXPECT_THAT(texts({"auipc a5,2597", "li a4,5", "ld a3,-1172(a5)", "sd a4,-1164(a5)",
                       "addi a5,a5,-40", "ld a3,8(a5)"}),
                ElementsAre("auipc a5,@", "li a4,5", "ld a3,@(a5)", "sd a4,@(a5)", "addi a5,a5,@",
                            "ld a3,8(a5)"));
    EXPECT_THAT(texts({"adrp x0, #0xffff800081234000", "add x0, x0, #0x123", "ldr x1, [x0, #8]"}),
                ElementsAre("adrp x0, @", "add x0, x0, #@", "ldr x1, [x0, #8]"));
}

TEST(Alignment, drops_registers_where_inlining_may_choose_others) {
    EXPECT_EQ(without_registers("andi a5,a4,1024"), without_registers("andi s1,a0,1024"));
    EXPECT_NE(without_registers("andi a5,a4,1024"), without_registers("andi a5,a4,512"));
    EXPECT_NE(without_registers("andi a5,a4,1024"), without_registers("ori a5,a4,1024"));
}

}  // namespace
}  // namespace kerntoll::lab::path
