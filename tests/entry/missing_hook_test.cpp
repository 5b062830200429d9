// SPDX-License-Identifier: MIT
// What the bit of a hook does that a kernel does not bring, or brings under another name.
#include <gtest/gtest.h>

#include <cstddef>

#include "handlers.hpp"

namespace kerntoll::test {
namespace {

using entry::Cause;
using entry::Frame;
using entry::Thread;

int calls_made = 0;

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

}  // namespace
}  // namespace kerntoll::test
