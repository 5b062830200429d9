// SPDX-License-Identifier: MIT
#include "lab/target/image_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "lab/target/image_elf.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::string_view_literals;

/// The parts of a PE header that matter: every EFI kernel has one.
struct PortableExecutable {
    std::uint16_t machine = 0;
    std::uint64_t end = 0;  ///< of the last section in the file
};

// PE/COFF machine numbers.
constexpr std::uint16_t pe_riscv32 = 0x5032;
constexpr std::uint16_t pe_loongarch64 = 0x6264;

std::optional<PortableExecutable> read_pe(Bytes bytes) {
    const auto at = little_at<std::uint32_t>(bytes, 0x3c);
    if (!has_at(bytes, 0, "MZ") || !at || !has_at(bytes, *at, "PE\0\0"sv)) {
        return std::nullopt;
    }
    PortableExecutable file;
    file.machine = little_at<std::uint16_t>(bytes, *at + 4ULL).value_or(0);
    const std::uint16_t sections = little_at<std::uint16_t>(bytes, *at + 6ULL).value_or(0);
    const std::uint16_t optional_size = little_at<std::uint16_t>(bytes, *at + 20ULL).value_or(0);
    for (std::uint16_t i = 0; i < sections; ++i) {
        const std::uint64_t header = *at + 24ULL + optional_size + 40ULL * i;
        const std::uint64_t size = little_at<std::uint32_t>(bytes, header + 16).value_or(0);
        const std::uint64_t offset = little_at<std::uint32_t>(bytes, header + 20).value_or(0);
        file.end = std::max(file.end, size == 0 ? 0 : offset + size);
    }
    return file;
}

/// Flat images of arm64 and riscv64 say how much memory they need, .bss included, and in their PE
/// header, where there is one, how long the file is.
std::optional<SeenOther> flat_truncated(Bytes bytes) {
    if (const auto pe = read_pe(bytes); pe && pe->end > bytes.size()) {
        return truncated(pe->end, bytes.size());
    }
    // No kernel's .bss is seven eighths of it.
    const std::uint64_t in_memory = little_at<std::uint64_t>(bytes, 16).value_or(0);
    if (in_memory / 8 > bytes.size()) {
        return truncated(in_memory, bytes.size());
    }
    return std::nullopt;
}

Seen look_at_x86(Bytes bytes) {
    constexpr std::uint16_t protocol_of_3_8 = 0x20c;
    const std::uint16_t protocol = little_at<std::uint16_t>(bytes, 0x206).value_or(0);
    const std::uint16_t load_flags = little_at<std::uint16_t>(bytes, 0x236).value_or(0);
    if (protocol < protocol_of_3_8) {
        return SeenOther{"is an x86 kernel older than Linux 3.8, which kerntoll does not boot"};
    }
    if ((load_flags & 1U) == 0) {
        return SeenOther{"is a 32-bit x86 kernel; kerntoll measures x86_64"};
    }
    std::uint64_t setup_sectors = little_at<std::uint8_t>(bytes, 0x1f1).value_or(0);
    setup_sectors = setup_sectors == 0 ? 4 : setup_sectors;
    const std::uint64_t code_at = (setup_sectors + 1) * 512;
    const std::uint64_t code_size = 16ULL * little_at<std::uint32_t>(bytes, 0x1f4).value_or(0);
    // The size is given in units of 16 bytes, rounded up.
    if (code_at + code_size > bytes.size() + 15) {
        return truncated(code_at + code_size, bytes.size());
    }
    SeenKernel kernel{Arch::x86_64, ImageForm::x86_bzimage, {}};
    const auto payload =
        part_of(bytes, code_at + little_at<std::uint32_t>(bytes, 0x248).value_or(0),
                little_at<std::uint32_t>(bytes, 0x24c).value_or(0));
    if (payload) {
        kernel.facts = payload_facts(*payload, std::endian::little).facts;
    }
    const std::uint16_t version_at = little_at<std::uint16_t>(bytes, 0x20e).value_or(0);
    const auto version = part_of(bytes, 0x200ULL + version_at, 1);
    if (kernel.facts.banner.empty() && version_at != 0 && version) {
        kernel.facts.banner = printable_line(bytes.subspan(0x200ULL + version_at));
    }
    return kernel;
}

Seen look_at_arm64(Bytes bytes) {
    if ((little_at<std::uint64_t>(bytes, 24).value_or(0) & 1U) != 0) {
        return SeenOther{"is a big-endian arm64 kernel, which kerntoll does not boot"};
    }
    if (const auto cut = flat_truncated(bytes)) {
        return *cut;
    }
    return SeenKernel{Arch::arm64, ImageForm::arm64_image, facts_of(bytes, std::endian::little)};
}

