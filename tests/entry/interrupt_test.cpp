// SPDX-License-Identifier: MIT
// Interrupts and exceptions, from user mode and in the midst of other ways: what each policy does
// of them in a few stories that are told here in full (policy_test.cpp has the model tell many),
// and how two tasks take turns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/entry/policies.hpp"
#include "tests/entry/stage.hpp"

namespace kerntoll::test {
namespace {

using testing::ElementsAre;
namespace exit_work = entry::exit_work;

/// What happens, without who has a turn of its own everywhere; "+" where interrupts are on, "'"
/// where it comes from the kernel.
std::vector<std::string> told(const PolicyRow& row, const Scenario& scenario) {
    std::vector<std::string> turns;
    for (const Event& event : row.tell(scenario)) {
        if (event.party != Party::rseq_check) {
            turns.push_back(std::string(name(event.party)) + (event.interrupts_on ? "+" : "") +
                            (event.nested ? "'" : ""));
        }
    }
    return turns;
}

/// The policies that look at the work words.
std::vector<PolicyRow> policies_with_work() {
    std::vector<PolicyRow> some = all_policies();
    std::erase_if(some, [](const PolicyRow& row) { return !row.visible().work; });
    return some;
}

class Interrupted : public testing::Test {
protected:
    /// A task that is in user mode, and comes back there by the ways that a test chooses.
    Interrupted() {
        scenario_.second_way = Way::begin;
        for (Act& act : scenario_.acts) {
            act.times = 1;
        }
    }
    Act& act(Party party) { return scenario_.acts[static_cast<std::size_t>(party)]; }

