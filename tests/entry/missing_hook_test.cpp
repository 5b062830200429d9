// SPDX-License-Identifier: MIT
// What the bit of a hook does that a kernel does not bring, or brings under another name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "handlers.hpp"

namespace kerntoll::test {
namespace {

using entry::Cause;
using entry::Frame;
using entry::Thread;

int calls_made = 0;
std::vector<std::string_view> faults;

long count_call(Frame& /*frame*/) {
    return ++calls_made;
}

/// An embedder whose filter is misspelt.
struct Misspelt {
    static constexpr std::size_t call_count = 1;
    static constexpr entry::Call table[1] = {count_call};
    static const entry::Call (&calls())[1] { return table; }
    static void exception(Frame& /*frame*/, Thread& /*thread*/, Cause /*cause*/) {}
    static void kernel_exception(Frame& /*frame*/, Cause /*cause*/) {}
    static void interrupt(Frame& /*frame*/, Cause /*cause*/) {}
    [[maybe_unused]] static bool secomp(Frame& /*frame*/, Thread& /*thread*/) { return true; }
    static void state_fault(Frame& /*frame*/, const char* what) { faults.emplace_back(what); }
};
/// One that has a hook for one bit of each word.
struct Some : Misspelt {
    static void audit_exit(Frame& /*frame*/, Thread& /*thread*/) {}
    static void signal(Frame& /*frame*/, Thread& /*thread*/) {}
};

/// As a stub leaves them: the frame directly below the Thread.
struct Place {
    Frame frame{};
    Thread thread{};
};

/// What call 0 answers with these bits of the syscall work word.
long answer(entry::WorkWord work) {
    Place place;
    place.thread.syscall_work = work;
    entry::SyscallPath<entry::Policy{}, Misspelt>::run(place.frame, place.thread);
    return entry::port::result(place.frame);
}

TEST(MissingHook, NoCallPassesAFilterThatIsNotThere) {
    calls_made = 0;
    EXPECT_EQ(answer(entry::syscall_work::seccomp), entry::no_such_call);
    EXPECT_EQ(answer(entry::syscall_work::seccomp | entry::syscall_work::audit),
              entry::no_such_call);
    EXPECT_EQ(calls_made, 0);
}

TEST(MissingHook, TheOthersDoNothing) {
    calls_made = 0;
    EXPECT_EQ(answer(~entry::syscall_work::seccomp), 1);
    EXPECT_EQ(answer(0), 2);
}

/// What debug=on has to say of a call with these bits.
template <class Hooks>
std::vector<std::string_view> faults_of(entry::WorkWord syscall_work, entry::WorkWord exit_work,
                                        entry::Switched debug = entry::Switched::on) {
    const auto run = [&]<entry::Switched checked>() {
        Place place;
        place.thread.context = entry::Context::user;
        place.thread.syscall_work = syscall_work;
        place.thread.exit_work = exit_work;
        entry::port::interrupts_off();
        faults.clear();
        entry::SyscallPath<entry::Policy{.debug = checked}, Hooks>::run(place.frame, place.thread);
        return faults;
    };
    return debug == entry::Switched::on ? run.template operator()<entry::Switched::on>()
                                        : run.template operator()<entry::Switched::off>();
}

TEST(MissingHook, IsToldOnWhereTheStateIsChecked) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    const auto* const of_calls = "work of calls is asked for that no hook does";
    const auto* const before_user = "work before user mode is asked for that no hook does";
    constexpr entry::WorkWord unnamed = 1U << 31U;
    for (const entry::WorkWord bit :
         {entry::syscall_work::seccomp, entry::syscall_work::user_dispatch,
          entry::syscall_work::ptrace, entry::syscall_work::tracepoint, entry::syscall_work::audit,
          entry::syscall_work::whole_frame_call, entry::syscall_work::given_to_user}) {
        EXPECT_THAT(faults_of<Misspelt>(bit, 0), ElementsAre(of_calls)) << bit;
    }
    for (const entry::WorkWord bit : {entry::exit_work::reschedule, entry::exit_work::uprobe,
                                      entry::exit_work::signal, entry::exit_work::notify_resume}) {
        EXPECT_THAT(faults_of<Misspelt>(0, bit), ElementsAre(before_user)) << bit;
    }
    EXPECT_THAT(faults_of<Misspelt>(0, 0), IsEmpty());
    EXPECT_THAT(faults_of<Misspelt>(unnamed, unnamed | entry::exit_work::architecture), IsEmpty());
    EXPECT_THAT(faults_of<Misspelt>(entry::syscall_work::ptrace, entry::exit_work::signal,
                                    entry::Switched::off),
                IsEmpty());
}

TEST(MissingHook, OneThatIsThereIsNot) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    EXPECT_THAT(faults_of<Some>(entry::syscall_work::audit, entry::exit_work::signal), IsEmpty());
    EXPECT_THAT(faults_of<Some>(entry::syscall_work::audit | entry::syscall_work::ptrace,
                                entry::exit_work::signal),
                ElementsAre("work of calls is asked for that no hook does"));
}

}  // namespace
}  // namespace kerntoll::test
