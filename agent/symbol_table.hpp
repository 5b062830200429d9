// SPDX-License-Identifier: MIT
// A kernel's symbols, taken out of the text of /proc/kallsyms.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent {

using wire::Text;

/// Who may refer to a name of code. none: it is no code's, and is kept for where it lies alone.
enum class Reach : unsigned char { none, global, local, weak };

/// One line of /proc/kallsyms.
struct Symbol {
    uint64_t address;
    uint32_t name;  ///< where its name begins in the room's names
    uint16_t name_size;
    Reach reach;
};

/// Where symbols are kept. A large part of it stays unused, so the kernel that gives the memory
/// must make no page of it before it is touched. A distribution's kernel has some 130,000 with 3 MB
/// of names.
struct SymbolRoom {
    static constexpr size_t most_symbols = 512 * 1024;
    static constexpr size_t most_name_bytes = 16 * 1024 * 1024;
    Symbol symbols[most_symbols];
    char names[most_name_bytes];
};

/// Takes the text of /proc/kallsyms in any portions and keeps what names code, and of all else
/// where it lies. Left out are absolute symbols, which are numbers and no addresses, and the marks
/// that tools make for themselves ($x, .L1).
class SymbolTable {
public:
    constexpr SymbolTable() = default;
    /// Comes first. No argument of the constructor: a table that begins as zeros takes no place in
    /// the program's file.
    void use(SymbolRoom& room) { room_ = &room; }

    /// False where the text is something else, or more than there is room for.
    [[nodiscard]] bool feed(Text text);
    /// Whether every address was zero, which is how a kernel hides them.
    [[nodiscard]] bool is_hidden() const { return highest_ == 0; }
    [[nodiscard]] size_t size() const { return size_; }

    /// Where the last symbol at or before an address lies, and where the next one does; false where
    /// one of these does not exist.
    [[nodiscard]] bool find(uint64_t address, uint64_t& start, uint64_t& end) const;
    /// Calls take(name) for every name of code that lies at this address and has this reach.
    template <class Take>
    void names_at(uint64_t address, Reach reach, Take take) const {
        for (size_t i = 0; i < size_; ++i) {
            const Symbol& symbol = room_->symbols[i];
            if (symbol.address == address && symbol.reach == reach) {
                take(Text(room_->names + symbol.name, symbol.name_size));
            }
        }
    }

private:
    /// The kernel allows itself 512 (KSYM_NAME_LEN).
    static constexpr size_t longest_name = 512;

    [[nodiscard]] bool take(char byte);
    [[nodiscard]] bool end_name();

    enum class At : unsigned char { address, letter, behind_letter, name, rest } at_ = At::address;
    unsigned digits_ = 0;
    char letter_ = '\0';
    Symbol line_{};
    uint64_t highest_ = 0;
    size_t size_ = 0;
    size_t name_bytes_ = 0;
    SymbolRoom* room_ = nullptr;
};

}  // namespace kerntoll::agent
