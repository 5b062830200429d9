// SPDX-License-Identifier: MIT
// The one translation unit that knows the policy: with stub.S all that differs between variants.
#include "handlers.hpp"
#include "nano/hooks.hpp"

namespace kerntoll::nano {

namespace {

constexpr entry::Policy policy = entry::chosen_policy();

}  // namespace

bool Hooks::call_by_switch(entry::Frame& frame, unsigned long number) {
    switch (static_cast<arch::Number>(number)) {
#define KERNTOLL_CALL(name)                                 \
    case arch::Number::name:                                \
        entry::port::set_result(frame, calls::name(frame)); \
        return true;
#include "nano/calls/table.def"
        default:
            return false;
    }
}

/// What `uname -v` says: the choices that are not the defaults.
extern constinit const char variant[] = KERNTOLL_NANO_VARIANT;

}  // namespace kerntoll::nano

KERNTOLL_ENTRY_HANDLERS(kerntoll::nano::policy, kerntoll::nano::Hooks)
