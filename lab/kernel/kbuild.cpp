// SPDX-License-Identifier: MIT
#include "lab/kernel/kbuild.hpp"

#include <array>

namespace kerntoll::lab::kernel {
namespace {

constexpr std::array<KbuildRow, 5> table{{
    {.arch = Arch::x86_64,
     .kbuild = "x86_64",
     .gcc_prefix = "x86_64-linux-gnu-",
     .gcc_package = "gcc-x86-64-linux-gnu",
     .image_target = "bzImage",
     .image = "arch/x86/boot/bzImage",
     .filler = "nop"},
    {.arch = Arch::arm64,
     .kbuild = "arm64",
     .gcc_prefix = "aarch64-linux-gnu-",
     .gcc_package = "gcc-aarch64-linux-gnu",
     .image_target = "Image",
     .image = "arch/arm64/boot/Image",
     .filler = "nop"},
    {.arch = Arch::riscv64,
     .kbuild = "riscv",
     .gcc_prefix = "riscv64-linux-gnu-",
     .gcc_package = "gcc-riscv64-linux-gnu",
     .image_target = "Image",
     .image = "arch/riscv/boot/Image",
     .filler = "nop"},
    {.arch = Arch::s390x,
     .kbuild = "s390",
     .gcc_prefix = "s390x-linux-gnu-",
     .gcc_package = "gcc-s390x-linux-gnu",
     .image_target = "bzImage",
     .image = "arch/s390/boot/bzImage",
     .filler = "nopr %r0"},
    {.arch = Arch::loongarch64,
     .kbuild = "loongarch",
     .gcc_prefix = "",
     .gcc_package = "",
     .image_target = "vmlinux.efi",
     .image = "arch/loongarch/boot/vmlinux.efi",
     .filler = "nop"},
}};

}  // namespace

const KbuildRow& kbuild_row(Arch arch) {
    return table.at(static_cast<std::size_t>(arch));
}

std::span<const KbuildRow> kbuild_table() {
    return table;
}

}  // namespace kerntoll::lab::kernel
