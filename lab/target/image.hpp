// SPDX-License-Identifier: MIT
// Kernel images: what a file is, told from its content and never from its name, and the bytes of it
// that QEMU boots.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/image_unpack.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// The forms that a kernel can have once it is unpacked.
enum class ImageForm {
    x86_bzimage,      ///< Documentation/arch/x86/boot.rst
    arm64_image,      ///< Documentation/arch/arm64/booting.rst
    riscv_image,      ///< Documentation/arch/riscv/boot-image-header.rst
    loongarch_image,  ///< an EFI application with LoongArch's header, vmlinux.efi
    s390x_bzimage,    ///< "S390EP" at 0x10008
    elf,              ///< vmlinux that QEMU loads by its program headers
};
[[nodiscard]] std::string_view name(ImageForm form);

/// A kernel image that was read, checked and copied.
struct Image {
    std::string path;    ///< as given
    std::string sha256;  ///< of the file as given, 64 hex digits
    std::uint64_t size = 0;
    Arch arch = Arch::x86_64;
    ImageForm form = ImageForm::elf;  ///< of what QEMU gets
    /// What it was wrapped in, outermost first: "gzip", "EFI zboot (zstd)", "ELF vmlinux".
    std::vector<std::string> wrappings;
    std::string release;   ///< "6.12.117"; empty where the image does not say
    std::string banner;    ///< what follows "Linux version ", or the header's version text
    std::string build_id;  ///< hex digits of the kernel's GNU build id; empty where there is none
    /// What QEMU gets: the file's own bytes, or the kernel that was wrapped in it. A copy in
    /// memory, so that every replicate boots what was hashed, whatever happens to the file
    /// meanwhile.
    std::shared_ptr<const MemoryFile> kernel;

    /// Whether QEMU takes the file as it is.
    [[nodiscard]] bool as_is() const { return wrappings.empty(); }
    /// "arm64 Image in gzip".
    [[nodiscard]] std::string description() const;
};

/// Reads an image. Fault::usage, saying what was found, where `path` is missing, a directory,
/// empty, truncated, no kernel, or a kernel that kerntoll cannot boot.
[[nodiscard]] Result<Image> read_image(const std::string& path);

/// The same for bytes that are in memory already; `path` is for messages.
[[nodiscard]] Result<Image> read_image(MemoryFile file, const std::string& path);

}  // namespace kerntoll::lab
