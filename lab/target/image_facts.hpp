// SPDX-License-Identifier: MIT
// What a kernel image says of itself: its version and its build id, also where they lie inside a
// compressed payload.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/target/image_bytes.hpp"

namespace kerntoll::lab {

/// What was found; empty where the image does not say.
struct KernelFacts {
    std::string banner;    ///< "6.12.117 (user@host) (gcc …) #1 SMP …", one printable line
    std::string build_id;  ///< hex digits
};

/// The first word of a banner: uname -r.
[[nodiscard]] std::string release_of(std::string_view banner);

/// A text up to its end or to the first character that is not printable, at most 300 characters.
[[nodiscard]] std::string printable_line(Bytes bytes);

/// Looks into an unpacked kernel, flat or ELF: the "Linux version" banner, and the GNU build id
/// from its notes. A flat image has no headers to find its notes by, so it is searched for one;
/// notes of ELF files that are embedded in it (the vDSOs) do not count, and where several different
/// ones remain, none is taken.
[[nodiscard]] KernelFacts facts_of(Bytes kernel, std::endian order);

/// What lies compressed inside a self-unpacking kernel (x86 and s390x bzImage).
struct PayloadFacts {
    KernelFacts facts;
    bool truncated = false;  ///< a payload was found and ends before its stream does
};

/// Unpacks the payload of a self-unpacking kernel and looks into it. `payload` begins with the
/// stream or holds it somewhere; streams of kinds without a decoder give no facts.
[[nodiscard]] PayloadFacts payload_facts(Bytes payload, std::endian order);

}  // namespace kerntoll::lab
