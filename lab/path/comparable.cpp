// SPDX-License-Identifier: MIT
// Instructions without the addresses in them. It reads QEMU's disassembly of all five
// architectures, so it knows their spellings and nothing else of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <set>

#include "lab/path/align.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr char placeholder = '@';

/// Instructions that make the high part of an address from the program counter and leave it in
/// their first operand; what follows adds the low bits.
constexpr std::array<std::string_view, 6> address_makers{"auipc",     "adrp",      "pcalau12i",
                                                         "pcaddu12i", "pcaddu18i", "pcaddi"};

/// Instructions whose last operand is a whole address: arm64's, and those of s390x that are
/// relative and long (z/Architecture Principles of Operation, chapter 7). Another architecture's of
/// the same name, x86's "larl %eax, %ecx", does not end in a number.
constexpr std::array<std::string_view, 25> address_takers{
    "adr",    "larl", "lrl",   "lgrl",  "lgfrl",  "llgfrl", "lhrl",  "lghrl", "llhrl",
    "llghrl", "strl", "stgrl", "sthrl", "crl",    "cgrl",   "cgfrl", "clrl",  "clgrl",
    "clgfrl", "chrl", "cghrl", "clhrl", "clghrl", "exrl",   "pfdrl"};

bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool of_a_word(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           c == '$';
}
bool hexadecimal(char c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The bytes as the number that QEMU prints: the last one first.
std::string encoding(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text.insert(0, fmt::format("{:02x}", static_cast<unsigned char>(byte)));
    }
    return text;
}

/// A number in an instruction's text: [begin, end) with its sign, if it has one.
struct Number {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t digits = 0;
    bool negative = false;
};

std::vector<Number> numbers_in(std::string_view text) {
    std::vector<Number> numbers;
    std::size_t at = std::min(text.find(' '), text.size());  // mnemonics may hold digits
    while (at < text.size()) {
        const bool word_before = at > 0 && (of_a_word(text[at - 1]) || text[at - 1] == '%');
        if (!digit(text[at]) || (word_before && text[at - 1] != '$')) {
            ++at;
            continue;
        }
        Number number{.begin = at, .end = at};
        number.negative = at > 0 && text[at - 1] == '-';
        number.begin -= number.negative ? 1 : 0;
        if (text.substr(at).starts_with("0x")) {
            at += 2;
        }
        while (at < text.size() && hexadecimal(text[at])) {
            ++at;
            ++number.digits;
        }
        number.end = at;
        numbers.push_back(number);
    }
    return numbers;
}

/// Where a path's code lies, to tell numbers that are addresses of the same image: its data and its
/// other functions are not far.
class Surroundings {
public:
    explicit Surroundings(std::span<const Step> steps) {
        for (const Step& step : steps) {
            const std::uint64_t block = step.instruction->address / block_bytes;
            blocks_.insert({block - 1, block, block + 1});
        }
    }
    /// Numbers with one bit are flags, and small ones sizes and offsets.
    [[nodiscard]] bool contain(std::uint64_t value) const {
        return std::min(value, -value) >= smallest && !std::has_single_bit(value) &&
               !std::has_single_bit(-value) && blocks_.contains(value / block_bytes);
    }

private:
    static constexpr std::uint64_t block_bytes = 32U << 20U;
    static constexpr std::uint64_t smallest = 16U << 20U;
    std::set<std::uint64_t> blocks_;
};

/// A number as the processor extends it.
std::uint64_t value_of(std::string_view text, const Number& number) {
    std::string_view digits = text.substr(number.begin, number.end - number.begin);
    digits.remove_prefix(number.negative ? 1 : 0);
    const bool hexadecimal = digits.starts_with("0x");
    digits.remove_prefix(hexadecimal ? 2 : 0);
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    return number.negative ? -value : value;
}

/// Whether a number can only be an address, or a distance that the linker decides: too large for
/// anything else, or counted from the instruction, from x86's area of per-CPU variables or from
/// riscv64's global pointer; or what x86 takes as it is and lies in the image.
bool is_address(std::string_view text, const Number& number, const Surroundings& surroundings) {
    const std::string_view before = text.substr(0, number.begin);
    const std::string_view behind = text.substr(number.end);
    const bool taken_as_it_is =
        before.ends_with('$') || (text.contains('%') && behind.starts_with('('));
    return number.digits >= 9 ||
           (number.negative && number.digits >= 7 && behind.starts_with('(')) ||
           behind.starts_with("(%rip)") || before.ends_with("%gs:") || behind.starts_with("(gp)") ||
           (before.starts_with("addi ") && before.ends_with(",gp,")) ||
           (taken_as_it_is && surroundings.contain(value_of(text, number)));
}

