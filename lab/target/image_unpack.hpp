// SPDX-License-Identifier: MIT
// Compressed kernels: telling how one is packed, and unpacking it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "lab/target/image_bytes.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab {

enum class Packing { gzip, zstd, xz, bzip2, lzma, lzo, lz4 };
[[nodiscard]] std::string_view name(Packing packing);

/// No kernel is larger, its debug information included.
inline constexpr std::uint64_t largest_unpacked = 1ULL << 30U;

/// How these bytes are packed, by their first bytes; nothing where they are not.
[[nodiscard]] std::optional<Packing> packing_of(Bytes bytes);

/// Why something could not be unpacked.
enum class UnpackFault {
    truncated,    ///< the stream is sound as far as it goes, and ends too early
    corrupt,      ///< not a stream of this kind, or damaged
    too_large,    ///< more than `limit` bytes come out
    unsupported,  ///< kerntoll has no decoder for it
    environment,  ///< no memory for the result
};

/// What a broken stream gave before it broke.
struct UnpackError {
    UnpackFault fault = UnpackFault::corrupt;
    std::uint64_t unpacked = 0;  ///< bytes that came out before
};

/// Unpacks the first stream in `bytes` (what follows it is ignored, as the kernel's own decoders
/// do) into a file in memory. At most `limit` bytes come out, whatever the stream claims.
[[nodiscard]] std::expected<MemoryFile, UnpackError> unpack(Bytes bytes, Packing packing,
                                                            std::uint64_t limit);

}  // namespace kerntoll::lab
