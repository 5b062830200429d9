// SPDX-License-Identifier: MIT
// Right maps must be taken, whatever a kernel's assembly does, and wrong ones refused.
#include "lab/path/fit.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string verdict(const Scene& scene, const std::string& map, std::uint64_t slide = 0) {
    auto symbols = Symbols::parse(map, "System.map");
    EXPECT_TRUE(symbols) << symbols.error().message;
    symbols->slide(slide);
    const auto fits = check_fit(*symbols, scene.trace(), scene.path(), scene.arch());
    EXPECT_TRUE(fits || fits.error().fault == Fault::usage);
    return fits ? "fits" : fits.error().message;
}

constexpr const char* map =
    "10000 T stub\n"
    "10100 T way_out\n"
    "20000 t __pfx_one\n"
    "20010 T one\n"
    "20100 t __pfx_two\n"
    "20110 T two\n"
    "20200 T three\n"
    "30000 T far\n"
    "40000 D data\n";

/// A stub that calls a function, which calls another one.
Scene round_trip(std::uint64_t by = 0) {
    Scene scene;
    scene.run(by + 0x10000, "swapgs ").run(by + 0x10004, "callq 0x20010");
    scene.run(by + 0x20010, "callq 0x20110").run(by + 0x20110, "retq ");
    scene.run(by + 0x20014, "retq ").run(by + 0x10008, "jmp 0x10100");
    scene.run(by + 0x10100, "sysretq ");
    return scene;
}

TEST(Fit, IsThereWhereFunctionsBeginWhereThePathEntersThem) {
    EXPECT_EQ(verdict(round_trip(), map), "fits");
    EXPECT_EQ(verdict(round_trip(0x1000000), map, 0x1000000), "fits");
}

TEST(Fit, OneCallOfManyThatMeetsNoStartIsEnoughForAnotherKernel) {
    Scene scene;
    scene.run(0x10000, "swapgs ");
    for (std::uint64_t call = 0x10004; call < 0x10044; call += 4) {
        scene.run(call, "callq 0x20010").run(0x20010, "retq ");
    }
    scene.run(0x10044, "callq 0x20114").run(0x20114, "retq ").run(0x10048, "sysretq ");
    EXPECT_THAT(verdict(scene, map),
                AllOf(HasSubstr("the symbols of System.map are another kernel's"),
                      HasSubstr("enters 0x20114"), HasSubstr("4 bytes behind the start of two"),
                      HasSubstr("give the")));
}

TEST(Fit, AnEntryInNoFunctionIsAnotherKernels) {
    EXPECT_THAT(verdict(Scene().run(0x40010, "swapgs "), map),
                HasSubstr("enters 0x40010, which is in no function"));
    EXPECT_THAT(verdict(Scene().run(0x10004, "swapgs "), map), HasSubstr("4 bytes behind"));
}

TEST(Fit, CodeOutsideOfAllFunctionsIsNoSign) {
    Scene scene;  // a filter that was compiled at run time
    scene.run(0x10000, "callq *%rax").run(0xffff0000, "retq ").run(0x10004, "sysretq ");
    EXPECT_EQ(verdict(scene, map), "fits");
}

TEST(Fit, PaddingBeforeAFunctionIsNoFunction) {
    Scene called;
    called.run(0x10000, "callq 0x20100").run(0x20100, "nop ", 16).run(0x20110, "retq ");
    called.run(0x10004, "sysretq ");
    EXPECT_THAT(verdict(called, map), HasSubstr("0 bytes behind the start of __pfx_two"));
    Scene run_into;
    run_into.run(0x10000, "callq 0x200f0").run(0x20010, "nop ", 0xf0).run(0x20100, "nop ", 16);
    EXPECT_THAT(verdict(run_into, map), HasSubstr("runs on from one into __pfx_two"));
}

TEST(Fit, WhatIsPatchedIntoThePaddingRunsIntoItsFunction) {
    Scene counted;
    counted.run(0x10000, "callq 0x20106").run(0x20106, "sarq $5, %gs:0x1c", 10);
    counted.run(0x20110, "retq ").run(0x10004, "sysretq ");
    EXPECT_EQ(verdict(counted, map), "fits");
    Scene ends;
    ends.run(0x10000, "callq 0x20106").run(0x20106, "retq ").run(0x10004, "sysretq ");
    EXPECT_THAT(verdict(ends, map), HasSubstr("6 bytes behind the start of __pfx_two"));
}

TEST(Fit, ACallWithinAFunctionIsNoSign) {
    Scene thunk;  // a retpoline
    thunk.run(0x10000, "callq 0x20010").run(0x20010, "callq 0x2001c").run(0x2001c, "nop ");
    thunk.run(0x20020, "retq ").run(0x20110, "retq ").run(0x10004, "sysretq ");
    EXPECT_EQ(verdict(thunk, map), "fits");
}

