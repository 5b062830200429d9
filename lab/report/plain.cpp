// SPDX-License-Identifier: MIT
#include "lab/report/plain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace kerntoll::lab::report {
namespace {

struct Decoded {
    char32_t character = 0;
    std::size_t bytes = 1;
};

/// The UTF-8 character at the start of `text`; nothing where there is none (RFC 3629: no overlong
/// forms, no surrogates).
std::optional<Decoded> decode(std::string_view text) {
    const auto byte = [&](std::size_t index) {
        return static_cast<std::uint8_t>(index < text.size() ? text[index] : 0);
    };
    const std::uint8_t first = byte(0);
    if (first < 0x80) {
        return Decoded{first, 1};
    }
    std::size_t length = 0;
    char32_t character = 0;
    if (first >= 0xc2 && first < 0xe0) {
        length = 2;
        character = first & 0x1fU;
    } else if (first >= 0xe0 && first < 0xf0) {
        length = 3;
        character = first & 0x0fU;
    } else if (first >= 0xf0 && first < 0xf5) {
        length = 4;
        character = first & 0x07U;
    } else {
        return std::nullopt;
    }
    for (std::size_t index = 1; index < length; ++index) {
        if ((byte(index) & 0xc0U) != 0x80U) {
            return std::nullopt;
        }
        character = (character << 6U) | (byte(index) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    if (character < smallest[length] || character > 0x10ffff ||
        (character >= 0xd800 && character <= 0xdfff)) {
        return std::nullopt;
    }
    return Decoded{character, length};
}

/// Characters that a terminal obeys or a reader cannot see.
bool unsafe(char32_t character) {
    constexpr std::array<std::pair<char32_t, char32_t>, 8> ranges{{
        {0x00, 0x1f},        // C0 controls
        {0x7f, 0x9f},        // DEL and C1 controls
        {0xad, 0xad},        // soft hyphen
        {0x200b, 0x200f},    // zero width, direction marks
        {0x2028, 0x202e},    // line and paragraph separators, bidirectional embeddings
        {0x2060, 0x206f},    // invisible operators, bidirectional isolates
        {0xfeff, 0xfeff},    // byte order mark
        {0xe0000, 0xe007f},  // tags
    }};
    return std::ranges::any_of(ranges, [&](const auto& range) {
        return character >= range.first && character <= range.second;
    });
}

}  // namespace

std::string harmless(std::string_view text) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const auto decoded = decode(text);
        const std::size_t bytes = decoded ? decoded->bytes : 1;
        if (text.front() == '\t') {
            safe += ' ';
        } else if (!decoded || decoded->character < 0x80) {
            const auto byte = static_cast<std::uint8_t>(text.front());
            safe += !decoded || unsafe(byte) ? fmt::format("\\x{:02x}", byte)
                                             : std::string(1, text.front());
        } else if (unsafe(decoded->character)) {
            safe += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(decoded->character));
        } else {
            safe += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    return safe;
}

std::string markdown_text(std::string_view text) {
    std::string escaped;
    for (const char c : harmless(text)) {
        if (std::string_view("\\`*_[]<>|#").contains(c)) {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

std::string markdown_code(std::string_view text) {
    const std::string safe = harmless(text);
    const std::string fence = safe.contains('`') ? "``" : "`";
    std::string span;
    for (const char c : safe) {
        span += c == '|' ? "\\|" : std::string(1, c);  // a bar ends a table cell even in code
    }
    const std::string space = fence.size() > 1 ? " " : "";
    return fence + space + span + space + fence;
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<std::uint8_t>(c) & 0xc0U) != 0x80U; }));
}

std::string pad_right(std::string text, std::size_t columns) {
    const std::size_t taken = columns_of(text);
    text.append(columns > taken ? columns - taken : 0, ' ');
    return text;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) {
            lines.push_back(std::exchange(line, {}));
        }
        if (!line.empty()) {
            line += ' ';
        }
        line += word;
    }
    lines.push_back(line);
    return lines;
}

std::string shell_word(std::string_view word) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./:,=+@%").contains(c);
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) {
        return std::string(word);
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace kerntoll::lab::report
