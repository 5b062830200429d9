// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/user_copy.hpp"
#include "nano/variant.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// struct new_utsname.
struct SystemName {
    char system[65];
    char node[65];
    char release[65];
    char version[65];
    char machine[65];
    char domain[65];
};

/// Fills in what fits, and a zero at least.
template <size_t size>
void set(char (&field)[size], const char* text) {
    for (size_t i = 0; i + 1 < size && text[i] != '\0'; ++i) {
        field[i] = text[i];
    }
}

}  // namespace

long calls::uname(entry::Frame& frame) {
    SystemName name{};
    set(name.system, "kerntoll-nano");
    set(name.node, "nano");
    set(name.release, "1");
    set(name.version, variant);
    set(name.machine, arch::machine_name);
    return write_user(entry::argument(frame, 0), name) ? 0 : error::bad_address;
}

}  // namespace kerntoll::nano
