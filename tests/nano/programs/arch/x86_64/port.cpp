// SPDX-License-Identifier: MIT
// What only x86_64 has: flags that would harm a kernel which let them in, and segment registers.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

constexpr uint64_t single_step = 0x100;
constexpr uint64_t direction = 0x400;
constexpr uint64_t nested_task = 0x4000;
constexpr uint64_t alignment_check = 0x40000;  // which is also SMAP's override
constexpr uint64_t identification = 0x200000;
constexpr long float_error = 8;
constexpr int user_1 = 10;
constexpr int trap_number = 5;

/// Makes a call with `flags` set too; those that are set afterwards.
long call_with(uint64_t flags, long number, long first, uint64_t& after) {
    asm volatile(
        "pushfq\n\tpushfq\n\torq %[flags], (%%rsp)\n\tpopfq\n\t"
        "syscall\n\t"
        "pushfq\n\tpopq %[after]\n\tpopfq"
        : "+a"(number), [after] "=&r"(after)
        : [flags] "r"(flags), "D"(first)
        : "rcx", "r11", "cc", "memory");
    return number;
}

/// Counts down with `flags` set, long enough to be preempted; those that are set afterwards.
uint64_t spin_with(uint64_t flags) {
    uint64_t after;
    asm volatile(
        "pushfq\n\tpushfq\n\torq %[flags], (%%rsp)\n\tpopfq\n\t"
        "movl $2000000, %%ecx\n1:\tdecl %%ecx\n\tjnz 1b\n\t"
        "pushfq\n\tpopq %[after]\n\tpopfq"
        : [after] "=&r"(after)
        : [flags] "r"(flags)
        : "rcx", "cc", "memory");
    return after;
}

