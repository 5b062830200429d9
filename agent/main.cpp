// SPDX-License-Identifier: MIT
// The agent's life: from the stack that the kernel made to the end of the process, or, as the first
// process of a machine, to power-off.
#include "agent/console.hpp"
#include "agent/kernel.hpp"
#include "agent/server.hpp"

// Freestanding: <new> is not there.
inline void* operator new(size_t /*size*/, void* place) noexcept {
    return place;
}

namespace kerntoll::agent {

namespace {

// Not on the stack, which is small; and made when the agent starts, since a server that the
// compiler initialises would be kilobytes of zeros in the program's file.
alignas(Server) unsigned char server_room[sizeof(Server)];

/// Walks over arguments and environment to the auxiliary vector.
Birth read_birth(const uintptr_t* stack) {
    constexpr uintptr_t page_size = 6;  // AT_PAGESZ
    constexpr uintptr_t user_id = 11;   // AT_UID
    const uintptr_t* word = stack + 1 + stack[0] + 1;
    while (*word != 0) {
        ++word;
    }
    Birth birth;
    for (++word; word[0] != 0; word += 2) {
        if (word[0] == page_size) {
            birth.page_size = word[1];
        } else if (word[0] == user_id) {
            birth.user_id = word[1];
        }
    }
    return birth;
}

/// A reader that went away shall be an error of write, not the end of the process.
void ignore_broken_pipes() {
    constexpr long broken_pipe = 13;  // SIGPIPE
    constexpr uintptr_t ignore = 1;   // SIG_IGN, the first word of every port's sigaction
    constexpr size_t signal_set_size = 8;
    const uintptr_t action[4] = {ignore, 0, 0, 0};
    kernel<Call::rt_sigaction>(broken_pipe, as_argument(action), 0, signal_set_size);
}

/// The kernel panics when its first process ends, so that one powers the machine off instead.
void power_off() {
    constexpr long magic_1 = 0xfee1dead;
    constexpr long magic_2 = 672274793;
    constexpr long off = 0x4321fedc;  // LINUX_REBOOT_CMD_POWER_OFF
    kernel<Call::reboot>(magic_1, magic_2, off, 0);
}

}  // namespace

extern "C" [[noreturn]] void kerntoll_agent_main(const uintptr_t* stack) {
    ignore_broken_pipes();
    open_console();
    auto* const server = new (server_room) Server;
    server->serve(read_birth(stack));
    drain_console();
    if (process_id() == 1) {
        power_off();
    }
    exit_process(0);
}

}  // namespace kerntoll::agent
