// SPDX-License-Identifier: MIT
// The letters are those of nm(1).
#include "lab/path/symbols_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

namespace kerntoll::lab::path {
namespace {

/// Takes what stands before the next blank, and the blanks.
std::string_view next_word(std::string_view& line) {
    constexpr std::string_view blanks = " \t";
    const std::string_view word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    return word;
}

bool is_module(std::string_view word) {
    return word.starts_with('[') && word.ends_with(']');
}

Binding binding_of(char letter) {
    if (letter == 'W' || letter == 'w') {
        return Binding::weak;
    }
    return letter == 'T' ? Binding::global : Binding::local;
}

struct Line {
    Label label;
    char letter = 0;
};

std::optional<Line> read_line(std::string_view line) {
    const std::string_view digits = next_word(line);
    const std::string_view letter = next_word(line);
    const std::string_view name = next_word(line);
    const std::string_view module = next_word(line);
    Line read;
    const char* const begin = std::to_address(digits.begin());
    const char* const end = begin + digits.size();
    const auto number = std::from_chars(begin, end, read.label.address, 16);
    if (number.ec != std::errc{} || number.ptr != end || letter.size() != 1 || !is_name(name) ||
        !(module.empty() || is_module(module)) || !line.empty()) {
        return std::nullopt;
    }
    read.letter = letter.front();
    read.label.name = name;
    read.label.binding = binding_of(read.letter);
    read.label.code = std::string_view("tTwW").contains(read.letter) || name == vectors_in_data;
    return read;
}

}  // namespace

std::expected<std::vector<Label>, std::string> read_text(std::string_view bytes) {
    if (bytes.empty()) {
        return std::unexpected("is empty");
    }
    std::vector<Label> labels;
    bool hidden = true;
    for (std::size_t number = 1; !bytes.empty(); ++number) {
        std::string_view text = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(text.size() + 1, bytes.size()));
        text.remove_suffix(text.ends_with('\r') ? 1 : 0);  // it came by way of another system
        auto line = read_line(text);
        if (!line && number == 1) {
            return std::unexpected("holds no symbols");
        }
        if (!line) {
            return std::unexpected(
                fmt::format("is damaged: line {} is not an address, a letter and a name", number));
        }
        hidden = hidden && line->label.address == 0;
        if (line->letter != 'a' && line->letter != 'A') {
            labels.push_back(std::move(line->label));
        }
    }
    if (hidden) {
        return std::unexpected("hides its addresses: all are zero (kernel.kptr_restrict)");
    }
    return labels;
}

}  // namespace kerntoll::lab::path
