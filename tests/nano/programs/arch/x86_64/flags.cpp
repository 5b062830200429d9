// SPDX-License-Identifier: MIT
// Calls and faults with flags set that the kernel must not run with. Its umask answers with all
// that it was seen to run with (tests/nano/flags_in_umask.cpp).
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

constexpr int illegal = 4;

long call_with(uint64_t flags) {
    long result = static_cast<long>(Call::umask);
    asm volatile("pushfq\n\tpushfq\n\torq %[flags], (%%rsp)\n\tpopfq\n\tsyscall\n\tpopfq"
                 : "+a"(result)
                 : [flags] "r"(flags)
                 : "rcx", "r11", "memory", "cc");
    return result;
}
void fault_with(uint64_t flags) {
    asm volatile("pushfq\n\tpushfq\n\torq %[flags], (%%rsp)\n\tpopfq\n\tud2\n\tpopfq"
                 :
                 : [flags] "r"(flags)
                 : "memory", "cc");
}
void skip(int, void*, void* context) {
    static_cast<uint64_t*>(context)[21] += 2;  // rip, over ud2
}

}  // namespace

void run() {
    handle(illegal, skip);
    constexpr struct {
        const char* name;
        uint64_t bit;
    } flags[] = {{"direction", 1U << 10U},
                 {"nested task", 1U << 14U},
                 {"alignment check", 1U << 18U},
                 {"identification", 1U << 21U}};
    for (const auto& [name, bit] : flags) {
        print("with ");
        print(name);
        print("\n");
        expect("in a call", call_with(bit), 0);
        fault_with(bit);
        expect("in a fault", call_with(0), 0);
    }
}

}  // namespace kerntoll::programs
