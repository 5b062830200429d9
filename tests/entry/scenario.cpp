// SPDX-License-Identifier: MIT
#include "tests/entry/scenario.hpp"

#include <fmt/format.h>

namespace kerntoll::test {
namespace {

/// Takes a scenario out of bytes, zero after their end.
class Source {
public:
    Source(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

    std::uint8_t byte() { return next_ < size_ ? bytes_[next_++] : std::uint8_t{0}; }
    std::uint32_t word() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            value = value << 8U | byte();
        }
        return value;
    }
    /// Mostly numbers that exist, sometimes one at an edge.
    long number() {
        const std::uint8_t kind = byte();
        switch (kind) {
            case 0xff:
                return -1;
            case 0xfe:
                return static_cast<long>(calls);
            case 0xfd:
                return static_cast<long>(calls) - 1;
            case 0xfc:
                return static_cast<long>(0x100000000ULL);
            case 0xfb:
                return static_cast<long>(1ULL << 63U);
            default:
                return static_cast<long>(kind % (calls + 1));
        }
    }

private:
    const std::uint8_t* bytes_;
    std::size_t size_;
    std::size_t next_ = 0;
};

}  // namespace

const char* name(Party party) {
    constexpr std::array<const char*, party_count> names{"left_user",
                                                         "user_dispatch",
                                                         "ptrace_enter",
                                                         "seccomp",
                                                         "tracepoint_enter",
                                                         "audit_enter",
                                                         "call",
                                                         "rseq_check",
                                                         "whole_frame_call",
                                                         "audit_exit",
                                                         "tracepoint_exit",
                                                         "ptrace_exit",
                                                         "reschedule",
                                                         "uprobe",
                                                         "signal",
                                                         "notify_resume",
                                                         "architecture_work",
                                                         "to_user",
                                                         "state_fault",
                                                         "interrupt",
                                                         "exception",
                                                         "kernel_exception"};
    return names[static_cast<std::size_t>(party)];
}

Scenario scenario_from(const std::uint8_t* bytes, std::size_t size) {
    Source source(bytes, size);
    Scenario scenario;
    // One input in two has no work at all: the fast path is most of what happens in life.
    const std::uint8_t kind = source.byte();
    scenario.number = source.number();
    scenario.second_number = source.number();
    if ((kind & 1U) != 0) {
        scenario.syscall_work = source.byte();
        scenario.exit_work = source.byte();
    }
    scenario.wrong_context = (kind & 0xf0U) == 0xf0U;
    // Calls come first, as in life.
    const std::uint8_t ways = source.byte();
    if ((ways & 1U) != 0) {
        scenario.way = static_cast<Way>(ways >> 1U & 3U);
        scenario.second_way = static_cast<Way>(ways >> 3U & 3U);
    }
    scenario.stack_offset = source.word();
    for (Act& act : scenario.acts) {
        const std::uint8_t what = source.byte();
        act.says_no = (what & 1U) != 0;
        act.changes_number = (what & 2U) != 0;
        act.changes_result = (what & 4U) != 0;
        act.restarts = (what & 8U) != 0;
        act.interrupts_off = (what & 0x30U) == 0x30U;
        act.interrupts_on = (what & 0x30U) == 0x10U;
        const std::uint8_t meanwhile = source.byte();
        act.faults = (meanwhile & 7U) == 7U;
        act.is_interrupted = (meanwhile & 0x30U) == 0x30U;
        act.times = what >> 6U;
        if (act.changes_number) {
            act.number = source.number();
        }
        if (act.changes_result) {
            act.result = static_cast<std::int8_t>(source.byte());
        }
        if (act.times != 0) {
            act.asks_syscall_work = source.byte();
            act.asks_exit_work = source.byte();
        }
        if ((what & 0x30U) == 0x20U) {
            act.drops_syscall_work = source.byte();
            act.drops_exit_work = source.byte();
        }
    }
    return scenario;
}

std::string tell(const Story& story) {
    std::string text;
    for (const Event& event : story) {
        text += fmt::format(
            "{:18} number {} result {} progress {} syscall work {:#x} exit work {:#x} interrupts "
            "{}{}\n",
            name(event.party), event.number, event.result, event.progress, event.syscall_work,
            event.exit_work, event.interrupts_on ? "on" : "off", event.nested ? ", nested" : "");
    }
    return text;
}

}  // namespace kerntoll::test
