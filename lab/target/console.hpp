// SPDX-License-Identifier: MIT
// What a machine printed beside the protocol, kept for the sentence that explains its end.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::lab {

/// The last lines of a console, made harmless: escape sequences are dropped, other control bytes
/// and bytes outside ASCII become '?'. Memory is bounded however much is printed.
class Console {
public:
    static constexpr std::size_t most_lines = 40;
    static constexpr std::size_t longest_line = 240;

    void add(char byte);
    void add(std::string_view text);

    /// The lines so far, oldest first; the unfinished one is the last. Empty lines are left out.
    [[nodiscard]] std::vector<std::string> tail() const;
    /// The last line that holds `text`, from there on; empty where none does.
    [[nodiscard]] std::string last_with(std::string_view text) const;
    /// Bytes printed since the start.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    enum class Escape { none, started, control_sequence };

    void finish_line();

    std::deque<std::string> lines_;
    std::string line_;
    Escape escape_ = Escape::none;
    std::size_t bytes_ = 0;
};

}  // namespace kerntoll::lab
