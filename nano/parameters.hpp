// SPDX-License-Identifier: MIT
// The parameter block: what whoever starts nano tells it. It lies at a fixed physical address of
// each port (nano/arch/<arch>/places.hpp), in the byte order of the machine, and is placed there,
// like the agent, by QEMU's generic loader device. nano believes nothing of it that it has not
// checked. Freestanding; the lab includes it too.
#pragma once

#include <stdint.h>

namespace kerntoll::nano {

/// Work that nano turns on before the first task runs. Bits of Parameters::switches.
enum class Switch : uint32_t {
    tracer = 1U << 0U,   ///< the built-in tracer looks at every call (syscall_work/tracer.cpp)
    seccomp = 1U << 1U,  ///< a filter that loads an argument and allows (syscall_work/seccomp.cpp)
    tracepoint = 1U << 2U,     ///< calls are recorded in a ring (syscall_work/tracepoint.cpp)
    audit = 1U << 3U,          ///< calls are counted by their outcome (syscall_work/audit.cpp)
    user_dispatch = 1U << 4U,  ///< armed, for no address (syscall_work/user_dispatch.cpp)
    report = 1U << 5U,         ///< what the above counted is printed at power-off
    sleepless = 1U << 6U,      ///< the machine never rests: for emulators whose time stands then
};

/// All bits that have a meaning.
inline constexpr uint32_t all_switches = (1U << 7U) - 1U;

struct Parameters {
    static constexpr uint64_t right_magic = 0x4b544e414e4f5031;  // "KTNANOP1"
    static constexpr uint32_t right_version = 1;

    uint64_t magic = right_magic;
    uint32_t version = right_version;
    uint32_t size = sizeof(Parameters);  ///< of this block
    uint64_t program_size = 0;           ///< of the first program's ELF file, in bytes
    uint32_t switches = 0;
    uint32_t zero = 0;
    /// With Switch::tracer: a call of number `traced_call` is made one of `replaced_by`, or is
    /// skipped where that is -1. Both 0: the tracer only looks.
    int64_t traced_call = 0;
    int64_t replaced_by = 0;
};
static_assert(sizeof(Parameters) == 48, "the block has no padding, or compilers may differ");

}  // namespace kerntoll::nano
