// SPDX-License-Identifier: MIT
// The one translation unit that knows the policy: with stub.S all that differs between variants.
#include "handlers.hpp"
#include "nano/hooks.hpp"

namespace kerntoll::nano {

namespace {

constexpr entry::Policy policy = entry::chosen_policy();

}  // namespace

void Hooks::call_by_switch(entry::Frame& frame, unsigned long number) {
    switch (static_cast<calls::Number>(number)) {
#define KERNTOLL_CALL(name, ...)                            \
    case calls::Number::name:                               \
        entry::port::set_result(frame, calls::name(frame)); \
        break;
#include "nano/calls/table.def"
        default:
            break;
    }
}

/// What `uname -v` says: the choices that are not the defaults.
extern constinit const char variant[] = KERNTOLL_NANO_VARIANT;

}  // namespace kerntoll::nano

KERNTOLL_ENTRY_HANDLERS(kerntoll::nano::policy, kerntoll::nano::Hooks)
