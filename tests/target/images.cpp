// SPDX-License-Identifier: MIT
#include "tests/target/images.hpp"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <random>
#include <stdexcept>

#include "lab/target/image_bytes.hpp"

namespace kerntoll::lab::images {
namespace {

using namespace std::string_literals;

void pad(std::string& bytes, std::size_t to) {
    bytes.append((to - bytes.size() % to) % to, '\0');
}

std::string pack_gzip(std::string_view content) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, content.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// With a checksum, as the zstd program writes it and the library by itself does not.
std::string pack_zstd(std::string_view content) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::string packed(ZSTD_compressBound(content.size()), '\0');
    packed.resize(
        ZSTD_compress2(context, packed.data(), packed.size(), content.data(), content.size()));
    ZSTD_freeCCtx(context);
    return packed;
}

std::string pack_xz(std::string_view content) {
    std::string packed(lzma_stream_buffer_bound(content.size()), '\0');
    std::size_t size = 0;
    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr,
                            reinterpret_cast<const std::uint8_t*>(content.data()), content.size(),
                            reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
    packed.resize(size);
    return packed;
}

/// As Linux packs its kernels: the legacy frame, and the size of the whole behind it.
std::string pack_lz4(std::string_view content) {
    constexpr std::size_t block_size = 8U << 20U;
    std::string packed = "\x02\x21\x4c\x18";
    for (std::size_t at = 0; at < content.size(); at += block_size) {
        const std::string_view block = content.substr(at, block_size);
        std::string bytes(static_cast<std::size_t>(LZ4_compressBound(block_size)), '\0');
        const int size =
            LZ4_compress_default(block.data(), bytes.data(), static_cast<int>(block.size()),
                                 static_cast<int>(bytes.size()));
        put(packed, packed.size(), static_cast<std::uint64_t>(size), 4);
        packed += bytes.substr(0, static_cast<std::size_t>(size));
    }
    put(packed, packed.size(), content.size(), 4);
    return packed;
}

/// A PE header with one section that reaches to the file's end.
void put_pe(std::string& bytes, std::uint16_t machine) {
    put(bytes, 0, "MZ");
    put(bytes, 0x3c, 0x40, 4);
    put(bytes, 0x40, "PE\0\0"s);
    put(bytes, 0x44, machine, 2);
    put(bytes, 0x46, 1, 2);
    constexpr std::size_t section = 0x40 + 24;
    put(bytes, section + 16, bytes.size() - 0x200, 4);
    put(bytes, section + 20, 0x200, 4);
}

}  // namespace

void put(std::string& bytes, std::size_t offset, std::uint64_t value, std::size_t size,
         Order order) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t byte = order == Order::little ? i : size - 1 - i;
        text += static_cast<char>(value >> (8 * byte) & 0xffU);
    }
    put(bytes, offset, text);
}

void put(std::string& bytes, std::size_t offset, std::string_view text) {
    if (bytes.size() < offset + text.size()) {
        bytes.resize(offset + text.size());
    }
    bytes.replace(offset, text.size(), text);
}

std::string noise(std::size_t size) {
    std::mt19937 random(1);
    std::string text(size, '\0');
    for (char& character : text) {
        character = static_cast<char>(random() & 0xffU);
    }
    return text;
}

std::string pack(Packing packing, std::string_view content) {
    switch (packing) {
        case Packing::gzip:
            return pack_gzip(content);
        case Packing::zstd:
            return pack_zstd(content);
        case Packing::xz:
            return pack_xz(content);
        case Packing::lz4:
            return pack_lz4(content);
        default:
            throw std::invalid_argument("the tests pack what kerntoll unpacks");
    }
}

std::string note(std::string_view owner, std::uint32_t type, std::string_view content,
                 Order order) {
    std::string bytes;
    put(bytes, 0, owner.size() + 1, 4, order);
    put(bytes, 4, content.size(), 4, order);
    put(bytes, 8, type, 4, order);
    bytes += owner;
    bytes += '\0';
    pad(bytes, 4);
    bytes += content;
    pad(bytes, 4);
    return bytes;
}

std::string build_id_note(char digit, Order order) {
    return note("GNU", 3, std::string(20, digit), order);
}

