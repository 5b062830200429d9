// SPDX-License-Identifier: MIT
#include "tests/entry/stage.hpp"

#include <cstdlib>

namespace kerntoll::test {
namespace {

constinit thread_local Stage* current_stage = nullptr;
constexpr std::uintptr_t start = 1000;

}  // namespace

Stage::Stage(const Scenario& scenario, FromKernel from_kernel)
    : scenario_(scenario), from_kernel_(from_kernel) {
    place_.frame.pc = start;
    place_.frame.number = scenario.number;
    place_.thread.syscall_work = scenario.syscall_work;
    place_.thread.exit_work = scenario.exit_work;
    place_.thread.stack_offset = scenario.stack_offset;
    place_.thread.context = scenario.wrong_context ? entry::Context::kernel : entry::Context::user;
    entry::port::interrupts_off();
    current_stage = this;
}

Stage::~Stage() {
    current_stage = nullptr;
}

Stage& Stage::current() {
    return *current_stage;
}

Act Stage::turn(Party party) {
    entry::Frame& frame = place_.frame;
    entry::Thread& thread = place_.thread;
    story_.push_back({party, frame.number, frame.result, static_cast<long>(frame.pc - start),
                      thread.syscall_work, thread.exit_work, entry::port::interrupts_are_on(),
                      nested_frame_ != nullptr});
    Act act = scenario_.act(party);
    if (party == Party::left_user || party == Party::to_user || party == Party::state_fault) {
        return act;
    }
    if (act.changes_number) {
        entry::port::set_number(frame, act.number);
    }
    if (act.changes_result) {
        entry::port::set_result(frame, act.result);
    }
    if (act.restarts && party == Party::signal && way_ == Way::call) {
        entry::port::restart(frame);
    }
    const int before = turns_[static_cast<std::size_t>(party)]++;
    act.says_no = act.says_no && before == 0;
    entry::clear_work(thread.syscall_work, act.drops_syscall_work);
    entry::clear_work(thread.exit_work, act.drops_exit_work);
    if (before < act.times) {
        entry::set_work(thread.syscall_work, act.asks_syscall_work);
        entry::set_work(thread.exit_work, act.asks_exit_work);
    }
    if (act.interrupts_off && party == Party::call) {
        entry::port::interrupts_off();
    }
    if (act.interrupts_on && party == Party::exception) {
        entry::port::interrupts_on();
    }
    if (act.faults && party != Party::kernel_exception) {
        come_between(from_kernel_.exception, fault_cause);
    }
    if (act.is_interrupted && entry::port::interrupts_are_on()) {
        come_between(from_kernel_.interrupt, interrupt_cause);
    }
    return act;
}

void Stage::come_between(void (*way)(entry::Frame&, entry::Cause), entry::Cause cause) {
    const bool interrupts_were_on = entry::port::interrupts_are_on();
    const entry::Frame* const frame_before = nested_frame_;
    entry::Frame frame{};
    entry::port::interrupts_off();
    nested_frame_ = &frame;
    way(frame, cause);
    nested_frame_ = frame_before;
    if (interrupts_were_on) {
        entry::port::interrupts_on();
    }
}

const entry::Call StageHooks::table[call_count] = {
    call_number<0>, call_number<1>, call_number<2>, call_number<3>,
    call_number<4>, call_number<5>, call_number<6>,
};

void StageHooks::call_by_switch(entry::Frame& frame, unsigned long number) {
    long result = 0;
    switch (number) {
        case 0:
            result = call_number<0>(frame);
            break;
        case 1:
            result = call_number<1>(frame);
            break;
        case 2:
            result = call_number<2>(frame);
            break;
        case 3:
            result = call_number<3>(frame);
            break;
        case 4:
            result = call_number<4>(frame);
            break;
        case 5:
            result = call_number<5>(frame);
            break;
        case 6:
            result = call_number<6>(frame);
            break;
        default:
            return;
    }
    entry::port::set_result(frame, result);
}

void StageHooks::expect_entered(const entry::Frame& frame, entry::Cause cause,
                                entry::Cause expected) {
    if (&frame != &Stage::current().last_frame() || cause != expected) {
        std::abort();
    }
}

void StageHooks::expect_told(const entry::Frame& frame, long number) {
    if (number != frame.number) {
        std::abort();
    }
}

}  // namespace kerntoll::test
