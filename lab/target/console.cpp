// SPDX-License-Identifier: MIT
#include "lab/target/console.hpp"

#include <ranges>
#include <utility>

namespace kerntoll::lab {

void Console::add(std::string_view text) {
    for (const char byte : text) {
        add(byte);
    }
}

void Console::add(char byte) {
    constexpr char escape = '\x1b';
    ++bytes_;
    if (byte == escape) {
        escape_ = Escape::started;
        return;
    }
    if (byte == '\n' || byte == '\r') {
        escape_ = Escape::none;
        finish_line();
        return;
    }
    if (escape_ == Escape::started) {
        // ESC [ opens a control sequence (ECMA-48); any other byte makes a two-byte one.
        escape_ = byte == '[' ? Escape::control_sequence : Escape::none;
        return;
    }
    if (escape_ == Escape::control_sequence) {
        // Parameters lie below '@'; the byte that ends the sequence from there to '~'.
        if (byte >= '@' && byte <= '~') {
            escape_ = Escape::none;
        }
        return;
    }
    if (line_.size() == longest_line) {
        return;
    }
    const bool harmless = byte >= ' ' && byte <= '~';
    line_ += byte == '\t' ? ' ' : (harmless ? byte : '?');
}

void Console::finish_line() {
    if (line_.empty()) {
        return;
    }
    if (lines_.size() == most_lines) {
        lines_.pop_front();
    }
    lines_.push_back(std::exchange(line_, {}));
}

std::vector<std::string> Console::tail() const {
    std::vector<std::string> all(lines_.begin(), lines_.end());
    if (!line_.empty()) {
        all.push_back(line_);
    }
    return all;
}

std::string Console::last_with(std::string_view text) const {
    const auto all = tail();
    for (const std::string& line : std::views::reverse(all)) {
        if (const std::size_t at = line.find(text); at != std::string::npos) {
            return line.substr(at);
        }
    }
    return {};
}

}  // namespace kerntoll::lab