TEST(Fit, AFunctionDoesNotBeginWithinAnInstruction) {
    EXPECT_THAT(verdict(Scene().run(0x10000, "nop ").run(0x100fe, "nop "), map),
                HasSubstr("way_out would begin within the instruction at 0x100fe"));
    // What hides instructions from guesses names the inner one.
    EXPECT_EQ(verdict(Scene().run(0x10000, "nop ").run(0x10004, "testb $0xcc, %bl", 3),
                      "10000 T stub\n10006 T retbleed_return_thunk\n10100 T way_out\n"),
              "fits");
}

TEST(Fit, ACompiledFunctionDoesNotRunIntoTheNext) {
    Scene compiled;
    compiled.run(0x10000, "callq 0x20110").run(0x20110, "callq 0x30000").run(0x30000, "retq ");
    compiled.run(0x20114, "nop ", 0xec).run(0x20200, "retq ");
    EXPECT_THAT(verdict(compiled, map), HasSubstr("runs on from two into three at 0x20200"));
    Scene returned;
    returned.run(0x10000, "callq 0x20110").run(0x20110, "callq 0x30000").run(0x30000, "retq ");
    returned.run(0x20114, "nop ", 0xe8).run(0x201fc, "callq 0x30000").run(0x30000, "retq ");
    returned.run(0x20200, "retq ");
    EXPECT_THAT(verdict(returned, map), HasSubstr("runs on from two into three at 0x20200"));
}

TEST(Fit, AssemblyRunsIntoItsOwnLabels) {
    Scene stub;
    stub.run(0x10000, "callq 0x20010").run(0x20010, "retq ").run(0x10004, "nop ", 0xfc);
    stub.run(0x10100, "sysretq ");
    EXPECT_EQ(verdict(stub, map), "fits");
    Scene copies;
    copies.run(0x10000, "callq 0x20110").run(0x20110, "nop ", 0xf0).run(0x20200, "retq ");
    EXPECT_EQ(verdict(copies, map), "fits");
}

TEST(Fit, AFunctionIsLeftToTheStartOfAnother) {
    Scene tail;
    tail.run(0x10000, "callq 0x20110").run(0x20110, "callq 0x30000").run(0x30000, "retq ");
    EXPECT_EQ(verdict(Scene(tail).run(0x20114, "jmp 0x20200").run(0x20200, "retq "), map), "fits");
    EXPECT_THAT(verdict(Scene(tail).run(0x20114, "jmp 0x20208").run(0x20208, "retq "), map),
                HasSubstr("jumps from two to 0x20208, which is 8 bytes behind the start of three"));
    Scene pointer;
    pointer.run(0x10000, "jmpq *%rax").run(0x20014, "retq ");
    EXPECT_THAT(verdict(pointer, map), HasSubstr("jumps from stub to 0x20014"));
    Scene away;  // without a call of its own, but to another file
    away.run(0x10000, "callq 0x20110").run(0x20110, "jmp 0x30008").run(0x30008, "retq ");
    EXPECT_THAT(verdict(away, map), HasSubstr("jumps from two to 0x30008"));
}

TEST(Fit, SharedEndsAndSplitPartsOfAFunctionAreNoSign) {
    Scene copies;
    copies.run(0x10000, "callq 0x20110").run(0x20110, "jmp 0x20208").run(0x20208, "retq ");
    EXPECT_EQ(verdict(copies, map), "fits");
    Scene cold;
    cold.run(0x10000, "callq 0x20010").run(0x20010, "callq 0x30000").run(0x30000, "retq ");
    cold.run(0x20014, "jmp 0x30108").run(0x30108, "jmp 0x20020").run(0x20020, "retq ");
    EXPECT_EQ(verdict(cold, std::string(map) + "30100 t one.cold\n"), "fits");
    // Without a name of its own it belongs to the last function of the file.
    EXPECT_EQ(verdict(cold, map), "fits");
}

TEST(Fit, AReturnLeadsBehindACallOrToAStart) {
    Scene by_hand(Arch::riscv64);
    by_hand.run(0x10000, "jr t0").run(0x20110, "ret");
    EXPECT_EQ(verdict(Scene(by_hand).run(0x10100, "sret"), map), "fits");
    EXPECT_THAT(verdict(Scene(by_hand).run(0x10108, "sret"), map),
                HasSubstr("returns to 0x10108, which is 8 bytes behind the start of way_out"));
}

TEST(Fit, AnInterruptBeginsAnywhereAndEndsWhereItBegan) {
    Scene scene;
    scene.run(0x10000, "callq 0x20010").run(0x20010, "nop ").run(0x30000, "iretq ");
    scene.run(0x20014, "retq ").run(0x10004, "sysretq ");
    EXPECT_EQ(verdict(scene, map), "fits");
}