void flags() {
    const long pid = agent::process_id();
    constexpr uint64_t each[] = {direction, nested_task, alignment_check, identification};
    for (const uint64_t flag : each) {
        uint64_t after = 0;
        expect("getpid with a flag", call_with(flag, static_cast<long>(Call::getpid), 0, after),
               pid);
        expect("the flag is still there", static_cast<long>(after & flag), static_cast<long>(flag));
        char name[400] = {};
        expect("a call that copies",
               call_with(flag, static_cast<long>(Call::uname), agent::as_argument(name), after), 0);
        expect("it copied upwards", name[0], 'k');
        expect("a bad pointer", call_with(flag, static_cast<long>(Call::uname), 0x4010'0000, after),
               -14);
    }
    constexpr uint64_t all = direction | nested_task | alignment_check | identification;
    const long other = agent::arch::fork_child(17);
    if (other == 0) {
        for (;;) {
        }
    }
    expect("preempted with all of them", static_cast<long>(spin_with(all) & all),
           static_cast<long>(all));
    raw_call(call_kill, other, 9, 0, 0);
    kernel<Call::wait4>(other, 0, 0, 0);
}

volatile long steps = 0;
volatile long steps_elsewhere = 0;

void count_step(int, void*, void* context) {
    steps = steps + 1;
    steps_elsewhere = steps_elsewhere + (static_cast<uint64_t*>(context)[21] >= user_limit ? 1 : 0);
}

void stepping() {
    handle(trap_number, count_step);
    long number = static_cast<long>(Call::getpid);
    asm volatile(
        "pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
        "nop\n\tsyscall\n\tnop\n\tnop\n\t"
        "pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq"
        : "+a"(number)
        :
        : "rcx", "r11", "cc", "memory");
    expect("a call in single steps", number, agent::process_id());
    expect("nobody stepped through the kernel", steps_elsewhere, 0);
    // nop, nop behind the call, nop, pushfq, andq, popfq. The call itself has no step of its own:
    // IRET traps behind the instruction that it returns to.
    expect("steps", steps, 6);
    uint64_t after = 0;
    steps = 0;
    expect("one step at a time", call_with(single_step, static_cast<long>(Call::getpid), 0, after),
           agent::process_id());
}

uint64_t segments() {
    uint16_t ds;
    uint16_t es;
    uint16_t fs;
    uint16_t gs;
    asm volatile("movw %%ds, %0\n\tmovw %%es, %1\n\tmovw %%fs, %2\n\tmovw %%gs, %3"
                 : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
    return ds | uint64_t{es} << 16U | uint64_t{fs} << 32U | uint64_t{gs} << 48U;
}
void set_segments(uint16_t first, uint16_t second) {
    asm volatile("movl %0, %%ds\n\tmovl %1, %%es\n\tmovl %0, %%fs\n\tmovl %1, %%gs"
                 :
                 : "r"(uint32_t{first}), "r"(uint32_t{second}));
}
void ignore(int, void*, void*) {}

void segment_registers() {
    constexpr uint16_t user_data = 0x23;
    constexpr uint16_t user_code = 0x2b;
    handle(user_1, ignore);
    const long parent = agent::process_id();
    const long child = agent::arch::fork_child(17);
    if (child == 0) {
        set_segments(user_code, user_data);
        const uint64_t mine = segments();
        bool good = true;
        for (int i = 0; i < 100; ++i) {
            raw_call(call_kill, parent, user_1, 0, 0);
            raw_call(call_yield, 0, 0, 0, 0);
            good = good && segments() == mine;
        }
        agent::exit_process(good ? 0 : 1);
    }
    set_segments(user_data, user_code);
    const uint64_t mine = segments();
    bool good = true;
    for (int i = 0; i < 100; ++i) {
        raw_call(call_yield, 0, 0, 0, 0);
        good = good && segments() == mine;
    }
    good = good && (spin_with(0), segments() == mine);
    expect("segment registers of two tasks", good ? 1 : 0, 1);
    int status = -1;
    while (kernel<Call::wait4>(child, agent::as_argument(&status), 0, 0) == -4) {
    }
    expect("and of the other", status, 0);
    expect("the kernel's data segment is not the user's", end_of_child([] {
               asm volatile("movl %0, %%ds" : : "r"(0x10));
           }),
           11);
}

volatile long reserved_bytes = 0;

/// Adds up what FXSAVE leaves as it is: the padding of the x87 registers, and the area's end.
void sum_reserved(int, void*, void* context) {
    const uintptr_t area = static_cast<uintptr_t*>(context)[28];
    const auto sum = [area](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            reserved_bytes = reserved_bytes + reinterpret_cast<const unsigned char*>(area)[i];
        }
    };
    for (size_t number = 0; number < 8; ++number) {
        constexpr size_t first = 32;
        sum(first + 16 * number + 10, first + 16 * number + 16);
    }
    sum(416, 512);
}

/// Whatever calls and faults left on the kernel's stack stays there.
void signal_context() {
    handle(user_1, sum_reserved);
    char name[400];
    for (int depth = 0; depth < 8; ++depth) {
        kernel<Call::uname>(agent::as_argument(name));
        kernel<Call::newfstatat>(-100, agent::as_argument("/dev/zero"), agent::as_argument(name),
                                 0);
        spin_with(0);
        raw_call(call_kill, agent::process_id(), user_1, 0, 0);
    }
    expect("a handler's context has nothing of the kernel's", reserved_bytes, 0);
}

void faults() {
    expect("dividing by zero", end_of_child([] {
               asm volatile("divl %0" : : "r"(0), "a"(1), "d"(0) : "cc");
           }),
           float_error);
    expect("an unmasked exception of x87", end_of_child([] {
               const uint16_t unmasked = 0x37b;
               asm volatile("fldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait" : : "m"(unmasked));
           }),
           float_error);
    expect("an undefined instruction", end_of_child([] { asm volatile("ud2"); }), 4);
    expect("AVX, which is off", end_of_child([] { asm volatile("vpxor %xmm0, %xmm0, %xmm0"); }), 4);
    expect("a base of one's own for gs, which is off", end_of_child([] {
               asm volatile("wrgsbase %0" : : "r"(0x4010'0000UL));
           }),
           4);
    expect("a call without a stack", end_of_child([] {
               long number = static_cast<long>(Call::getpid);
               long before;
               asm volatile("movq %%rsp, %1\n\txorl %%esp, %%esp\n\tsyscall\n\tmovq %1, %%rsp"
                            : "+a"(number), "=&r"(before)
                            :
                            : "rcx", "r11", "memory");
               agent::exit_process(number == agent::process_id() ? 3 : 4);
           }),
           3 << 8);
}

void turn_interrupts_off() {
    asm volatile("cli");
    agent::exit_process(0);
}
/// Returns with all IO privilege there is, which would allow what follows.
void forge_privilege(int, void*, void* context) {
    constexpr uint64_t io_privilege = 3U << 12U;
    auto* const word = static_cast<uint64_t*>(context);
    word[21] = reinterpret_cast<uintptr_t>(turn_interrupts_off);
    word[22] |= io_privilege;
}

}  // namespace

void run() {
    expect("a forged IO privilege", end_of_child([] {
               handle(10, forge_privilege);
               raw_call(call_kill, agent::process_id(), 10, 0, 0);
           }),
           11);
    flags();
    stepping();
    segment_registers();
    signal_context();
    faults();
}

}  // namespace kerntoll::programs
