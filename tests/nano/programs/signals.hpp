// SPDX-License-Identifier: MIT
// Signals, for programs. rt_sigreturn is asked for by the kernel's own instructions, or by those
// that the port's restorer has.
#pragma once

#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

using Handler = void (*)(int number, void* info, void* context);

inline constexpr uint64_t with_info = 4;
inline constexpr uint64_t restart = 0x10000000;
inline constexpr uint64_t not_blocked = 0x40000000;

inline long handle(int number, Handler handler, uint64_t flags = with_info, uint64_t mask = 0) {
    const auto address = reinterpret_cast<uintptr_t>(handler);
#ifdef KERNTOLL_HAS_RESTORER
    const uintptr_t action[4] = {address, flags | 0x4000000,
                                 reinterpret_cast<uintptr_t>(kerntoll_restorer), mask};
#else
    const uintptr_t action[3] = {address, flags, mask};
#endif
    return kernel<Call::rt_sigaction>(number, agent::as_argument(action), 0, 8);
}

}  // namespace kerntoll::programs
