// SPDX-License-Identifier: MIT
// Where the phases of a round trip begin. Each is one stretch of the path, so they add up to it.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

/// How the names of the system calls' own functions begin: Linux's (SYSCALL_DEFINE in the kernel's
/// include/linux/syscalls.h and each architecture's asm/syscall_wrapper.h) and nano's.
constexpr std::string_view call_prefixes[] = {
    "__x64_sys_",
    "__ia32_sys_",
    "__arm64_sys_",
    "__riscv_sys_",
    "__s390x_sys_",
    "__se_sys_",
    "__do_sys_",
    "sys_",
    "kerntoll::nano::calls::",
    "kerntoll::hosted::calls::",
};

/// Functions that stand between those that do the work of entry and the call, and choose the call.
constexpr std::string_view dispatchers[] = {
    "x64_sys_call",
    "x32_sys_call",
    "ia32_sys_call",  // arch/x86/entry
    "do_el0_svc",
    "el0_svc_common",
    "invoke_syscall",                           // arch/arm64/kernel/syscall.c
    "kerntoll::nano::Hooks::call_by_switch",    // nano/entry.cpp
    "kerntoll::hosted::Hooks::call_by_switch",  // hosted/entry.cpp
};

/// Assembly that the trap stub calls against the guessing of branches: no hand-over to C.
constexpr std::string_view stub_helpers[] = {
    "clear_bhb_loop",         "entry_ibpb",           "write_ibpb",
    "entry_untrain_ret",      "retbleed_untrain_ret", "srso_untrain_ret",
    "srso_alias_untrain_ret", "zen_untrain_ret",
};

/// The function that a trap stub hands over to; of a hosted path it is the first one, which the
/// user's call enters (entry/).
constexpr std::string_view entered_without_stub[] = {"kerntoll_entry_from_user"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
    // A compiler's clones and parts: invoke_syscall.constprop.0
    return std::ranges::find(names, name.substr(0, name.find('.'))) != names.end();
}

