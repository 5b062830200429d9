// SPDX-License-Identifier: MIT
// What the agent itself needs of the kernel's interface: structures and constants that are the same
// on all five architectures, and typed calls. Every call returns what the kernel returned: a
// result, or a negative error number.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/arch.hpp"
#include "agent/trap.hpp"
#include "wire/text.hpp"

namespace kerntoll::agent {

using arch::Call;

namespace error {
inline constexpr long no_permission = 1;
inline constexpr long no_entry = 2;
inline constexpr long interrupted = 4;
inline constexpr long no_address = 6;  // ENXIO
inline constexpr long bad_descriptor = 9;
inline constexpr long try_again = 11;
inline constexpr long no_memory = 12;
inline constexpr long access_denied = 13;
inline constexpr long busy = 16;
inline constexpr long exists = 17;
inline constexpr long not_directory = 20;
inline constexpr long invalid = 22;
inline constexpr long too_many_files = 24;
inline constexpr long no_call = 38;
}  // namespace error

inline constexpr long at_working_directory = -100;

namespace open_flag {
inline constexpr long read_only = 0;
inline constexpr long write_only = 1;
inline constexpr long read_write = 2;
inline constexpr long create = 0100;
inline constexpr long exclusive = 0200;
}  // namespace open_flag

enum class Whence : long { set = 0, current = 1, end = 2, data = 3, hole = 4 };

enum class ClockId : long { monotonic = 1 };

struct TimeSpec {
    int64_t seconds;
    int64_t nanoseconds;
};

/// The first two fields of struct stat, which all 64-bit ports share, and room for the rest.
struct FileStatus {
    uint64_t device;
    uint64_t inode;
    unsigned char rest[240];
};

/// struct new_utsname.
struct SystemName {
    char system[65];
    char node[65];
    char release[65];
    char version[65];
    char machine[65];
    char domain[65];
};

[[gnu::always_inline]] inline long as_argument(const void* pointer) {
    return reinterpret_cast<long>(pointer);
}

/// A real call, for the agent's own purposes.
template <Call number, class... Arguments>
[[gnu::always_inline]] inline long kernel(Arguments... arguments) {
    return arch::call<Trap::real, number>(static_cast<long>(arguments)...);
}

inline long read_some(long descriptor, void* bytes, size_t size) {
    return kernel<Call::read>(descriptor, as_argument(bytes), size);
}
inline long write_some(long descriptor, const void* bytes, size_t size) {
    return kernel<Call::write>(descriptor, as_argument(bytes), size);
}
inline long open_file(const char* path, long flags) {
    constexpr long owner_only = 0600;  // matters with open_flag::create alone
    return kernel<Call::openat>(at_working_directory, as_argument(path), flags, owner_only);
}
inline long close_file(long descriptor) {
    return kernel<Call::close>(descriptor);
}
inline long seek(long descriptor, long offset, Whence whence) {
    return kernel<Call::lseek>(descriptor, offset, static_cast<long>(whence));
}
inline long process_id() {
    return kernel<Call::getpid>();
}
inline long read_clock(TimeSpec& time) {
    return kernel<Call::clock_gettime>(static_cast<long>(ClockId::monotonic), as_argument(&time));
}

/// Seconds and nanoseconds as one number of nanoseconds.
constexpr uint64_t in_nanoseconds(const TimeSpec& time) {
    return static_cast<uint64_t>(time.seconds) * 1'000'000'000U +
           static_cast<uint64_t>(time.nanoseconds);
}

/// Ends the process.
[[noreturn]] inline void exit_process(long status) {
    for (;;) {
        kernel<Call::exit_group>(status);
    }
}

}  // namespace kerntoll::agent
