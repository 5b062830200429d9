// SPDX-License-Identifier: MIT
// The forms of kernel images, each told by its header. Headers may lie: nothing in them is believed
// before it was held against the bytes that are there.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <variant>

#include "lab/target/image.hpp"
#include "lab/target/image_bytes.hpp"
#include "lab/target/image_facts.hpp"
#include "lab/target/image_unpack.hpp"

namespace kerntoll::lab {

/// A kernel that QEMU takes as it is.
struct SeenKernel {
    Arch arch = Arch::x86_64;
    ImageForm form = ImageForm::elf;
    KernelFacts facts;
};

/// Something with a kernel inside, perhaps.
struct SeenWrapped {
    std::string name;         ///< "gzip", for Image::wrappings
    std::string noun;         ///< "a gzip file", for sentences
    std::uint64_t limit = 0;  ///< unwrap() gives at most so many bytes
    /// Takes the content out; call it while the bytes that were looked at are still there.
    std::function<std::expected<MemoryFile, UnpackError>()> unwrap;
};

/// No kernel, or none that can be booted: "is a shell script", "is truncated: …".
struct SeenOther {
    std::string finding;
};

using Seen = std::variant<SeenKernel, SeenWrapped, SeenOther>;

/// Tells what these bytes are, by content alone.
[[nodiscard]] Seen look_at(Bytes bytes);

/// What ELF files are: kernels, programs, modules.
[[nodiscard]] Seen look_at_elf(Bytes bytes);

/// Words for what is no kernel: "is a shell script".
[[nodiscard]] std::string describe_stranger(Bytes bytes);

/// The finding for a file that ends before what its header announces.
[[nodiscard]] SeenOther truncated(std::uint64_t announced, std::uint64_t present);

}  // namespace kerntoll::lab