template <class Chosen>
std::string replaced(std::string_view text, Chosen chosen) {
    std::string result;
    std::size_t done = 0;
    for (const Number& number : numbers_in(text)) {
        result += text.substr(done, number.begin - done);
        if (chosen(number)) {
            result += placeholder;
        } else {
            result += text.substr(number.begin, number.end - number.begin);
        }
        done = number.end;
    }
    result += text.substr(done);
    return result;
}

std::string without_last_operand(std::string text) {
    const std::size_t end = text.find_last_of(", ");
    if (end != std::string::npos) {
        text.erase(end + 1);
        text += placeholder;
    }
    return text;
}

bool ends_in_number(std::string_view text) {
    std::string_view last = text.substr(text.find_last_of(", ") + 1);
    last.remove_prefix(last.starts_with('#') ? 1 : 0);
    last.remove_prefix(last.starts_with('-') ? 1 : 0);
    return !last.empty() && digit(last.front());
}

std::string_view first_operand(std::string_view text) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
        return {};
    }
    const std::string_view operands = text.substr(space + 1);
    return operands.substr(0, operands.find(','));
}

/// Whether `text` reads `reg` behind its first operand.
bool reads(std::string_view text, std::string_view reg) {
    const std::size_t comma = text.find(',');
    for (std::size_t at = text.find(reg, std::min(comma, text.size()));
         at != std::string_view::npos; at = text.find(reg, at + 1)) {
        const std::size_t end = at + reg.size();
        if (!of_a_word(text[at - 1]) && (end == text.size() || !of_a_word(text[end]))) {
            return true;
        }
    }
    return false;
}

/// Follows the registers that hold the high bits of an address, because the low bits, which the
/// instructions that use them add, depend on the layout as well.
class Comparison {
public:
    explicit Comparison(std::span<const Step> steps) : surroundings_(steps) {}

    std::string operator()(const Step& step) {
        std::string text = step.text;
        text.erase(std::min(text.find(" # "), text.size()));  // QEMU repeats the target's address
        const std::string_view mnemonic = std::string_view(text).substr(0, text.find(' '));
        const bool direct =
            !step.kind.indirect && (step.kind.flow == Flow::jump ||
                                    step.kind.flow == Flow::branch || step.kind.flow == Flow::call);
        const bool makes_address =
            std::ranges::find(address_makers, mnemonic) != address_makers.end();
        const std::string target(first_operand(text));
        const bool takes_address =
            std::ranges::find(address_takers, mnemonic) != address_takers.end() &&
            ends_in_number(text);
        if (direct || makes_address || takes_address) {
            text = without_last_operand(std::move(text));
        } else if (std::ranges::any_of(high_halves_,
                                       [&](const std::string& reg) { return reads(text, reg); })) {
            text = replaced(text, [](const Number&) { return true; });
        } else {
            text = replaced(text, [&](const Number& number) {
                return is_address(text, number, surroundings_);
            });
        }
        std::erase(high_halves_, target);
        if (makes_address) {
            high_halves_.push_back(target);
        }
        return text;
    }

private:
    Surroundings surroundings_;
    std::vector<std::string> high_halves_;
};

}  // namespace

std::string disassembly(const Instruction& instruction) {
    std::string_view rest = instruction.text;
    if (const std::string code = encoding(instruction.bytes);
        !code.empty() && rest.starts_with(code + ' ')) {
        rest.remove_prefix(code.size());
    }
    std::string text;
    for (const char c : rest) {
        if (c != ' ' && c != '\t') {
            text += c;
        } else if (!text.empty() && text.back() != ' ') {
            text += ' ';
        }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::vector<std::string> comparable(std::span<const Step> steps) {
    std::vector<std::string> texts;
    texts.reserve(steps.size());
    Comparison comparison(steps);
    for (const Step& step : steps) {
        texts.push_back(comparison(step));
    }
    return texts;
}

std::string without_registers(std::string_view comparable) {
    std::string kept(comparable.substr(0, comparable.find(' ')));
    for (const Number& number : numbers_in(comparable)) {
        kept += ' ';
        kept += comparable.substr(number.begin, number.end - number.begin);
    }
    return kept;
}

}  // namespace kerntoll::lab::path
