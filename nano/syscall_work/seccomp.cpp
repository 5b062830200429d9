// SPDX-License-Identifier: MIT
#include "nano/syscall_work/seccomp.hpp"

#include "nano/arch.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// The instructions that filters are made of (linux/filter.h, bpf_common.h); a small part of
/// classic BPF.
namespace code {
constexpr uint16_t load = 0x20;              // A = data[k]
constexpr uint16_t load_constant = 0x00;     // A = k
constexpr uint16_t mask = 0x54;              // A &= k
constexpr uint16_t jump = 0x05;              // over k instructions
constexpr uint16_t jump_if_equal = 0x15;     // A == k
constexpr uint16_t jump_if_greater = 0x25;   // A > k
constexpr uint16_t jump_if_not_less = 0x35;  // A >= k
constexpr uint16_t jump_if_any = 0x45;       // A & k
constexpr uint16_t answer = 0x06;            // k
constexpr uint16_t answer_accumulator = 0x16;
}  // namespace code

/// Answers: the action in the upper half, its data below.
namespace action {
constexpr uint32_t mask = 0xffff0000;
constexpr uint32_t trap = 0x00030000;
constexpr uint32_t error = 0x00050000;
constexpr uint32_t log = 0x7ffc0000;
constexpr uint32_t allow = 0x7fff0000;
}  // namespace action

/// struct seccomp_data.
struct CallData {
    int32_t number;
    uint32_t architecture;
    uint64_t pc;
    uint64_t arguments[6];
};
static_assert(sizeof(CallData) == 64);

/// `filter` is sound.
uint32_t run(const SeccompFilter& filter, const CallData& data) {
    uint32_t accumulator = 0;
    for (size_t at = 0;; ++at) {
        const FilterInstruction& now = filter.program[at];
        const uint32_t k = now.constant;
        bool holds = false;
        switch (now.code) {
            case code::load:
                __builtin_memcpy(&accumulator, reinterpret_cast<const unsigned char*>(&data) + k,
                                 sizeof accumulator);
                continue;
            case code::load_constant:
                accumulator = k;
                continue;
            case code::mask:
                accumulator &= k;
                continue;
            case code::jump:
                at += k;
                continue;
            case code::answer:
                return k;
            case code::answer_accumulator:
                return accumulator;
            case code::jump_if_equal:
                holds = accumulator == k;
                break;
            case code::jump_if_greater:
                holds = accumulator > k;
                break;
            case code::jump_if_not_less:
                holds = accumulator >= k;
                break;
            default:
                holds = (accumulator & k) != 0;
                break;
        }
        at += holds ? now.jump_true : now.jump_false;
    }
}

constexpr uint32_t first_argument = 16;  // offset in CallData

}  // namespace

bool is_sound(const SeccompFilter& filter) {
    if (filter.length == 0 || filter.length > SeccompFilter::most) {
        return false;
    }
    for (size_t at = 0; at < filter.length; ++at) {
        const FilterInstruction& now = filter.program[at];
        const size_t left = filter.length - at - 1;  // instructions behind this one
        switch (now.code) {
            case code::load:
                if (now.constant % sizeof(uint32_t) != 0 || now.constant >= sizeof(CallData)) {
                    return false;
                }
                break;
            case code::load_constant:
            case code::mask:
            case code::answer:
            case code::answer_accumulator:
                break;
            case code::jump:
                if (now.constant >= left) {
                    return false;
                }
                break;
            case code::jump_if_equal:
            case code::jump_if_greater:
            case code::jump_if_not_less:
            case code::jump_if_any:
                if (now.jump_true >= left || now.jump_false >= left) {
                    return false;
                }
                break;
            default:
                return false;
        }
    }
    const uint16_t last = filter.program[filter.length - 1].code;
    return last == code::answer || last == code::answer_accumulator;
}

void install_argument_filter() {
    current_task().filter = {
        .length = 2,
        .program = {{code::load, 0, 0, first_argument}, {code::answer, 0, 0, action::allow}}};
    entry::set_work(current_task().kernel.thread.syscall_work, entry::syscall_work::seccomp);
}

bool Hooks::seccomp(entry::Frame& frame, entry::Thread&) {
    const long number = entry::port::number(frame);
    CallData data{
        static_cast<int32_t>(number), arch::audit_architecture, arch::program_counter(frame), {}};
    for (unsigned i = 0; i < 6; ++i) {
        data.arguments[i] = entry::argument(frame, i);
    }
    const uint32_t answer = run(current_task().filter, data);
    constexpr uint32_t most_error = 4095;
    const uint32_t detail = answer & ~action::mask;
    switch (answer & action::mask) {
        case action::allow:
        case action::log:
            return true;
        case action::error:
            entry::port::set_result(frame,
                                    -static_cast<long>(detail < most_error ? detail : most_error));
            return false;
        case action::trap:
            entry::port::roll_back(frame);
            force_signal({.number = signal::call,
                          .error = static_cast<int32_t>(detail),
                          .code = 1,  // SYS_SECCOMP
                          .address = arch::program_counter(frame),
                          .call = static_cast<int32_t>(number),
                          .architecture = arch::audit_architecture});
            return false;
        default:  // to kill, or something that there is nobody to answer
            exit_task(signal::call);
    }
}

}  // namespace kerntoll::nano
