// SPDX-License-Identifier: MIT
// Where the entry path itself acts a scenario out: hooks that see and do what the scenario says.
#pragma once

#include <array>
#include <cstdint>

#include "handlers.hpp"
#include "tests/entry/scenario.hpp"

namespace kerntoll::test {

/// One scenario on its way. The hooks are static, so the stage is found by a variable.
class Stage {
public:
    /// The ways from the kernel, of the policy that is on stage.
    struct FromKernel {
        void (*interrupt)(entry::Frame&, entry::Cause);
        void (*exception)(entry::Frame&, entry::Cause);
    };

    Stage(const Scenario& scenario, FromKernel from_kernel);
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    Stage(Stage&&) = delete;
    Stage& operator=(Stage&&) = delete;
    ~Stage();

    /// The party's turn: notes what it sees and does what it is going to do.
    Act turn(Party party);

    [[nodiscard]] entry::Frame& frame() { return place_.frame; }
    [[nodiscard]] entry::Thread& thread() { return place_.thread; }
    /// Makes the frame one of the second way.
    void go_again() { place_.frame.number = scenario_.second_number; }
    /// That of what came last: the user's, or one of what comes from the kernel.
    [[nodiscard]] const entry::Frame& last_frame() const {
        return nested_frame_ != nullptr ? *nested_frame_ : place_.frame;
    }
    [[nodiscard]] const Story& story() const { return story_; }
    /// Says by which way the kernel is entered next.
    void go(Way way) { way_ = way; }

    static Stage& current();

private:
    /// An interrupt or a fault of the kernel's, as the machine takes it: interrupts are off, and
    /// afterwards what they were.
    void come_between(void (*way)(entry::Frame&, entry::Cause), entry::Cause cause);

    // As a stub leaves them: the frame directly below the Thread.
    struct Place {
        entry::Frame frame{};
        entry::Thread thread{};
    };

    const Scenario& scenario_;
    FromKernel from_kernel_;
    Place place_;
    const entry::Frame* nested_frame_ = nullptr;
    Way way_ = Way::call;
    Story story_;
    std::array<int, party_count> turns_{};
};

/// What the kernel is entered by. Any two that are not a call's.
inline constexpr entry::Cause fault_cause = 14;
inline constexpr entry::Cause interrupt_cause = 32;

/// The call of that number.
template <long number>
long call_number(entry::Frame& /*frame*/) {
    const Act act = Stage::current().turn(Party::call);
    return act.changes_result ? act.result : 100 + number;
}

struct StageHooks {
    static constexpr std::size_t call_count = calls;
    static const entry::Call (&calls())[call_count] { return table; }
    static void call_by_switch(entry::Frame& frame, unsigned long number);

    static void exception(entry::Frame& frame, entry::Thread& /*thread*/, entry::Cause cause) {
        expect_entered(frame, cause, fault_cause);
        turn(Party::exception);
    }
    static void kernel_exception(entry::Frame& frame, entry::Cause cause) {
        expect_entered(frame, cause, fault_cause);
        turn(Party::kernel_exception);
    }
    static void interrupt(entry::Frame& frame, entry::Cause cause) {
        expect_entered(frame, cause, interrupt_cause);
        turn(Party::interrupt);
    }

    static void left_user(entry::Thread& /*thread*/) { turn(Party::left_user); }
    static void to_user(entry::Thread& /*thread*/) { turn(Party::to_user); }
    static bool user_dispatch(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        return turn(Party::user_dispatch).says_no;
    }
    static bool ptrace_enter(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        return !turn(Party::ptrace_enter).says_no;
    }
    static bool seccomp(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        return !turn(Party::seccomp).says_no;
    }
    static void tracepoint_enter(entry::Frame& frame, entry::Thread& /*thread*/, long number) {
        expect_told(frame, number);
        turn(Party::tracepoint_enter);
    }
    static void audit_enter(entry::Frame& frame, entry::Thread& /*thread*/, long number) {
        expect_told(frame, number);
        turn(Party::audit_enter);
    }
    static void rseq_check(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::rseq_check);
    }
    static void whole_frame_call(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::whole_frame_call);
    }
    static void audit_exit(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::audit_exit);
    }
    static void tracepoint_exit(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::tracepoint_exit);
    }
    static void ptrace_exit(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::ptrace_exit);
    }
    static void reschedule(entry::Thread& /*thread*/) { turn(Party::reschedule); }
    static void uprobe(entry::Frame& /*frame*/, entry::Thread& /*thread*/) { turn(Party::uprobe); }
    static void signal(entry::Frame& /*frame*/, entry::Thread& /*thread*/) { turn(Party::signal); }
    static void notify_resume(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::notify_resume);
    }
    static void architecture_work(entry::Frame& /*frame*/, entry::Thread& /*thread*/) {
        turn(Party::architecture_work);
    }
    static void state_fault(entry::Frame& /*frame*/, const char* /*what*/) {
        turn(Party::state_fault);
    }

private:
    static const entry::Call table[call_count];
    static Act turn(Party party) { return Stage::current().turn(party); }
    /// The hook is told the number that the frame has: a stale one would be another call.
    static void expect_told(const entry::Frame& frame, long number);
    /// The handler gets the frame and the cause of what came.
    static void expect_entered(const entry::Frame& frame, entry::Cause cause,
                               entry::Cause expected);
};

/// One call on the entry path of that policy. A lazy frame is completed as a stub would: by calling
/// what run_fast() asks for.
template <entry::Policy policy>
void make_call(Stage& stage) {
    using Path = entry::SyscallPath<policy, StageHooks>;
    if constexpr (policy.frame == entry::FrameKind::lazy) {
        switch (Path::run_fast(stage.frame(), stage.thread())) {
            case entry::Fast::enter:
                Path::continue_enter(stage.frame(), stage.thread());
                break;
            case entry::Fast::exit:
                Path::continue_exit(stage.frame(), stage.thread());
                break;
            case entry::Fast::done:
                break;
        }
    } else {
        Path::run(stage.frame(), stage.thread());
    }
}

/// One way through the kernel.
template <entry::Policy policy>
void go(Stage& stage, Way way) {
    using Path = entry::InterruptPath<policy, StageHooks>;
    stage.go(way);
    switch (way) {
        case Way::call:
            make_call<policy>(stage);
            break;
        case Way::interrupt:
            Path::interrupt_from_user(stage.frame(), interrupt_cause);
            break;
        case Way::exception:
            Path::exception_from_user(stage.frame(), fault_cause);
            break;
        case Way::begin:
            Path::begin_user(stage.frame());
            break;
    }
}

/// Acts the scenario out.
template <entry::Policy policy>
Story tell_path(const Scenario& scenario) {
    using Path = entry::InterruptPath<policy, StageHooks>;
    Stage stage(scenario, {.interrupt = Path::interrupt_from_kernel,
                           .exception = Path::exception_from_kernel});
    go<policy>(stage, scenario.way);
    stage.go_again();
    go<policy>(stage, scenario.second_way);
    return stage.story();
}

}  // namespace kerntoll::test