TEST(Fit, AllVectorsOfArm64AreOneSymbol) {
    constexpr const char* vectors = "10000 T vectors\n10800 T el0t_64_sync\n11000 T end\n";
    Scene scene(Arch::arm64);
    scene.run(0x10400, "b #0x10800").run(0x10800, "eret ");
    EXPECT_EQ(verdict(scene, vectors), "fits");
    EXPECT_THAT(verdict(Scene(Arch::arm64).run(0x10404, "b #0x10800"), vectors),
                HasSubstr("1028 bytes behind the start of vectors"));
}

/// Like verdict(), where it is to be found out how far the symbols are off: "fits at 0x1000".
std::string fitted(const Scene& scene, const std::string& list) {
    auto symbols = Symbols::parse(list, "System.map");
    EXPECT_TRUE(symbols) << symbols.error().message;
    const auto fits = fit_symbols(*symbols, scene.trace(), scene.path(), scene.arch());
    return fits ? fmt::format("fits at {:#x}", symbols->slide()) : fits.error().message;
}

TEST(Fit, SymbolsAreMovedToWhereTheKernelRuns) {
    constexpr const char* linked =
        "0100 T earlier\n1000 T system_call\n1100 T getpid\n1200 T end\n";
    Scene scene(Arch::s390x);
    scene.run(0x3ffe0001000, "brasl %r14, 0x3ffe0001100").run(0x3ffe0001100, "br %r14", 2);
    scene.run(0x3ffe0001004, "lpswe 0x290");
    EXPECT_EQ(fitted(scene, linked), "fits at 0x3ffe0000000");
}

constexpr const char* arm64_map =
    "ffff800080010800 T vectors\n"
    "ffff800080011000 T el0t_64_sync\n"
    "ffff800080012800 T __bp_harden_el1_vectors\n"
    "ffff800080014800 T getpid\n"
    "ffff800080015000 T later\n"
    "ffff80008030e000 T tramp_vectors\n"
    "ffff800080310000 T end\n";

/// From an entry's second instruction on, and back.
Scene& through_vectors(Scene& scene) {
    return scene.run(0xffff800080010c04, "b #0xffff800080011000")
        .run(0xffff800080011000, "bl #0xffff800080014800")
        .run(0xffff800080014800, "ret ")
        .run(0xffff800080011004, "br x29");
}

TEST(Fit, Arm64MayBeEnteredThroughTheVectorsThatMitigateGuessing) {
    for (const std::uint64_t table : {0x0U, 0x800U, 0x1000U, 0x1800U}) {
        Scene scene(Arch::arm64);
        scene.run(0xffff800080012c00 + table, "add x30, x30, #0x404")
            .run(0xffff800080012c04 + table, "ret ");
        through_vectors(scene).run(0xffff800080011008, "eret ");
        EXPECT_EQ(fitted(scene, arm64_map), "fits at 0x0");
    }
}

TEST(Fit, Arm64MayBeEnteredThroughASecondAddressOfItsTrampoline) {
    Scene scene(Arch::arm64);
    scene.run(0xffffffffff5fac00, "bl #0xffffffffff5fac0c").run(0xffffffffff5fac0c, "ret ");
    through_vectors(scene).run(0xffffffffff5fb000, "eret ");
    EXPECT_EQ(fitted(scene, arm64_map), "fits at 0x0");
    // As far away as that, and on in something else, is another kernel's.
    EXPECT_THAT(fitted(scene, "ffff800080010000 T vectors\nffff800080014000 T end\n"),
                HasSubstr("another kernel's"));
    EXPECT_THAT(fitted(scene, "ffff000000010800 T vectors\nffff000000014000 T end\n"),
                HasSubstr("another kernel's"));
}

TEST(Fit, Loongarch64MayBeEnteredThroughACopyOfItsVectors) {
    Scene scene(Arch::loongarch64);
    scene.run(0x9000000000761600, "jr $t0").run(0x9000000000220e80, "ertn ");
    const std::string by_text = "9000000000220e80 T handle_syscall\n9000000000221000 T end\n";
    const std::string all = by_text +
                            "9000000000760000 B exception_handlers\n"
                            "9000000000770000 B data\n";
    EXPECT_EQ(fitted(scene, all), "fits at 0x0");
    EXPECT_EQ(fitted(scene, by_text), "fits at 0x0");  // as /proc/kallsyms has them
    Scene within(Arch::loongarch64);
    within.run(0x9000000000761604, "jr $t0").run(0x9000000000220e80, "ertn ");
    EXPECT_THAT(fitted(within, all),
                HasSubstr("5636 bytes behind the start of exception_handlers"));
    EXPECT_THAT(fitted(within, by_text), HasSubstr("in no function"));
    // As far away, and on in something else.
    EXPECT_THAT(fitted(scene, "9000000000220e70 T other\n9000000000221000 T end\n"),
                HasSubstr("another kernel's"));
}

}  // namespace
}  // namespace kerntoll::lab::path