    Scenario scenario_;
};

TEST_F(Interrupted, UserModeDoesTheWorkThatTheInterruptAsksFor) {
    scenario_.way = Way::interrupt;
    act(Party::interrupt).asks_exit_work = exit_work::signal | exit_work::reschedule;
    for (const PolicyRow& row : policies_with_work()) {
        ASSERT_THAT(told(row, scenario_), ElementsAre("left_user", "interrupt", "reschedule+",
                                                      "signal+", "to_user", "to_user"))
            << spelled(row.policy);
    }
}

TEST_F(Interrupted, UserModeIsReachedWithoutThatWorkWhereNobodyLooks) {
    scenario_.way = Way::interrupt;
    act(Party::interrupt).asks_exit_work = exit_work::signal;
    for (const PolicyRow& row : all_policies()) {
        if (!row.visible().work) {
            ASSERT_THAT(told(row, scenario_),
                        ElementsAre("left_user", "interrupt", "to_user", "to_user"))
                << spelled(row.policy);
        }
    }
}

/// The interrupt's own way does nothing of it: where it came, anything may have been under way.
TEST_F(Interrupted, CallDoesTheWorkWhenItIsDoneItself) {
    act(Party::call).is_interrupted = true;
    act(Party::interrupt).asks_exit_work = exit_work::reschedule;
    act(Party::interrupt).asks_syscall_work = entry::syscall_work::audit;
    for (const PolicyRow& row : policies_with_work()) {
        ASSERT_THAT(told(row, scenario_),
                    ElementsAre("left_user", "call+", "interrupt'", "audit_exit+", "reschedule+",
                                "to_user", "to_user"))
            << spelled(row.policy);
    }
}

/// One that comes while another task has its turn, or behind the last look but one.
TEST_F(Interrupted, WorkIsFollowedByWhatArrivesMeanwhile) {
    scenario_.way = Way::interrupt;
    act(Party::interrupt).asks_exit_work = exit_work::reschedule;
    act(Party::interrupt).times = 2;
    act(Party::reschedule).is_interrupted = true;
    for (const PolicyRow& row : policies_with_work()) {
        ASSERT_THAT(told(row, scenario_),
                    ElementsAre("left_user", "interrupt", "reschedule+", "interrupt'",
                                "reschedule+", "interrupt'", "to_user", "to_user"))
            << spelled(row.policy);
    }
}

/// A fault that the kernel expects, of a handler that an interrupt's work calls.
TEST_F(Interrupted, NothingElseChangesByAFaultOfTheKernels) {
    scenario_.way = Way::exception;
    act(Party::exception).interrupts_on = true;
    act(Party::exception).faults = true;
    act(Party::exception).is_interrupted = true;
    act(Party::interrupt).faults = true;
    act(Party::kernel_exception).asks_exit_work = exit_work::signal;
    for (const PolicyRow& row : policies_with_work()) {
        ASSERT_THAT(told(row, scenario_),
                    ElementsAre("left_user", "exception", "kernel_exception'", "interrupt'",
                                "kernel_exception'", "signal+", "to_user", "to_user"))
            << spelled(row.policy);
    }
}

TEST_F(Interrupted, FirstWayToUserModeDoesTheWorkThatWaits) {
    scenario_.way = Way::begin;
    scenario_.exit_work = exit_work::signal;
    for (const PolicyRow& row : policies_with_work()) {
        ASSERT_THAT(told(row, scenario_), ElementsAre("signal+", "to_user", "to_user"))
            << spelled(row.policy);
    }
}

// --- Two tasks ---

/// As a stub leaves them.
struct Task {
    entry::Frame frame{};
    entry::Thread thread{};
};
Task first;
Task second;
std::vector<std::string> log;

const char* whose(const entry::Thread& thread) {
    return &thread == &first.thread ? "first" : &thread == &second.thread ? "second" : "nobody";
}
void note(const char* what, const entry::Thread& thread) {
    log.push_back(std::string(what) + " " + whose(thread) +
                  (entry::port::interrupts_are_on() ? "+" : ""));
}

/// A scheduler that gives the first task's turn to the second one, which has not begun yet, until
/// that is interrupted in its turn.
struct TwoTasks {
    static constexpr std::size_t call_count = 1;
    static const entry::Call (&calls())[call_count] { return table; }
    static void exception(entry::Frame& /*frame*/, entry::Thread& /*thread*/,
                          entry::Cause /*cause*/) {}
    static void kernel_exception(entry::Frame& /*frame*/, entry::Cause /*cause*/) {}
    /// A clock's, to whoever runs; the second task's has a signal for the first one.
    static void interrupt(entry::Frame& frame, entry::Cause /*cause*/) {
        const bool is_first = &frame == &first.frame;
        Task& running = is_first ? first : second;
        note("interrupt", running.thread);
        entry::set_work(running.thread.exit_work, exit_work::reschedule);
        if (!is_first) {
            entry::set_work(first.thread.exit_work, exit_work::signal);
        }
    }
    static void left_user(entry::Thread& thread) { note("left", thread); }
    static void to_user(entry::Thread& thread) { note("to user", thread); }
    static void signal(entry::Frame& /*frame*/, entry::Thread& thread) { note("signal", thread); }
    static void reschedule(entry::Thread& thread);

private:
    static long no_call(entry::Frame& /*frame*/) { return entry::no_such_call; }
    static constexpr entry::Call table[call_count] = {no_call};
};

constexpr entry::Policy checked{.debug = entry::Switched::on};
using Path = entry::InterruptPath<checked, TwoTasks>;

void TwoTasks::reschedule(entry::Thread& thread) {
    note("reschedule", thread);
    if (&thread == &first.thread) {
        entry::port::interrupts_off();  // as a switch of stacks wants it
        Path::begin_user(second.frame);
        Path::interrupt_from_user(second.frame, interrupt_cause);
        entry::port::interrupts_on();
    }
}

TEST(Preemption, EachTasksWorkIsDoneOnItsOwnWay) {
    first.thread.context = entry::Context::user;
    second.thread.exit_work = exit_work::signal;
    entry::port::interrupts_off();
    Path::interrupt_from_user(first.frame, interrupt_cause);
    EXPECT_THAT(log, ElementsAre("left first", "interrupt first", "reschedule first+",  //
                                 "signal second+", "to user second",                    //
                                 "left second", "interrupt second", "reschedule second+",
                                 "to user second",  //
                                 "signal first+", "to user first"));
    EXPECT_EQ(first.thread.context, entry::Context::user);
    EXPECT_EQ(first.thread.exit_work | second.thread.exit_work, 0U);
}

}  // namespace
}  // namespace kerntoll::test
