// SPDX-License-Identifier: MIT
// Variants of the project's own entry path: what a target's text asks for, and the image that
// nano/build makes of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// The choices of one entry path. What is not named has its default.
struct Variant {
    std::string port;                                          ///< "riscv64", "hosted", …
    std::string compiler;                                      ///< "clang" or "gcc"
    std::vector<std::pair<std::string, std::string>> choices;  ///< axis and value
};

/// Where the code of a variant comes to lie.
struct LayoutChoice {
    enum class Kind { as_linked, seeded, drawn } kind = Kind::as_linked;
    std::uint32_t seed = 0;  ///< where it is seeded
};

/// Reads cc= and the axes. Fault::usage, in words, for a port, compiler or value that does not
/// exist, and for an axis of which this port has no step.
[[nodiscard]] Result<Variant> read_variant(const TargetSpec& spec, std::string_view port);

/// Reads layout=SEED or layout=random.
[[nodiscard]] Result<LayoutChoice> read_layout(const TargetSpec& spec);

/// The ELF file of a variant, made now unless it was made before. Its path stays good as long as
/// the program runs. Fault::environment where the sources or a compiler are missing, Fault::usage
/// where the choices cannot be combined (the compiler's sentence).
[[nodiscard]] Result<std::filesystem::path> build_variant(const Variant& variant,
                                                          std::optional<std::uint32_t> layout);

/// The same with a layout that is drawn for this machine alone, and kept nowhere.
[[nodiscard]] Result<MemoryFile> draw_image(const Variant& variant, const Launch& how);

/// The choices as they are typed, "defaults" where there are none.
[[nodiscard]] std::string choices_text(const Variant& variant);

/// What the compiler made of the steps that were left to it, a sentence per axis with the value
/// auto: read from the names of functions in the image, where a step that was inlined everywhere
/// has none.
[[nodiscard]] std::vector<std::string> left_to_compiler(const Variant& variant,
                                                        std::string_view image);

}  // namespace kerntoll::lab
