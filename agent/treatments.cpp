// SPDX-License-Identifier: MIT
#include "agent/treatments.hpp"

#include <stdint.h>

#include "agent/kernel.hpp"

namespace kerntoll::agent {

namespace {

// One instruction of classic BPF (struct sock_filter), and a program of them (struct sock_fprog).
struct FilterInstruction {
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t constant;
};

struct FilterProgram {
    uint16_t length;
    const FilterInstruction* instructions;
};

constexpr uint16_t load_word = 0x20;     // BPF_LD | BPF_W | BPF_ABS
constexpr uint16_t return_value = 0x06;  // BPF_RET | BPF_K
constexpr uint32_t allow = 0x7fff0000;   // SECCOMP_RET_ALLOW
constexpr uint32_t first_argument = 16;  // offset in struct seccomp_data

constexpr FilterInstruction allow_filter[] = {{return_value, 0, 0, allow}};

// The kernel's bitmap holds calls whose filter needs no more than number and architecture, so
// loading an argument is enough to be run at every call.
constexpr FilterInstruction argument_filter[] = {
    {load_word, 0, 0, first_argument},
    {return_value, 0, 0, allow},
};

// struct rseq, as of Linux 4.18; later kernels accept this first length too.
struct alignas(32) RseqArea {
    static constexpr uint32_t unregistered = UINT32_MAX;  // RSEQ_CPU_ID_UNINITIALIZED
    uint32_t cpu_at_start;
    uint32_t cpu;
    uint64_t critical_section;
    uint32_t flags;
    uint32_t padding[3];
};

constinit RseqArea rseq_area = {0, RseqArea::unregistered, 0, 0, {}};

// Read by the kernel at every call: 0 lets the call through.
constinit volatile unsigned char dispatch_selector = 0;

}  // namespace

Outcome set_up_seccomp(Seccomp how) {
    constexpr long no_new_privileges = 38;  // PR_SET_NO_NEW_PRIVS
    constexpr long filter_mode = 1;         // SECCOMP_SET_MODE_FILTER
    if (how == Seccomp::off) {
        return ok();
    }
    if (const long result = kernel<Call::prctl>(no_new_privileges, 1, 0, 0, 0); result != 0) {
        return refused("seccomp: prctl(PR_SET_NO_NEW_PRIVS) fails with ",
                       describe_error(result).text());
    }
    const FilterProgram program =
        how == Seccomp::allow ? FilterProgram{1, allow_filter} : FilterProgram{2, argument_filter};
    if (const long result = kernel<Call::seccomp>(filter_mode, 0, as_argument(&program));
        result != 0) {
        return refused("seccomp: this kernel takes no filter: ", describe_error(result).text(),
                       "; it needs CONFIG_SECCOMP_FILTER");
    }
    return ok();
}

Outcome set_up_user_dispatch() {
    constexpr long set_user_dispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
    constexpr long on = 1;                  // PR_SYS_DISPATCH_ON
    const long result =
        kernel<Call::prctl>(set_user_dispatch, on, 0, 0,
                            as_argument(const_cast<const unsigned char*>(&dispatch_selector)));
    if (result != 0) {
        return refused(
            "sud: this kernel has no syscall user dispatch: ", describe_error(result).text(),
            "; it needs the generic entry code and Linux 5.11 or newer");
    }
    return ok();
}

Outcome set_up_rseq() {
    constexpr long signature = 0x53053053;  // stands before abort handlers, of which there are none
    const long result = kernel<Call::rseq>(as_argument(&rseq_area), sizeof rseq_area, 0, signature);
    if (result != 0) {
        return refused("rseq: this kernel registers no area: ", describe_error(result).text(),
                       "; it needs CONFIG_RSEQ and Linux 4.18 or newer");
    }
    return ok();
}

}  // namespace kerntoll::agent
