// SPDX-License-Identifier: MIT
#include "lab/target/disassembly.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

namespace kerntoll::lab {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";

/// What stands before the next line end; takes it.
std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line.substr(0, line.find_last_not_of('\r') + 1);
}

std::string_view without_blanks_at_end(std::string_view text) {
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Takes "0xADDRESS:" and the blanks behind it; nothing where it is not there.
std::optional<std::uint64_t> take_address(std::string_view& line) {
    std::uint64_t address = 0;
    const std::string_view digits = line.substr(std::min<std::size_t>(2, line.size()));
    const char* const begin = std::to_address(digits.begin());
    const auto read = std::from_chars(begin, begin + digits.size(), address, 16);
    const auto colon = static_cast<std::size_t>(read.ptr - begin);
    if (!line.starts_with("0x") || read.ec != std::errc{} || colon == digits.size() ||
        digits[colon] != ':') {
        return std::nullopt;
    }
    line = digits.substr(std::min(digits.find_first_not_of(' ', colon + 1), digits.size()));
    return address;
}

/// Takes the bytes in front, which are in groups between single blanks, and the blanks behind them;
/// returns how many there are.
std::size_t take_bytes(std::string_view& line) {
    std::size_t digits = 0;
    while (true) {
        const std::size_t group = std::min(line.find_first_not_of(hexadecimal), line.size());
        digits += group;
        line.remove_prefix(group);
        const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(blanks);
        if (group == 0 || blanks != 1) {
            return digits / 2;
        }
    }
}

/// QEMU's own disassemblers, and not Capstone, print bytes for the recorder as well.
bool has_bytes_in_front(Arch arch) {
    return arch == Arch::riscv64 || arch == Arch::loongarch64;
}

/// With one blank behind the mnemonic, which the monitor pads and the recorder does not.
std::string unpadded(std::string_view text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::size_t operands = std::min(text.find_first_not_of(' ', end), text.size());
    return std::string(text.substr(0, end)) + " " + std::string(text.substr(operands));
}

}  // namespace

std::optional<Disassembled> parse_disassembly(Arch arch, std::uint64_t address,
                                              std::string_view answer) {
    std::optional<Disassembled> found;
    while (!answer.empty()) {
        std::string_view line = next_line(answer);
        const auto at = take_address(line);
        if (!at) {
            return std::nullopt;
        }
        const std::string_view with_bytes = line;
        const std::size_t size = take_bytes(line);
        line = without_blanks_at_end(line);
        if (found && !line.empty()) {
            break;  // the next instruction
        }
        if (found) {
            found->size += size;
        } else if (*at == address && !line.empty()) {
            found = {size, has_bytes_in_front(arch) ? std::string(with_bytes) : unpadded(line)};
        }
    }
    if (!found || found->size == 0 || found->size > longest_instruction) {
        return std::nullopt;
    }
    // loongarch64's disassembler has a tab behind the mnemonic, which the recorder hands on as
    // well.
    std::ranges::replace_if(
        found->text, [](char byte) { return byte != '\t' && (byte < ' ' || byte > '~'); }, '?');
    return found;
}

bool is_known(const Disassembled& instruction) {
    return !instruction.text.starts_with(".byte");
}

}  // namespace kerntoll::lab
