// SPDX-License-Identifier: MIT
#include "lab/path/symbols_elf.hpp"

#include <cxxabi.h>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace kerntoll::lab::path {
namespace {

struct Section {
    GElf_Shdr header{};
    Elf_Scn* handle = nullptr;
    [[nodiscard]] bool is_code() const {
        constexpr GElf_Xword loaded_code = SHF_ALLOC | SHF_EXECINSTR;
        return (header.sh_flags & loaded_code) == loaded_code;
    }
};

/// All sections, each at its own index.
std::vector<Section> sections_of(Elf* elf) {
    std::vector<Section> sections(1);  // index 0 stands for none
    for (Elf_Scn* handle = elf_nextscn(elf, nullptr); handle != nullptr;
         handle = elf_nextscn(elf, handle)) {
        Section section{.handle = handle};
        if (gelf_getshdr(handle, &section.header) == nullptr) {
            section = {};
        }
        sections.push_back(section);
    }
    return sections;
}

Binding binding_of(unsigned char info) {
    switch (GELF_ST_BIND(info)) {
        case STB_GLOBAL:
            return Binding::global;
        case STB_WEAK:
            return Binding::weak;
        default:
            return Binding::local;
    }
}

/// A string that may be null, not to its end: a damaged file could have a long one, and a million
/// symbols with it.
std::string_view start_of(const char* string) {
    return {string, string != nullptr ? strnlen(string, longest_name + 1) : 0};
}

/// A C++ function without its parameters, template arguments and anonymous namespaces: what a table
/// has room for. Other names stay as they are.
std::string readable(std::string_view name) {
    constexpr std::string_view nameless = "(anonymous namespace)::";
    if (!name.starts_with("_Z")) {
        return std::string(name);
    }
    int failed = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &failed), std::free);
    if (failed != 0 || demangled == nullptr) {
        return std::string(name);
    }
    std::string full = demangled.get();
    for (auto at = full.find(nameless); at != std::string::npos; at = full.find(nameless)) {
        full.erase(at, nameless.size());
    }
    std::string text;
    int depth = 0;
    for (const char character : full) {
        const bool opens = character == '<' || character == '(';
        const bool closes = character == '>' || character == ')';
        depth += opens ? 1 : 0;
        if (depth == 0) {
            text += character;
        }
        depth -= closes && depth > 0 ? 1 : 0;
    }
    // A template's function has its return type in front.
    text.erase(0, text.rfind(' ') == std::string::npos ? 0 : text.rfind(' ') + 1);
    return is_name(text) ? text : std::string(name);
}

/// The label that a symbol is; nothing for what has no place in code, or a name that is none.
std::optional<Label> label_of(const GElf_Sym& symbol, const char* string,
                              const std::vector<Section>& sections) {
    const std::string_view name = start_of(string);
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (!is_name(name) || symbol.st_shndx >= sections.size() ||
        !(sections[symbol.st_shndx].is_code() || name == vectors_in_data)) {
        return std::nullopt;
    }
    return Label{.name = readable(name),
                 .address = symbol.st_value,
                 .size = symbol.st_size,
                 .binding = binding_of(symbol.st_info),
                 .code = type == STT_FUNC || type == STT_NOTYPE || name == vectors_in_data};
}

/// Calls with every symbol and its name, which may be null. False where there is no symbol table to
/// read.
template <class Visit>
bool each_symbol(Elf* elf, const Section& table, Visit visit) {
    Elf_Data* const symbols = elf_getdata(table.handle, nullptr);
    GElf_Sym symbol{};
    for (int i = 0; symbols != nullptr && gelf_getsym(symbols, i, &symbol) != nullptr; ++i) {
        visit(symbol, elf_strptr(elf, table.header.sh_link, symbol.st_name));
    }
    return symbols != nullptr;
}

std::vector<Section>::const_iterator symbol_table_of(const std::vector<Section>& sections) {
    return std::ranges::find(sections, GElf_Word{SHT_SYMTAB},
                             [](const Section& each) { return each.header.sh_type; });
}

}  // namespace

