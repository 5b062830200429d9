// SPDX-License-Identifier: MIT
#include "lab/target/image_unpack.hpp"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

namespace kerntoll::lab {
namespace {

// Linux packs kernels with a dictionary of 128 MiB (scripts/xz_wrap.sh), of which only what the
// kernel fills is ever touched; a header that asks for more lies.
constexpr std::uint64_t xz_memory_limit = 192ULL << 20U;
constexpr std::size_t chunk_size = 256U << 10U;
// zlib counts its input in 32 bits.
constexpr std::size_t input_step = 1U << 30U;

struct Signature {
    Packing packing;
    std::string_view bytes;
};
using namespace std::string_view_literals;
constexpr std::array signatures = {
    Signature{Packing::gzip, "\x1f\x8b\x08"sv},    Signature{Packing::zstd, "\x28\xb5\x2f\xfd"sv},
    Signature{Packing::xz, "\xfd\x37zXZ\0"sv},     Signature{Packing::bzip2, "BZh"sv},
    Signature{Packing::lzma, "\x5d\0\0"sv},        Signature{Packing::lzo, "\x89LZO\0\r\n\x1a\n"sv},
    Signature{Packing::lz4, "\x02\x21\x4c\x18"sv},  // the legacy frame, which Linux uses
};

/// Where a decoder's output goes: a file in memory that refuses to grow beyond the limit.
class Output {
public:
    Output(MemoryFile file, std::uint64_t limit) : file_(std::move(file)), limit_(limit) {}

    [[nodiscard]] std::span<std::byte> room() { return buffer_; }

    /// Takes the first `count` bytes of room().
    [[nodiscard]] std::optional<UnpackFault> take(std::size_t count) {
        return take(std::span(buffer_).first(count));
    }
    [[nodiscard]] std::optional<UnpackFault> take(Bytes bytes) {
        if (bytes.size() > limit_ - file_.size()) {
            return UnpackFault::too_large;
        }
        if (!file_.append(bytes)) {
            return UnpackFault::environment;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t size() const { return file_.size(); }
    [[nodiscard]] MemoryFile& file() { return file_; }

private:
    MemoryFile file_;
    std::uint64_t limit_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(chunk_size);
};

// Each decoder returns nothing when it reached the end of the stream.

std::optional<UnpackFault> unpack_gzip(Bytes bytes, Output& output) {
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        return UnpackFault::environment;
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    for (;;) {
        if (stream.avail_in == 0) {
            const std::size_t step = std::min(bytes.size(), input_step);
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
            stream.avail_in = static_cast<uInt>(step);
            bytes = bytes.subspan(step);
        }
        const auto room = output.room();
        stream.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.avail_out = static_cast<uInt>(room.size());
        const int code = inflate(&stream, Z_NO_FLUSH);
        if (const auto fault = output.take(room.size() - stream.avail_out)) {
            return fault;
        }
        if (code == Z_STREAM_END) {
            return std::nullopt;
        }
        if (code == Z_BUF_ERROR && stream.avail_in == 0 && bytes.empty()) {
            return UnpackFault::truncated;
        }
        if (code != Z_OK && code != Z_BUF_ERROR) {
            return code == Z_MEM_ERROR ? UnpackFault::environment : UnpackFault::corrupt;
        }
    }
}

std::optional<UnpackFault> unpack_zstd(Bytes bytes, Output& output) {
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                          ZSTD_freeDCtx);
    if (!context) {
        return UnpackFault::environment;
    }
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
        const auto room = output.room();
        ZSTD_outBuffer out{room.data(), room.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
        if (const auto fault = output.take(out.pos)) {
            return fault;
        }
        if (ZSTD_isError(left) != 0) {
            return UnpackFault::corrupt;
        }
        if (left == 0) {
            return std::nullopt;
        }
        if (in.pos == in.size && out.pos < out.size) {
            return UnpackFault::truncated;
        }
    }
}

std::optional<UnpackFault> unpack_xz(Bytes bytes, Output& output) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, xz_memory_limit, 0) != LZMA_OK) {
        return UnpackFault::environment;
    }
    const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
    stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream.avail_in = bytes.size();
    for (;;) {
        const auto room = output.room();
        stream.next_out = reinterpret_cast<std::uint8_t*>(room.data());
        stream.avail_out = room.size();
        const lzma_ret code = lzma_code(&stream, LZMA_RUN);
        if (const auto fault = output.take(room.size() - stream.avail_out)) {
            return fault;
        }
        if (code == LZMA_STREAM_END) {
            return std::nullopt;
        }
        if (code == LZMA_BUF_ERROR) {
            return UnpackFault::truncated;
        }
        if (code != LZMA_OK) {
            return code == LZMA_MEM_ERROR ? UnpackFault::environment : UnpackFault::corrupt;
        }
    }
}

