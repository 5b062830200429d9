// SPDX-License-Identifier: MIT
// The slow work of calls: filters, user dispatch, restartable sequences.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

struct Instruction {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t constant;
};
struct Program {
    uint16_t length;
    const Instruction* instructions;
};

constexpr uint16_t load = 0x20;
constexpr uint16_t jump_if_equal = 0x15;
constexpr uint16_t answer = 0x06;
constexpr uint32_t allow = 0x7fff0000;

long install(const Instruction* instructions, uint16_t length) {
    const Program program{length, instructions};
    return kernel<Call::seccomp>(1, 0, agent::as_argument(&program));
}

/// Answers `otherwise` to getppid, and allows the rest.
template <class Act>
long filtered(uint32_t otherwise, Act act) {
    return end_of_child([=] {
        const Instruction program[] = {
            {load, 0, 0, 0},
            {jump_if_equal, 0, 1, static_cast<uint32_t>(Call::getppid)},
            {answer, 0, 0, otherwise},
            {answer, 0, 0, allow},
        };
        agent::exit_process(install(program, 4) == 0 ? act() : 100);
    });
}

volatile int seen_code = 0;
volatile int seen_call = 0;
volatile unsigned char selector = 0;

struct Info {
    int number;
    int error;
    int code;
    int padding;
    uintptr_t address;
    int call;
};

void note_call(int, void* info, void*) {
    seen_code = static_cast<Info*>(info)->code;
    seen_call = static_cast<Info*>(info)->call;
    selector = 0;
}

void filters() {
    constexpr uint32_t error_13 = 0x0005000d;
    constexpr uint32_t trap_signal = 0x00030000;
    constexpr uint32_t kill_task = 0;
    expect("an error", filtered(error_13, [] { return -kernel<Call::getppid>(); }), 13 << 8);
    expect("others pass", filtered(error_13, [] { return kernel<Call::getuid>(); }), 0);
    expect("a kill", filtered(kill_task, [] { return kernel<Call::getppid>(); }), 31);
    expect("SIGSYS", filtered(trap_signal, [] { return kernel<Call::getppid>(); }), 31);
    expect("SIGSYS with a handler",
           filtered(trap_signal,
                    [] {
                        handle(31, note_call);
                        kernel<Call::getppid>();
                        return static_cast<long>(seen_code) * 10 +
                               (seen_call == static_cast<int>(Call::getppid));
                    }),
           11 << 8);
    expect("a child has it too",
           filtered(
               error_13,
               [] {
                   return end_of_child([] { agent::exit_process(-kernel<Call::getppid>()); }) >> 8;
               }),
           13 << 8);
    const Instruction falls_off[] = {{load, 0, 0, 0}};
    const Instruction jumps_out[] = {{jump_if_equal, 1, 0, 0}, {answer, 0, 0, allow}};
    const Instruction reads_beyond[] = {{load, 0, 0, 64}, {answer, 0, 0, allow}};
    const Instruction reads_across[] = {{load, 0, 0, 2}, {answer, 0, 0, allow}};
    const Instruction unknown[] = {{0xffff, 0, 0, 0}, {answer, 0, 0, allow}};
    const Instruction jumps_far[] = {{5, 0, 0, 0xffffffff}, {answer, 0, 0, allow}};
    expect("a program without an end", install(falls_off, 1), -22);
    expect("a jump beyond the end", install(jumps_out, 2), -22);
    expect("a load beyond the data", install(reads_beyond, 2), -22);
    expect("a load that is not aligned", install(reads_across, 2), -22);
    expect("an unknown instruction", install(unknown, 2), -22);
    expect("a jump around the whole", install(jumps_far, 2), -22);
    expect("no instructions", install(unknown, 0), -22);
    expect("too many", install(unknown, 65), -22);
}

long dispatch(long how, uintptr_t begin, uintptr_t size) {
    return kernel<Call::prctl>(
        59, how, begin, size,
        how == 0 ? 0 : agent::as_argument(const_cast<const unsigned char*>(&selector)));
}

