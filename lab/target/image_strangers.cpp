// SPDX-License-Identifier: MIT
// ELF files, which may be anything, and words for what users give by mistake.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lab/target/image_elf.hpp"
#include "lab/target/image_forms.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::string_view_literals;

// ELF's e_machine.
constexpr std::uint16_t machine_s390 = 22;
constexpr std::uint16_t machine_x86_64 = 62;
constexpr std::uint16_t machine_arm64 = 183;
constexpr std::uint16_t machine_riscv = 243;
constexpr std::uint16_t machine_loongarch = 258;

// Two segments can lie apart as far as their headers like; what runs of a kernel is far smaller.
constexpr std::uint64_t largest_flat = 256ULL << 20U;

/// The note by which an x86 kernel tells QEMU its 32-bit entry (Xen's PVH,
/// XEN_ELFNOTE_PHYS32_ENTRY).
bool has_pvh_entry(Bytes bytes, const elf::File& file) {
    constexpr std::uint32_t physical_32_entry = 18;
    return file.machine == machine_x86_64 &&
           elf::note(bytes, file, "Xen", physical_32_entry).has_value();
}

bool is_kernel(Bytes bytes, const elf::File& file, const KernelFacts& facts) {
    const bool has_interpreter = std::ranges::any_of(
        file.segments,
        [](const elf::Segment& segment) { return segment.type == elf::segment_interpreter; });
    const bool runs_high = (file.entry >> 63U) != 0;
    return !has_interpreter && (runs_high || !facts.banner.empty() || has_pvh_entry(bytes, file));
}

Seen look_at_vmlinux(Bytes bytes, elf::File file, KernelFacts facts) {
    switch (file.machine) {
        case machine_x86_64:
            if (!has_pvh_entry(bytes, file)) {
                return SeenOther{
                    "is an x86_64 vmlinux without CONFIG_PVH, which QEMU does not "
                    "boot; give the bzImage of the same build"};
            }
            return SeenKernel{Arch::x86_64, ImageForm::elf, std::move(facts)};
        case machine_loongarch:
            return SeenKernel{Arch::loongarch64, ImageForm::elf, std::move(facts)};
        case machine_s390: {
            // Only the unpacker's own ELF file starts where QEMU looks for Linux.
            constexpr std::uint64_t unpacker_entry = 0x10000;
            if (file.entry != unpacker_entry) {
                return SeenOther{
                    "is an s390x vmlinux, which only its own unpacker boots; give the "
                    "bzImage of the same build"};
            }
            return SeenKernel{Arch::s390x, ImageForm::elf, std::move(facts)};
        }
        case machine_arm64:
        case machine_riscv:
            // QEMU would enter these at a virtual address; the Image inside is what boots.
            return SeenWrapped{
                "ELF vmlinux", "an ELF vmlinux", largest_flat,
                [bytes, file = std::move(file)]() -> std::expected<MemoryFile, UnpackError> {
                    auto flat = elf::flatten(bytes, file, largest_flat);
                    if (!flat) {
                        return std::unexpected(UnpackError{UnpackFault::too_large});
                    }
                    return std::move(*flat);
                }};
        default:
            return SeenOther{fmt::format("is a kernel for {}, which kerntoll does not know",
                                         elf::machine_name(file.machine))};
    }
}

struct Stranger {
    std::uint64_t offset;
    std::string_view signature;
    std::string_view finding;
};
constexpr std::array strangers = {
    Stranger{0, "#!", "is a script"},
    Stranger{0, "!<arch>\ndebian-binary",
             "is a Debian package; unpack it with dpkg-deb -x and give its boot/vmlinuz-VERSION"},
    Stranger{0, "!<arch>\n", "is a library archive"},
    Stranger{0, "\xed\xab\xee\xdb", "is an RPM package; unpack it and give its vmlinuz"},
    Stranger{0, "070701", "is a cpio archive (an initramfs?)"},
    Stranger{257, "ustar", "is a tar archive"},
    Stranger{0, "PK\x03\x04", "is a zip archive"},
    Stranger{0, "\x04\x22\x4d\x18", "is an lz4 file in a frame that Linux does not use; unpack it"},
    Stranger{0, "hsqs", "is a squashfs file system"},
    Stranger{0, "QFI\xfb", "is a disk image (qcow2)"},
    Stranger{0, "\x27\x05\x19\x56", "is a U-Boot image; give the Image that it was made of"},
    Stranger{0, "\xd0\x0d\xfe\xed", "is a device tree or a FIT image"},
    Stranger{0, "\x00\x08\x00\x00\x80\x00\x02\x00"sv,
             "is a truncated s390x kernel: it ends before its unpacker"},
    Stranger{0, "MZ", "is an EFI or Windows program without a Linux boot header"},
    Stranger{0x1fe, "\x55\xaa", "is a disk image or a boot sector without a Linux boot header"},
};

}  // namespace

Seen look_at_elf(Bytes bytes) {
    constexpr std::uint8_t class_32 = 1;
    if (little_at<std::uint8_t>(bytes, 4) == class_32) {
        return SeenOther{"is a 32-bit ELF file"};
    }
    auto file = elf::read(bytes);
    if (!file) {
        return SeenOther{"is truncated or damaged: its ELF headers lie beyond its end"};
    }
    const std::string machine = elf::machine_name(file->machine);
    if (file->kind == elf::Kind::relocatable) {
        return SeenOther{fmt::format("is an object file or kernel module for {}", machine)};
    }
    if (file->kind == elf::Kind::core) {
        return SeenOther{fmt::format("is a core dump of a program for {}", machine)};
    }
    if (file->header_end > bytes.size()) {
        return truncated(file->header_end, bytes.size());
    }
    KernelFacts facts = facts_of(bytes, file->order);
    if (!is_kernel(bytes, *file, facts)) {
        return SeenOther{fmt::format("is an ELF program for {}, not a kernel", machine)};
    }
    return look_at_vmlinux(bytes, std::move(*file), std::move(facts));
}

std::string describe_stranger(Bytes bytes) {
    for (const Stranger& stranger : strangers) {
        if (has_at(bytes, stranger.offset, stranger.signature)) {
            return std::string(stranger.finding);
        }
    }
    const Bytes start = bytes.first(std::min<std::size_t>(bytes.size(), 256));
    const bool is_text = std::ranges::all_of(text_of(start), [](char character) {
        return (character >= 0x20 && character <= 0x7e) || character == '\n' || character == '\r' ||
               character == '\t';
    });
    if (is_text) {
        return "is a text file";
    }
    std::string finding = "is of an unknown kind (it begins with";
    for (const std::byte byte : start.first(std::min<std::size_t>(start.size(), 8))) {
        finding += fmt::format(" {:02x}", std::to_integer<unsigned>(byte));
    }
    return finding + ")";
}

}  // namespace kerntoll::lab
