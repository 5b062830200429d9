// SPDX-License-Identifier: MIT
// The one translation unit that knows the policy: all that differs between variants.
#include "agent/arch.hpp"
#include "handlers.hpp"
#include "hosted/hooks.hpp"

namespace kerntoll::hosted {

namespace {

constexpr entry::Policy policy = entry::chosen_policy();

}  // namespace

void Hooks::call_by_switch(entry::Frame& frame, unsigned long number) {
    using agent::arch::Call;
    switch (static_cast<Call>(number)) {
#define KERNTOLL_CALL(name)                                 \
    case Call::name:                                        \
        entry::port::set_result(frame, calls::name(frame)); \
        return;
#include "hosted/calls.def"
        default:
            break;
    }
    if (number < calls::count) {
        entry::port::set_result(frame, calls::hand_on(frame));
    }
}

extern constinit const bool looks_at_work = policy.work == entry::WorkWords::full;

}  // namespace kerntoll::hosted

KERNTOLL_ENTRY_HANDLERS(kerntoll::hosted::policy, kerntoll::hosted::Hooks)
