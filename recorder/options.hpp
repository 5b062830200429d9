// SPDX-License-Identifier: MIT
// What the lab tells the recorder: `-plugin FILE,loop=0xLOW-0xHIGH,text=0xLOW-0xHIGH,fd=N,…`
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recorder/address_range.hpp"

namespace kerntoll::recorder {

struct Options {
    AddressRange loop;             ///< the user code whose trap instructions are recorded
    AddressRange text;             ///< all of the user's code: a path ends where it goes on
    std::uint64_t warm_up = 1000;  ///< executions of one loop instruction before recording begins
    std::uint64_t rounds = 100;    ///< ops to record: as many round trips of each of their calls
    std::uint64_t limit = 1'000'000;  ///< instructions of one round trip, at most
    int fd = -1;                      ///< where the trace is written

    /// Takes `key=value` words; empty, or the sentence that says what is wrong.
    [[nodiscard]] std::string take(std::span<char* const> words);

private:
    [[nodiscard]] bool take(std::string_view key, std::string_view value);
};

namespace detail {

template <class Number>
bool number(std::string_view text, Number& value) {
    const int base = text.starts_with("0x") ? 16 : 10;
    text.remove_prefix(base == 16 ? 2 : 0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size();
}

inline bool range(std::string_view text, AddressRange& value) {
    const std::size_t dash = text.find('-');
    return dash != text.npos && number(text.substr(0, dash), value.low) &&
           number(text.substr(dash + 1), value.high) && value.low < value.high;
}

}  // namespace detail

inline bool Options::take(std::string_view key, std::string_view value) {
    if (key == "loop") {
        return detail::range(value, loop);
    }
    if (key == "text") {
        return detail::range(value, text);
    }
    if (key == "warm_up") {
        return detail::number(value, warm_up);
    }
    if (key == "rounds") {
        return detail::number(value, rounds) && rounds > 0;
    }
    if (key == "limit") {
        return detail::number(value, limit) && limit > 0;
    }
    return key == "fd" && detail::number(value, fd);
}

inline std::string Options::take(std::span<char* const> words) {
    for (const std::string_view word : words) {
        const std::size_t equals = word.find('=');
        if (equals == word.npos || !take(word.substr(0, equals), word.substr(equals + 1))) {
            return "the recorder cannot use '" + std::string(word) +
                   "'; it takes loop=0xLOW-0xHIGH, text=0xLOW-0xHIGH, fd=N, warm_up=N, rounds=N "
                   "and limit=N";
        }
    }
    if (fd < 0 || loop.high == 0 || text.high == 0) {
        return "the recorder needs loop=, text= and fd=";
    }
    return {};
}

}  // namespace kerntoll::recorder
