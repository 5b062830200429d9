// SPDX-License-Identifier: MIT
// Reads anything as a trace, once as it is and once with the magic and the checksum that let it
// past the first gate; and makes traces up, which the reader takes, of instructions that the path's
// parts tell apart. What was read goes the whole way: to a path, with symbols and without, and to
// the comparison of two.
#include "lab/path/trace.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "fuzz/expect.hpp"
#include "lab/path/choice.hpp"
#include "recorder/trace_writer.hpp"

namespace {

using namespace kerntoll;
using namespace kerntoll::lab;
using namespace kerntoll::lab::path;
using fuzz::expect;

std::string sealed(std::string_view body) {
    std::string bytes(trace_format::magic);
    bytes += body;
    const std::uint64_t sum = trace_format::checksum(bytes);
    for (unsigned byte = 0; byte < trace_format::checksum_size; ++byte) {
        bytes += static_cast<char>(sum >> (8 * byte));
    }
    return bytes;
}

/// An architecture's instructions: the trap first, then what ends calls, opens them, branches,
/// moves the stack pointer, makes addresses and waits. "#" is any number.
struct Machine {
    const char* name;
    std::array<const char*, 14> texts;
};
constexpr Machine machines[] = {
    {"x86_64",
     {"syscall ", "retq ", "callq #", "callq *%rax", "jmp #", "je #", "jmpq *%rax", "subq $#, %rsp",
      "pushq %rbp", "leave ", "movq #(%rip), %rax", "movq %gs:#, %rsp", "swapgs ", "sysretq "}},
    {"arm64",
     {"svc #0", "ret ", "bl #", "blr x1", "b #", "b.eq #", "br x1", "sub sp, sp, #, lsl #12",
      "stp x29, x30, [sp, ##]!", "add sp, sp, ##", "adrp x0, ##", "add x0, x0, ##", "msr daif, x1",
      "eret "}},
    {"riscv64",
     {"ecall", "ret", "jal ra,#", "jalr ra,a5,0", "j #", "bnez a0,#", "jr a5", "addi sp,sp,#",
      "addi sp,tp,-#", "ld sp,#(tp)", "auipc a0,#", "ld a1,#(a0)", "csrrw tp,sscratch,tp", "sret"}},
    {"s390x",
     {"svc 20", "br %r14", "brasl %r14, #", "basr %r14, %r1", "jg #", "je #", ".byte 0xc6, 0x00",
      "aghi %r15, #", "lay %r15, -#(%r15)", "lmg %r6, %r15, #(%r15)", "larl %r1, #", "stpt #",
      "lg %r15, #", "lpswe #"}},
    {"loongarch64",
     {"syscall 0x0", "jirl r0, r1, 0", "bl #", "jirl r1, r4, 0", "b #", "bne r4, r5, #",
      "jirl r0, r4, 0", "addi.d r3, r3, #", "addi.d r3, r4, #", "ld.d r3, r2, #", "pcalau12i r4, #",
      "ld.d r4, r4, #", "csrwr r2, #", "ertn "}},
};

std::string text_of(FuzzedDataProvider& input, const Machine& machine, bool traps) {
    const std::string_view form = traps ? machine.texts[0] : input.PickValueInArray(machine.texts);
    std::string text;
    for (const char c : form) {
        text +=
            c != '#' ? std::string(1, c) : std::to_string(input.ConsumeIntegral<std::int64_t>());
    }
    return text;
}

/// A trace as the recorder writes it, of a machine that does as it likes.
std::string made(FuzzedDataProvider& input) {
    constexpr std::uint64_t user = 0x1000;
    constexpr std::array<std::uint64_t, 4> places{0xffffffff81000000, 0xffffffff81000400, 0x100000,
                                                  0xfffffffffffffff0};
    const Machine& machine = input.PickValueInArray(machines);
    recorder::Instructions instructions;
    const auto number = input.ConsumeIntegralInRange<std::uint32_t>(2, 24);
    for (std::uint32_t at = 0; at < number; ++at) {
        const bool is_user = at < 2;
        const std::uint64_t address = (is_user ? user : input.PickValueInArray(places)) +
                                      input.ConsumeIntegral<std::uint8_t>();
        const auto size = input.ConsumeIntegralInRange<std::size_t>(0, 15);
        const auto& added = instructions.at(address, std::string(size, static_cast<char>(at)),
                                            [&] { return text_of(input, machine, is_user); });
        expect(added.number < number, "no more instructions than were added");
    }
    const auto all = static_cast<std::uint32_t>(instructions.all().size());
    const auto path = [&] {
        recorder::Path path;
        path.steps.push_back(input.ConsumeIntegralInRange<std::uint32_t>(0, std::min(all - 1, 1U)));
        const auto steps = input.ConsumeIntegralInRange<std::size_t>(1, 40);
        for (std::size_t step = 0; step < steps; ++step) {
            path.steps.push_back(input.ConsumeIntegralInRange<std::uint32_t>(0, all - 1));
        }
        const auto accesses = input.ConsumeIntegralInRange<std::size_t>(0, 4);
        for (std::size_t access = 0; access < accesses; ++access) {
            path.accesses.push_back(
                {input.ConsumeIntegralInRange<std::uint32_t>(0, static_cast<std::uint32_t>(steps)),
                 input.ConsumeIntegralInRange<std::uint8_t>(0, 7),
                 input.ConsumeIntegral<std::uint64_t>()});
        }
        return path;
    };
    recorder::Paths paths;
    const auto rounds = input.ConsumeIntegralInRange<unsigned>(0, 6);
    for (unsigned round = 0; round < rounds; ++round) {
        paths.add(path());
    }
    using trace_format::End;
    const End end =
        input.PickValueInArray({End::complete, End::complete, End::guest_ended, End::too_long});
    return recorder::encode(machine.name, end, rounds, instructions, paths,
                            end == End::too_long ? path() : recorder::Path{});
}

/// Symbols at the places where made-up instructions lie.
constexpr std::string_view map =
    "100000 T system_call\n"
    "ffffffff81000000 T entry_SYSCALL_64\n"
    "ffffffff81000000 T handle_exception\n"
    "ffffffff81000000 T vectors\n"
    "ffffffff81000080 T do_syscall_64\n"
    "ffffffff81000400 t __pfx_one\n"
    "ffffffff81000410 T one\n"
    "ffffffff81000480 T two.cold\n"
    "ffffffff81001000 D data\n";

void check(const RecordedPath& path) {
    const Anatomy& anatomy = path.traced.anatomy;
    expect(anatomy.total.instructions == anatomy.steps.size(), "every step counts");
    const auto of_functions = std::accumulate(
        anatomy.functions.begin(), anatomy.functions.end(), std::uint64_t{0},
        [](std::uint64_t sum, const FunctionPart& part) { return sum + part.counts.instructions; });
    expect(of_functions == anatomy.steps.size(), "every step is some function's");
}

void check(const Anatomy& base, const Anatomy& change) {
    const Difference difference = compare(base, change);
    std::int64_t sum = 0;
    for (const FunctionDifference& function : difference.functions) {
        sum += function.instructions();
    }
    expect(sum == difference.instructions, "functions add up to the whole");
    std::size_t of_base = 0;
    std::size_t of_change = 0;
    for (const Pair& pair : difference.pairs) {
        of_base += pair.base ? 1 : 0;
        of_change += pair.change ? 1 : 0;
    }
    expect(of_base == base.steps.size() && of_change == change.steps.size(),
           "the alignment has every step once");
}

/// From a trace to what is said of it.
void follow(const Trace& trace) {
    for (const Variant& variant : trace.variants) {
        for (const auto step : variant.path.steps) {
            expect(step < trace.instructions.size(), "a step names an instruction");
        }
        for (const auto& access : variant.path.accesses) {
            expect(access.step < variant.path.steps.size(), "an access names a step");
        }
    }
    std::vector<RecordedPath> paths;
    for (const std::size_t call : {1U, 2U}) {
        for (const bool named : {false, true}) {
            auto symbols =
                named ? std::make_unique<Symbols>(Symbols::parse(map, "System.map").value())
                      : nullptr;
            auto path =
                choose_path(trace, std::move(symbols), {.workload = "w", .call = call}, "a guest");
            if (path) {
                check(*path);
                paths.push_back(*std::move(path));
            } else {
                expect(!path.error().message.empty() && path.error().message.size() < 1000,
                       "a refusal is a sentence");
            }
        }
    }
    for (const RecordedPath& path : paths) {
        check(paths.front().traced.anatomy, path.traced.anatomy);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    (void)read_trace(input);
    if (const auto trace = read_trace(sealed(input))) {
        follow(*trace);
    }
    FuzzedDataProvider choices(data, size);
    const auto trace = read_trace(made(choices));
    expect(trace.has_value(), "what the recorder writes is read");
    follow(*trace);
    return 0;
}
