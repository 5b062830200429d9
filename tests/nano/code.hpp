// SPDX-License-Identifier: MIT
// The machine code of the entry path in an image of nano, as functions and who calls whom.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::nano_test {

/// One instruction in llvm-objdump's words, without its bytes.
struct Instruction {
    uint64_t address;
    std::string mnemonic;
    std::string operands;
    /// Where a direct call or jump leads.
    std::optional<uint64_t> target;
    /// A call or jump to an address in a register or in memory; no return.
    bool is_indirect;
};

/// A call or jump from one function into another.
struct Edge {
    std::string from;
    std::string to;
    uint64_t at;
};

/// For GoogleTest.
void PrintTo(const Edge& edge, std::ostream* out);

/// The parts of an image that kerntoll/entry/text.ld tells apart.
enum class Part {
    path,     ///< stub and fast path
    slow,     ///< work out of line
    outside,  ///< the rest of the kernel
};

/// What stands between the marks of kerntoll/entry/text.ld.
class EntryCode {
public:
    /// Reads an image by llvm-nm and llvm-objdump. A test failure says why it is empty.
    [[nodiscard]] static EntryCode of(const std::string& image, std::string_view arch);

    /// The functions of the entry path by their names in the symbol table. What a compiler split
    /// off ("name.cold") belongs to its function.
    [[nodiscard]] const std::map<std::string, std::vector<Instruction>>& functions() const {
        return functions_;
    }
    /// The function of that name, or else the only one whose name holds these words; nullptr where
    /// there is none.
    [[nodiscard]] const std::vector<Instruction>* find(std::string_view words) const;
    [[nodiscard]] bool has(std::string_view words) const { return find(words) != nullptr; }
    /// All direct calls and jumps that leave their function.
    [[nodiscard]] std::vector<Edge> edges() const;
    /// Those of the functions whose names hold these words.
    [[nodiscard]] std::vector<Edge> edges_from(std::string_view words) const;
    /// In which part of the image a function stands.
    [[nodiscard]] Part part_of(const std::string& function) const;

private:
    [[nodiscard]] std::string function_at(uint64_t address) const;

    std::map<uint64_t, std::string> names_;  ///< of all functions of the image
    uint64_t start_ = 0;
    uint64_t slow_ = 0;
    uint64_t end_ = 0;
    std::map<std::string, std::vector<Instruction>> functions_;
};

/// Whether the last of these instructions, which run one after the other, uses a value that was
/// computed from the result of the first one, or loaded by it.
[[nodiscard]] bool depends_on(std::string_view arch, std::span<const Instruction> code);

/// How many of these are indirect.
[[nodiscard]] int count_indirect(const std::vector<Instruction>& code);

}  // namespace kerntoll::nano_test