std::string elf(const ElfPlan& plan) {
    std::string bytes =
        "\x7f"
        "ELF"s;
    bytes += '\2';
    bytes += plan.order == Order::little ? '\1' : '\2';
    bytes.resize(64 + 56 * plan.segments.size());
    const auto field = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
        put(bytes, offset, value, size, plan.order);
    };
    field(16, plan.kind, 2);
    field(18, plan.machine, 2);
    field(24, plan.entry, 8);
    field(32, 64, 8);
    field(54, 56, 2);
    field(56, plan.segments.size(), 2);
    std::size_t header = 64;
    for (const ElfSegment& segment : plan.segments) {
        field(header, segment.type, 4);
        field(header + 8, bytes.size(), 8);
        field(header + 16, segment.physical, 8);
        field(header + 24, segment.physical, 8);
        field(header + 32, segment.content.size(), 8);
        field(header + 40, segment.content.size(), 8);
        bytes += segment.content;
        header += 56;
    }
    return bytes;
}

std::string kernel_content(Order order) {
    std::string content = "Linux version %s\n"s;
    content += "Linux version "s + banner + "\n";
    pad(content, 4);
    content += build_id_note('a', order);
    content += noise(100'000);
    return content;
}

std::string x86_bzimage(std::string_view payload, std::string_view version) {
    std::string bytes(1024, '\0');  // one boot sector and one of setup
    put(bytes, 0x1f1, 1, 1);
    put(bytes, 0x1f4, (payload.size() + 16 + 15) / 16, 4);
    put(bytes, 0x1fe, "\x55\xaa");
    put(bytes, 0x202, "HdrS");
    put(bytes, 0x206, 0x20f, 2);
    put(bytes, 0x20e, 0x100, 2);
    put(bytes, 0x236, 1, 2);
    put(bytes, 0x248, 16, 4);
    put(bytes, 0x24c, payload.size(), 4);
    put(bytes, 0x300, version);
    bytes.append(16, '\x90');
    bytes += payload;
    pad(bytes, 16);
    return bytes;
}

std::string arm64_image(std::string_view content) {
    std::string bytes(0x400, '\0');
    bytes += content;
    put(bytes, 16, bytes.size() + 4096, 8);
    put(bytes, 24, 0xa, 8);
    put(bytes, 0x38, "ARM\x64");
    return bytes;
}

std::string riscv_image(std::string_view content) {
    std::string bytes(0x400, '\0');
    bytes += content;
    put(bytes, 16, bytes.size() + 4096, 8);
    put_pe(bytes, 0x5064);
    put(bytes, 0x30, "RISCV");
    put(bytes, 0x38, "RSC\x05");
    return bytes;
}

std::string loongarch_image(std::string_view content) {
    std::string bytes(0x400, '\0');
    bytes += content;
    put_pe(bytes, 0x6264);
    put(bytes, 0x38, 0x818223cd, 4);
    return bytes;
}

std::string s390x_bzimage(std::string_view payload, std::string_view version) {
    std::string bytes(0x12000, '\0');
    put(bytes, 0x10008, "S390EP");
    put(bytes, 0x10428, 0x11000, 8, Order::big);
    put(bytes, 0x11000, version);
    bytes += payload;
    return bytes;
}

std::string zboot(std::string_view payload, std::string_view packing) {
    std::string bytes(0x1000, '\0');
    bytes += payload;
    put_pe(bytes, 0xaa64);
    put(bytes, 4, "zimg");
    put(bytes, 8, 0x1000, 4);
    put(bytes, 12, payload.size(), 4);
    put(bytes, 24, packing);
    put(bytes, 0x38, 0x818223cd, 4);
    return bytes;
}

Result<Image> read_bytes(std::string_view bytes) {
    auto file = MemoryFile::holding("test", bytes);
    return file ? read_image(std::move(*file), "given") : std::unexpected(file.error());
}

std::string complaint(std::string_view bytes) {
    const auto image = read_bytes(bytes);
    if (image) {
        return "read as " + image->description();
    }
    if (image.error().fault != Fault::usage) {
        return "not a usage fault: " + image.error().message;
    }
    return image.error().message;
}

std::string bytes_of(const MemoryFile& file) {
    const auto mapped = MappedFile::map(file);
    return mapped ? std::string(text_of(mapped->bytes())) : std::string{};
}

}  // namespace kerntoll::lab::images
