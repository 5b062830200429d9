// SPDX-License-Identifier: MIT
// From the labels of a kernel, as a file lists them, to functions that do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/symbols.hpp"

namespace kerntoll::lab::path {

/// Who may refer to a label; the order is that in which names are preferred. A weak one comes last:
/// beside another name it is an alias, such as those of all system calls that a kernel lacks.
enum class Binding : std::uint8_t { global, local, weak };

/// One line of a System.map, or one symbol of an ELF file.
struct Label {
    std::string name = {};
    std::uint64_t address = 0;
    std::uint64_t size = 0;  ///< bytes; 0 where the file does not say
    Binding binding = Binding::local;
    bool code = false;  ///< false: starts no function, and ends the one before it
};

struct Table {
    std::vector<Function> functions;  ///< ascending
    /// Every name of every function, the ones that read worse included; of functions that share a
    /// name the first one's index.
    std::map<std::string, std::size_t, std::less<>> names;
};

/// Twice what the kernel allows itself (KSYM_NAME_LEN).
inline constexpr std::size_t longest_name = 1024;
/// Whether kerntoll takes this text for a symbol's name: printable, without blanks, not too long.
[[nodiscard]] bool is_name(std::string_view text);

/// The array into which Linux on loongarch64 copies its vectors, to be entered there: data by its
/// kind, code by its use (configure_exception_vector() in its arch/loongarch/kernel/traps.c).
inline constexpr std::string_view vectors_in_data = "exception_handlers";

/// The image's size by the labels of the linker script around its text (_stext, _etext) and its
/// read-only data (__start_rodata, __end_rodata); nothing where one of them is missing. The
/// kernel's include/asm-generic/sections.h says what they mean.
[[nodiscard]] std::optional<store::ImageSize> size_between(std::span<const Label> labels);
/// Whether a name is one of those.
[[nodiscard]] bool bounds_the_image(std::string_view name);

/// Gives every address that has a code label one function, under the name that reads best.
[[nodiscard]] Table arrange(std::vector<Label> labels);

}  // namespace kerntoll::lab::path
