// SPDX-License-Identifier: MIT
// Which function a kernel address belongs to, and which functions were inlined into it there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/store/path.hpp"

namespace kerntoll::lab::path {

/// A function (or an assembly label that starts code) in a kernel's text.
struct Function {
    std::string name;
    std::uint64_t start = 0;
    std::uint64_t end =
        0;  ///< below which it reaches: the next symbol's start where no size is known
};

/// An address in words.
struct Place {
    const Function* function = nullptr;  ///< never null
    /// Functions that were inlined at this address, the outermost first; empty without DWARF, and
    /// where the instruction is the function's own.
    std::vector<std::string> inlined;
    std::string source;  ///< "kernel/entry/common.c:203", where DWARF says so
};

struct Label;

/// A kernel's symbols, from System.map, an ELF file (vmlinux, with or without DWARF) or the text of
/// /proc/kallsyms.
class Symbols {
public:
    /// Reads a file of any of the three forms, told by its content and not by its name.
    /// Fault::usage, in one sentence, where it cannot be read or is none of them, or holds
    /// addresses that are all zero (a kallsyms that hides them: kernel.kptr_restrict).
    [[nodiscard]] static Result<Symbols> read(const std::filesystem::path& file);
    [[nodiscard]] static Result<Symbols> parse(std::string_view bytes, std::string_view name);
    /// Those of a kernel that was asked for them, with the addresses that it runs at.
    [[nodiscard]] static Symbols of(std::vector<Label> labels);

    /// What is added to every address of the file: run-time text minus link-time text.
    void slide(std::uint64_t by);
    [[nodiscard]] std::uint64_t slide() const;
    /// The place of a run-time address; nothing where it lies in no function. Reads DWARF when it
    /// is first asked for a part of it, so not for several threads at once.
    [[nodiscard]] std::optional<Place> at(std::uint64_t address) const;
    /// The function alone; null where it lies in none.
    [[nodiscard]] const Function* function_at(std::uint64_t address) const;
    /// The function of that name; the first of several. Where several names share an address, the
    /// function goes by the one that reads best, and is found by each.
    [[nodiscard]] const Function* find(std::string_view name) const;
    /// The build id of an ELF file, as hexadecimal digits; empty for the other forms.
    [[nodiscard]] const std::string& build_id() const;
    [[nodiscard]] std::span<const Function> functions() const;  ///< ascending, without the slide
    /// What the file says of the size of the image.
    [[nodiscard]] const store::ImageSizes& image() const;

    Symbols(Symbols&&) noexcept;
    Symbols& operator=(Symbols&&) noexcept;
    ~Symbols();

private:
    struct Data;
    explicit Symbols(std::unique_ptr<Data> data);
    std::unique_ptr<Data> data_;
};

}  // namespace kerntoll::lab::path
