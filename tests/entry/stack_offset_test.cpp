// SPDX-License-Identifier: MIT
// stack_offset=on: each call finds the stack somewhere else, by every way to it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>

#include "handlers.hpp"

namespace kerntoll {
namespace {

std::set<std::uintptr_t> places;

[[gnu::noinline]] long note_place(entry::Frame& /*frame*/) {
    places.insert(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    return 0;
}

struct PlaceHooks {
    static constexpr std::size_t call_count = 1;
    static constexpr entry::Call table[call_count] = {note_place};
    static const entry::Call (&calls())[call_count] { return table; }
    static void exception(entry::Frame& /*frame*/, entry::Thread& /*thread*/,
                          entry::Cause /*cause*/) {}
    static void kernel_exception(entry::Frame& /*frame*/, entry::Cause /*cause*/) {}
    static void interrupt(entry::Frame& /*frame*/, entry::Cause /*cause*/) {}
};

enum class Way { fast, with_work };

/// In how many places 64 calls of a policy run.
template <entry::Policy policy>
std::size_t places_of(Way way) {
    using Path = entry::SyscallPath<policy, PlaceHooks>;
    struct {
        entry::Frame frame{};
        entry::Thread thread{};
    } task;
    task.thread.stack_offset = 0x12345678;
    places.clear();
    for (int i = 0; i < 64; ++i) {
        task.thread.context = entry::Context::user;
        // Of a hook that is not there: the slow way, and nothing done on it.
        task.thread.syscall_work = way == Way::with_work ? entry::syscall_work::audit : 0;
        if constexpr (policy.frame == entry::FrameKind::lazy) {
            const entry::Fast answer = Path::run_fast(task.frame, task.thread);
            EXPECT_EQ(answer, way == Way::with_work ? entry::Fast::enter : entry::Fast::done);
            if (answer == entry::Fast::enter) {
                Path::continue_enter(task.frame, task.thread);
            }
        } else {
            Path::run(task.frame, task.thread);
        }
    }
    return places.size();
}

template <entry::Policy policy>
constexpr entry::Policy displaced = [] {
    entry::Policy changed = policy;
    changed.stack_offset = entry::Switched::on;
    return changed;
}();

constexpr entry::Policy inlined{};
constexpr entry::Policy outlined{.enter = entry::Inlining::outlined,
                                 .exit = entry::Inlining::outlined,
                                 .common = entry::Inlining::outlined};
constexpr entry::Policy lazy{.frame = entry::FrameKind::lazy};

template <entry::Policy policy>
void expect_displaced_where_on(Way way) {
    EXPECT_EQ(places_of<policy>(way), 1U);
    EXPECT_GE(places_of<displaced<policy>>(way), 8U);
}

TEST(StackOffset, IsAnotherForEachCall) {
    expect_displaced_where_on<inlined>(Way::fast);
    expect_displaced_where_on<outlined>(Way::fast);
    expect_displaced_where_on<lazy>(Way::fast);
}

TEST(StackOffset, IsAnotherForEachCallWithWork) {
    expect_displaced_where_on<inlined>(Way::with_work);
    expect_displaced_where_on<outlined>(Way::with_work);
    expect_displaced_where_on<lazy>(Way::with_work);
}

}  // namespace
}  // namespace kerntoll
