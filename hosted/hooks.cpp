// SPDX-License-Identifier: MIT
#include "hosted/hooks.hpp"

#include "agent/arch.hpp"
#include "gate.hpp"

namespace kerntoll::hosted {

constinit uint64_t traced = 0;

void Hooks::tracepoint_enter(entry::Frame&, entry::Thread&, long) {
    ++traced;
}

// Not by the agent's own functions, whose calls take the path that is at fault.
void Hooks::state_fault(entry::Frame&, const char* what) {
    using agent::arch::Call;
    constexpr uintptr_t standard_error = 2;
    constexpr uintptr_t aborted = 134;
    uintptr_t size = 0;
    while (what[size] != '\0') {
        ++size;
    }
    const auto write = [](const char* text, uintptr_t length) {
        ask_kernel(static_cast<long>(Call::write),
                   {standard_error, reinterpret_cast<uintptr_t>(text), length});
    };
    constexpr char begin[] = "hosted entry path: ";
    write(begin, sizeof begin - 1);
    write(what, size);
    write("\n", 1);
    ask_kernel(static_cast<long>(Call::exit_group), {aborted});
}

}  // namespace kerntoll::hosted