bool is_call(std::string_view name) {
    return std::ranges::any_of(
        call_prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_dispatcher(std::string_view name) {
    return is_one_of(name, dispatchers);
}

/// Steps from begin to below end.
struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class Phases {
public:
    explicit Phases(Walk& walk) : walk_(&walk), steps_(walk.steps) {}

    void set();

private:
    using Test = bool (*)(std::string_view name);

    [[nodiscard]] std::string_view function(std::size_t step) const {
        return walk_->functions[steps_[step].function].name;
    }
    /// Whether a step is in a function, or in one inlined into it, whose name passes the test.
    [[nodiscard]] bool within(std::size_t step, Test test) const {
        return test(function(step)) || std::ranges::any_of(steps_[step].inlined, test);
    }
    [[nodiscard]] std::size_t first(Stretch where, Test test) const;
    [[nodiscard]] std::size_t left(std::size_t step, std::size_t end) const;
    [[nodiscard]] Stretch outside_stub() const;
    [[nodiscard]] bool jumped_to_function(std::size_t step) const;
    [[nodiscard]] std::size_t came_back(std::size_t begin) const;
    [[nodiscard]] std::size_t end_of_call(std::size_t begin, std::size_t end) const;

    Walk* walk_;
    std::span<Step> steps_;
};

/// The first step in `where` that passes, or its end.
std::size_t Phases::first(Stretch where, Test test) const {
    while (where.begin < where.end && !within(where.begin, test)) {
        ++where.begin;
    }
    return where.begin;
}

/// The first step behind this one with fewer open calls, or `end`.
std::size_t Phases::left(std::size_t step, std::size_t end) const {
    const std::uint32_t depth = steps_[step].depth;
    while (step < end && steps_[step].depth >= depth) {
        ++step;
    }
    return step;
}

/// Whether the stub jumped to a computed address in another function here, as the riscv64 kernel
/// does with the way back set by hand.
bool Phases::jumped_to_function(std::size_t step) const {
    const Step& from = steps_[step - 1];
    return from.kind.flow == Flow::jump && from.kind.indirect && from.depth == 0 &&
           walk_->visit_of[step] != walk_->visit_of[step - 1];
}

/// Where the stub goes on after what it called or jumped to at `begin`; `begin` where it never left
/// off: a return address that was overwritten (arm64's trampoline, a stuffed return stack) shows
/// that the call was none, and a jump that nothing returned from was one within the stub.
std::size_t Phases::came_back(std::size_t begin) const {
    if (steps_[begin].depth > 0) {
        const std::size_t end = left(begin, steps_.size());
        const bool back = end == steps_.size() || walk_->arrivals[end] == Arrival::returned;
        return back ? end : begin;
    }
    for (std::size_t step = begin + 1; step < steps_.size(); ++step) {
        if (walk_->arrivals[step] == Arrival::strayed && steps_[step - 1].depth == 0) {
            return step;
        }
    }
    return begin;
}

/// From where the stub first hands over to a function, to where it last takes over again.
Stretch Phases::outside_stub() const {
    if (!steps_.empty() && is_one_of(function(0), entered_without_stub)) {
        return {.begin = 0, .end = steps_.size()};
    }
    Stretch outside{.begin = steps_.size(), .end = steps_.size()};
    bool found = false;
    for (std::size_t step = 1; step < steps_.size(); ++step) {
        const bool called = walk_->arrivals[step] == Arrival::called && steps_[step].depth == 1;
        if ((!called && !jumped_to_function(step)) || is_one_of(function(step), stub_helpers)) {
            continue;
        }
        const std::size_t back = came_back(step);
        if (back == step) {
            continue;
        }
        outside = {.begin = found ? outside.begin : step, .end = back};
        found = true;
        step = back - 1;
    }
    return outside;
}

/// Where the system call's own function is left again. Inlined, it reaches to its last instruction
/// and through what that one calls.
std::size_t Phases::end_of_call(std::size_t begin, std::size_t end) const {
    const std::size_t limit = left(begin, end);
    if (is_call(function(begin))) {
        return limit;
    }
    std::size_t last = begin;
    for (std::size_t step = begin; step < limit; ++step) {
        if (walk_->visit_of[step] == walk_->visit_of[begin] && within(step, is_call)) {
            last = step;
        }
    }
    ++last;
    while (last < limit && steps_[last].depth > steps_[begin].depth) {
        ++last;
    }
    return last;
}

void Phases::set() {
    const Stretch outside = outside_stub();
    Stretch call{.begin = first(outside, is_call), .end = outside.end};
    // Without a call all of it is `inside`.
    std::array<std::size_t, phase_count> ends = {outside.begin, outside.begin, outside.begin,
                                                 outside.begin, outside.begin, outside.end,
                                                 steps_.size()};
    if (call.begin < outside.end) {
        call.end = end_of_call(call.begin, outside.end);
        const std::size_t dispatch =
            first({.begin = outside.begin, .end = call.begin}, is_dispatcher);
        ends = {outside.begin, dispatch,    call.begin,   call.end,
                outside.end,   outside.end, steps_.size()};
    }
    std::size_t step = 0;
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        for (; step < ends[phase]; ++step) {
            steps_[step].phase = static_cast<Phase>(phase);
        }
    }
}

}  // namespace

std::string_view name(Phase phase) {
    constexpr std::array<std::string_view, phase_count> names = {
        "stub", "enter", "dispatch", "call", "exit", "inside", "return"};
    return names[static_cast<std::size_t>(phase)];
}

bool is_told(const Anatomy& anatomy, Phase phase) {
    const bool call_is_known = counts_of(anatomy, Phase::inside).instructions == 0;
    switch (phase) {
        case Phase::stub:
        case Phase::ret:
            return true;
        case Phase::inside:
            return !call_is_known;
        case Phase::dispatch:
            return call_is_known && counts_of(anatomy, Phase::dispatch).instructions > 0;
        default:
            return call_is_known;
    }
}

std::vector<std::string> phase_sentences(const Anatomy& anatomy) {
    if (is_told(anatomy, Phase::inside)) {
        return {
            "Enter, dispatch, call and exit cannot be told apart, and are one phase, \"inside\": "
            "no function of the path is named as those of system calls are."};
    }
    if (!is_told(anatomy, Phase::dispatch) && is_told(anatomy, Phase::call)) {
        return {"The call is looked up by no function of its own: dispatch is a part of enter."};
    }
    return {};
}

void set_phases(Walk& walk) {
    Phases(walk).set();
}

}  // namespace kerntoll::lab::path