Seen look_at_riscv(Bytes bytes) {
    if (const auto pe = read_pe(bytes); pe && pe->machine == pe_riscv32) {
        return SeenOther{"is a 32-bit riscv kernel; kerntoll measures riscv64"};
    }
    if (const auto cut = flat_truncated(bytes)) {
        return *cut;
    }
    return SeenKernel{Arch::riscv64, ImageForm::riscv_image, facts_of(bytes, std::endian::little)};
}

Seen look_at_loongarch(Bytes bytes) {
    const auto pe = read_pe(bytes);
    if (pe && pe->end > bytes.size()) {
        return truncated(pe->end, bytes.size());
    }
    return SeenKernel{Arch::loongarch64, ImageForm::loongarch_image,
                      facts_of(bytes, std::endian::little)};
}

constexpr std::uint64_t s390x_start = 0x10000;

/// arch/s390/boot/head.S: a boot record for punched cards, then the kernel's unpacker at 0x10000
/// with its parameter area at 0x10400, whose sixth field points at the version text.
Seen look_at_s390x(Bytes bytes) {
    const Bytes unpacker = bytes.subspan(s390x_start);
    const PayloadFacts payload = payload_facts(unpacker, std::endian::big);
    if (payload.truncated) {
        return SeenOther{"is truncated: the kernel packed in it ends too early"};
    }
    SeenKernel kernel{Arch::s390x, ImageForm::s390x_bzimage, payload.facts};
    const std::uint64_t version_at =
        number_at<std::uint64_t>(bytes, 0x10428, std::endian::big).value_or(0);
    if (kernel.facts.banner.empty() && version_at != 0 && part_of(bytes, version_at, 1)) {
        kernel.facts.banner = printable_line(bytes.subspan(version_at));
    }
    return kernel;
}

/// drivers/firmware/efi/libstub/zboot-header.S: payload's place, size and packing.
Seen look_at_zboot(Bytes bytes) {
    const std::uint64_t offset = little_at<std::uint32_t>(bytes, 8).value_or(0);
    const std::uint64_t size = little_at<std::uint32_t>(bytes, 12).value_or(0);
    const auto payload = part_of(bytes, offset, size);
    if (!payload) {
        return truncated(offset + size, bytes.size());
    }
    const auto type = part_of(bytes, 24, 32);
    const std::string stated = type ? printable_line(*type) : std::string{};
    const auto packing = packing_of(*payload);
    if (!packing) {
        return SeenOther{
            fmt::format("is an EFI zboot image packed with \"{}\", which kerntoll does "
                        "not unpack (it knows gzip, zstd, xz and lz4)",
                        stated)};
    }
    return SeenWrapped{fmt::format("EFI zboot ({})", name(*packing)),
                       fmt::format("an EFI zboot image ({})", name(*packing)), largest_unpacked,
                       [payload = *payload, packing = *packing] {
                           return unpack(payload, packing, largest_unpacked);
                       }};
}

bool is_loongarch(Bytes bytes) {
    constexpr std::uint32_t linux_pe_magic = 0x818223cd;
    const auto pe = read_pe(bytes);
    return pe && pe->machine == pe_loongarch64 &&
           little_at<std::uint32_t>(bytes, 0x38) == linux_pe_magic;
}

}  // namespace

SeenOther truncated(std::uint64_t announced, std::uint64_t present) {
    return {fmt::format("is truncated: its header announces {} bytes and the file has {}",
                        announced, present)};
}

Seen look_at(Bytes bytes) {
    if (has_at(bytes, 0x202, "HdrS") && has_at(bytes, 0x1fe, "\x55\xaa")) {
        return look_at_x86(bytes);
    }
    // zboot first: its header shares the EFI magic with LoongArch's.
    if (has_at(bytes, 0, "MZ") && has_at(bytes, 4, "zimg")) {
        return look_at_zboot(bytes);
    }
    if (has_at(bytes, 0x38, "ARM\x64")) {
        return look_at_arm64(bytes);
    }
    if (has_at(bytes, 0x38, "RSC\x05")) {
        return look_at_riscv(bytes);
    }
    if (is_loongarch(bytes)) {
        return look_at_loongarch(bytes);
    }
    if (has_at(bytes, s390x_start + 8, "S390EP")) {
        return look_at_s390x(bytes);
    }
    if (elf::is_elf(bytes)) {
        return look_at_elf(bytes);
    }
    if (const auto packing = packing_of(bytes)) {
        return SeenWrapped{
            std::string(name(*packing)), fmt::format("a {} file", name(*packing)), largest_unpacked,
            [bytes, packing = *packing] { return unpack(bytes, packing, largest_unpacked); }};
    }
    return SeenOther{describe_stranger(bytes)};
}

}  // namespace kerntoll::lab