void user_dispatch() {
    handle(31, note_call);
    expect("armed", dispatch(1, 0, 0), 0);
    const long pid = agent::process_id();
    expect("what the selector lets through", static_cast<long>(pid > 0), 1);
    seen_call = 0;
    selector = 1;
    const long answered = raw_call(static_cast<long>(Call::getppid), 77, 0, 0, 0);
    expect("went to the handler", seen_call, static_cast<long>(Call::getppid));
    expect("which was told why", seen_code, 2);
    expect("and the registers are as before the call", answered,
           undispatched_result(static_cast<long>(Call::getppid), 77));
    expect("a child has none of it", end_of_child([] {
               seen_call = 0;
               selector = 1;
               raw_call(static_cast<long>(Call::getppid), 0, 0, 0, 0);
               selector = 0;
               agent::exit_process(seen_call == 0 ? 3 : 4);
           }),
           3 << 8);
    expect("a range that wraps", dispatch(1, 16, ~uintptr_t{0}), -22);
    expect("the whole range passes", dispatch(1, 0, user_limit), 0);
    selector = 1;
    expect("whatever the selector says", agent::process_id(), pid);
    selector = 0;
    expect("off", dispatch(0, 0, 0), 0);
    expect("a selector in the kernel is refused",
           kernel<Call::prctl>(59, 1, 0, 0, ~uintptr_t{0} - 4095), -14);
    expect("one that is not there kills", end_of_child([] {
               kernel<Call::prctl>(59, 1, 0, 0, 0x1000'0000);
               agent::process_id();
           }),
           11);
    expect("a selector that says nonsense", end_of_child([] {
               dispatch(1, 0, 0);
               selector = 9;
               agent::process_id();
           }),
           31);
}

struct alignas(32) Area {
    uint32_t cpu_at_start;
    uint32_t cpu;
    uint64_t section;
    uint32_t flags;
    uint32_t rest[3];
};
constinit Area area = {0, UINT32_MAX, 0, 0, {}};

long rseq(void* where, long size, long flags, long signature) {
    return kernel<Call::rseq>(agent::as_argument(where), size, flags, signature);
}

/// Makes a call in the middle of a restartable sequence, which is left with the answer 1 (work.S).
extern "C" long kerntoll_call_in_section(uint64_t* field, long number, long a, long b, long c);

void ignore(int, void*, void*) {}

/// A child that reads from an empty pipe in a sequence, and is signalled by one of its own. The
/// call is to be made again, which is still in the sequence; the handler comes first, so it is
/// left.
long interrupted_in_section() {
    return end_of_child([] {
        int ends[2] = {-1, -1};
        kernel<Call::pipe2>(agent::as_argument(ends), 0);
        handle(10, ignore, with_info | restart);
        const long reader = agent::process_id();
        const long other = agent::arch::fork_child(17);
        if (other == 0) {
            for (int i = 0; i < 20; ++i) {
                raw_call(call_yield, 0, 0, 0, 0);
            }
            raw_call(call_kill, reader, 10, 0, 0);
            agent::exit_process(0);
        }
        char byte = 0;
        const long answer = kerntoll_call_in_section(&area.section, static_cast<long>(Call::read),
                                                     ends[0], agent::as_argument(&byte), 1);
        kernel<Call::wait4>(other, 0, 0, 0);
        agent::exit_process(answer == 1 && area.section == 0 ? 3 : 4);
    });
}

void sequences() {
    constexpr long signature = 0x53053053;
    expect("a wrong length", rseq(&area, 16, 0, signature), -22);
    expect("not aligned", rseq(reinterpret_cast<char*>(&area) + 8, 32, 0, signature), -22);
    expect("not there", rseq(reinterpret_cast<void*>(0x1000'0000), 32, 0, signature), -14);
    expect("registered", rseq(&area, 32, 0, signature), 0);
    expect("told the processor", area.cpu, 0);
    expect("twice", rseq(&area, 32, 0, signature), -16);
    // Another task takes the processor in the middle of a section that would never end.
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        for (int i = 0; i < 50; ++i) {
            raw_call(call_yield, 0, 0, 0, 0);
            for (volatile int wait = 0; wait < 100'000; wait = wait + 1) {
            }
        }
        agent::exit_process(0);
    }
    expect("preempted in a section, it is aborted", run_section(&area.section, signature), 1);
    expect("and the section is left", static_cast<long>(area.section), 0);
    kernel<Call::wait4>(child, 0, 0, 0);
    expect("a call in a section is left for a handler as a whole", interrupted_in_section(),
           3 << 8);
    expect("a handler without its mark kills", end_of_child([] {
               const long other = agent::arch::fork_child(17);
               if (other == 0) {
                   for (int i = 0; i < 1000; ++i) {
                       raw_call(call_yield, 0, 0, 0, 0);
                   }
                   agent::exit_process(0);
               }
               run_section(&area.section, signature + 1);
           }),
           11);
    expect("unregistered", rseq(&area, 32, 1, signature), 0);
}

}  // namespace

void run() {
    filters();
    user_dispatch();
    sequences();
}

}  // namespace kerntoll::programs