/// lz4's legacy frame: blocks of at most 8 MiB, each behind its packed size; only the last one is
/// shorter. Linux writes the size of the whole behind it.
std::optional<UnpackFault> unpack_lz4(Bytes bytes, Output& output) {
    constexpr std::size_t magic_size = 4;
    constexpr std::size_t block_size = 8U << 20U;
    std::vector<std::byte> block(block_size);
    std::uint64_t at = magic_size;
    while (at < bytes.size()) {
        const auto packed_size = little_at<std::uint32_t>(bytes, at);
        if (packed_size == output.size() && at + magic_size == bytes.size()) {
            return std::nullopt;
        }
        if (packed_size > static_cast<std::uint32_t>(LZ4_compressBound(block_size))) {
            return UnpackFault::corrupt;
        }
        const auto packed = packed_size ? part_of(bytes, at + 4, *packed_size) : std::nullopt;
        if (!packed) {
            return UnpackFault::truncated;
        }
        const int size = LZ4_decompress_safe(
            reinterpret_cast<const char*>(packed->data()), reinterpret_cast<char*>(block.data()),
            static_cast<int>(packed->size()), static_cast<int>(block.size()));
        if (size <= 0) {
            return UnpackFault::corrupt;
        }
        const auto length = static_cast<std::size_t>(size);
        if (const auto fault = output.take(std::span(block).first(length))) {
            return fault;
        }
        if (length < block_size) {
            return std::nullopt;
        }
        at += 4 + packed->size();
    }
    return output.size() > 0 ? std::nullopt : std::optional(UnpackFault::truncated);
}

}  // namespace

std::string_view name(Packing packing) {
    switch (packing) {
        case Packing::gzip:
            return "gzip";
        case Packing::zstd:
            return "zstd";
        case Packing::xz:
            return "xz";
        case Packing::bzip2:
            return "bzip2";
        case Packing::lzma:
            return "lzma";
        case Packing::lzo:
            return "lzo";
        case Packing::lz4:
            return "lz4";
    }
    std::unreachable();
}

std::optional<Packing> packing_of(Bytes bytes) {
    for (const Signature& signature : signatures) {
        if (has_at(bytes, 0, signature.bytes)) {
            return signature.packing;
        }
    }
    return std::nullopt;
}

std::expected<MemoryFile, UnpackError> unpack(Bytes bytes, Packing packing, std::uint64_t limit) {
    auto file = MemoryFile::create("kerntoll-kernel");
    if (!file) {
        return std::unexpected(UnpackError{UnpackFault::environment});
    }
    Output output(std::move(*file), limit);
    std::optional<UnpackFault> fault = UnpackFault::unsupported;
    if (packing == Packing::gzip) {
        fault = unpack_gzip(bytes, output);
    } else if (packing == Packing::zstd) {
        fault = unpack_zstd(bytes, output);
    } else if (packing == Packing::xz) {
        fault = unpack_xz(bytes, output);
    } else if (packing == Packing::lz4) {
        fault = unpack_lz4(bytes, output);
    }
    if (fault) {
        return std::unexpected(UnpackError{*fault, output.size()});
    }
    return std::move(output.file());
}

}  // namespace kerntoll::lab