bool ElfFile::is_elf(std::string_view bytes) {
    return bytes.starts_with(std::string_view(ELFMAG, SELFMAG));
}

std::expected<ElfFile, std::string> ElfFile::map(Fd fd) {
    elf_version(EV_CURRENT);
    ElfFile file(std::move(fd), {});
    file.elf_.reset(elf_begin(file.fd_.get(), ELF_C_READ_MMAP, nullptr));
    return checked(std::move(file));
}

std::expected<ElfFile, std::string> ElfFile::copy(std::string_view bytes) {
    elf_version(EV_CURRENT);
    ElfFile file({}, {bytes.begin(), bytes.end()});
    file.elf_.reset(elf_memory(file.bytes_.data(), file.bytes_.size()));
    return checked(std::move(file));
}

std::expected<ElfFile, std::string> ElfFile::checked(ElfFile file) {
    GElf_Ehdr header{};
    if (!file.elf_ || gelf_getehdr(file.handle(), &header) == nullptr) {
        return std::unexpected("is a damaged ELF file");
    }
    switch (header.e_type) {
        case ET_EXEC:
        case ET_DYN:
            return file;
        case ET_REL:
            return std::unexpected("is an object file or kernel module, without its addresses");
        default:
            return std::unexpected("is an ELF file of another kind, such as a memory dump");
    }
}

std::expected<std::vector<Label>, std::string> ElfFile::labels() const {
    const std::vector<Section> sections = sections_of(handle());
    const auto table = symbol_table_of(sections);
    if (table == sections.end()) {
        return std::unexpected(
            "is an ELF file without a symbol table: it was stripped or cut short");
    }
    std::vector<Label> labels;
    const bool read =
        each_symbol(handle(), *table, [&](const GElf_Sym& symbol, const char* string) {
            if (auto label = label_of(symbol, string, sections)) {
                labels.push_back(*std::move(label));
            }
        });
    if (!read) {
        return std::unexpected("is a damaged ELF file");
    }
    for (const Section& section : sections) {
        if (section.is_code()) {
            labels.push_back({.address = section.header.sh_addr + section.header.sh_size});
        }
    }
    return labels;
}

store::ImageSizes ElfFile::sizes() const {
    const std::vector<Section> sections = sections_of(handle());
    store::ImageSizes sizes;
    std::size_t names = 0;
    std::optional<std::uint64_t> text;
    std::optional<std::uint64_t> rodata;
    if (elf_getshdrstrndx(handle(), &names) == 0) {
        for (const Section& section : sections) {
            const auto name = start_of(elf_strptr(handle(), names, section.header.sh_name));
            if (section.handle != nullptr && name == ".text") {
                text = section.header.sh_size;
            } else if (section.handle != nullptr && name == ".rodata") {
                rodata = section.header.sh_size;
            }
        }
    }
    if (text && rodata) {
        sizes.sections = store::ImageSize{*text, *rodata};
    }
    std::vector<Label> bounds;
    if (const auto table = symbol_table_of(sections); table != sections.end()) {
        (void)each_symbol(handle(), *table, [&](const GElf_Sym& symbol, const char* string) {
            if (const auto name = start_of(string); bounds_the_image(name)) {
                bounds.push_back({.name = std::string(name), .address = symbol.st_value});
            }
        });
    }
    sizes.labels = size_between(bounds);
    return sizes;
}

std::uint64_t ElfFile::code_bytes() const {
    std::map<std::uint64_t, std::uint64_t> sizes;  // of what begins at an address under any name
    for (const Label& label : labels().value_or(std::vector<Label>{})) {
        if (label.code) {
            sizes[label.address] = std::max(sizes[label.address], label.size);
        }
    }
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& each) { return sum + each.second; });
}

std::string ElfFile::build_id() const {
    const void* bytes = nullptr;
    const ssize_t size = dwelf_elf_gnu_build_id(handle(), &bytes);
    std::string digits;
    for (ssize_t i = 0; i < size; ++i) {
        digits += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
    }
    return digits;
}

}  // namespace kerntoll::lab::path
