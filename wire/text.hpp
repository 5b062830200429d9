// SPDX-License-Identifier: MIT
// A view of bytes, and numbers as text: the little that the protocol needs and that freestanding
// code cannot take from the standard library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace kerntoll::wire {

/// A view of text owned by someone else; not terminated by a zero byte.
struct Text {
    const char* data = nullptr;
    size_t size = 0;

    constexpr Text() = default;
    constexpr Text(const char* begin, size_t length) : data(begin), size(length) {}
    /// From a literal or any other text that ends with a zero byte.
    constexpr Text(const char* terminated)
        : data(terminated) {  // NOLINT(google-explicit-constructor)
        while (terminated[size] != '\0') {
            ++size;
        }
    }

    [[nodiscard]] constexpr bool empty() const { return size == 0; }
    [[nodiscard]] constexpr Text prefix(size_t length) const { return {data, length}; }
    [[nodiscard]] constexpr Text from(size_t offset) const {
        return {data + offset, size - offset};
    }
    /// The position of the first `wanted`, or size where there is none.
    [[nodiscard]] constexpr size_t find(char wanted) const {
        size_t at = 0;
        while (at < size && data[at] != wanted) {
            ++at;
        }
        return at;
    }

    friend constexpr bool operator==(Text left, Text right) {
        if (left.size != right.size) {
            return false;
        }
        for (size_t i = 0; i < left.size; ++i) {
            if (left.data[i] != right.data[i]) {
                return false;
            }
        }
        return true;
    }
};

/// Reads a decimal number: digits only, no sign, no space. False where it is not one or does not
/// fit; `number` is then untouched.
[[nodiscard]] constexpr bool parse_decimal(Text text, uint64_t& number) {
    if (text.empty()) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; ++i) {
        const char digit = text.data[i];
        if (digit < '0' || digit > '9') {
            return false;
        }
        const auto add = static_cast<uint64_t>(digit - '0');
        if (value > (UINT64_MAX - add) / 10) {
            return false;
        }
        value = value * 10 + add;
    }
    number = value;
    return true;
}

/// Room for the longest 64-bit number in decimal.
inline constexpr size_t decimal_digits = 20;

/// Writes a number in decimal into `digits` and returns what was written.
[[nodiscard]] constexpr Text format_decimal(uint64_t number, char (&digits)[decimal_digits]) {
    size_t begin = decimal_digits;
    do {
        digits[--begin] = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return {digits + begin, decimal_digits - begin};
}

/// The value of one lower-case hexadecimal digit, or -1.
[[nodiscard]] constexpr int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    return -1;
}

/// Reads exactly eight lower-case hexadecimal digits.
[[nodiscard]] constexpr bool parse_hex32(Text text, uint32_t& number) {
    if (text.size != 8) {
        return false;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < 8; ++i) {
        const int digit = hex_value(text.data[i]);
        if (digit < 0) {
            return false;
        }
        value = value << 4U | static_cast<uint32_t>(digit);
    }
    number = value;
    return true;
}

/// Writes eight lower-case hexadecimal digits.
constexpr void format_hex32(uint32_t number, char* digits) {
    for (size_t i = 0; i < 8; ++i) {
        digits[i] = "0123456789abcdef"[number >> (28U - 4U * i) & 0xfU];
    }
}

}  // namespace kerntoll::wire
