// SPDX-License-Identifier: MIT
// Payloads: `word key=value key=value`, single spaces, values percent-encoded.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/frame.hpp"
#include "wire/text.hpp"

namespace kerntoll::wire {

/// Whether a byte of a value must be written as %XX.
[[nodiscard]] constexpr bool needs_percent(char byte) {
    return byte < 0x21 || byte > 0x7e || byte == '%' || byte == '@' || byte == '=';
}

/// Whether a text can be a key (or the word in front): [a-z0-9_-], not empty.
[[nodiscard]] constexpr bool is_key(Text text) {
    for (size_t i = 0; i < text.size; ++i) {
        const char byte = text.data[i];
        const bool allowed = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
                             byte == '_' || byte == '-';
        if (!allowed) {
            return false;
        }
    }
    return !text.empty();
}

/// Builds a payload in place. What does not fit is left out whole, and complete() says so.
class PayloadWriter {
public:
    explicit constexpr PayloadWriter(Text word) { append(word); }

    constexpr PayloadWriter& field(Text key, Text value) {
        const size_t begin = size_;
        append(" ");
        append(key);
        append("=");
        for (size_t i = 0; i < value.size; ++i) {
            const char byte = value.data[i];
            if (needs_percent(byte)) {
                const auto bits = static_cast<unsigned char>(byte);
                const char encoded[3] = {'%', hex[bits >> 4U], hex[bits & 0xfU]};
                append({encoded, 3});
            } else {
                append({&byte, 1});
            }
        }
        if (!complete_) {
            size_ = begin;
        }
        return *this;
    }
    constexpr PayloadWriter& field(Text key, uint64_t number) {
        char digits[decimal_digits] = {};
        return field(key, format_decimal(number, digits));
    }

    /// False where a field did not fit and nothing was written since.
    [[nodiscard]] constexpr bool complete() const { return complete_; }
    [[nodiscard]] constexpr Text text() const { return {bytes_, size_}; }

private:
    static constexpr const char* hex = "0123456789ABCDEF";

    constexpr void append(Text text) {
        if (!complete_ || text.size > max_payload - size_) {
            complete_ = false;
            return;
        }
        for (size_t i = 0; i < text.size; ++i) {
            bytes_[size_++] = text.data[i];
        }
    }

    bool complete_ = true;
    size_t size_ = 0;
    char bytes_[max_payload];  // the first size_ of them count
};

/// One key=value; the value is still percent-encoded.
struct Field {
    Text key;
    Text value;
};

/// Takes a payload apart, from left to right.
class PayloadReader {
public:
    explicit constexpr PayloadReader(Text payload) : rest_(payload) {
        const size_t end = rest_.find(' ');
        word_ = rest_.prefix(end);
        rest_ = rest_.from(end);
        well_formed_ = is_key(word_);
    }

    /// The verb or answer in front.
    [[nodiscard]] constexpr Text word() const { return word_; }

    /// Takes the next field. False at the end and at the first fault; well_formed() tells which.
    [[nodiscard]] constexpr bool next(Field& field) {
        if (rest_.empty() || !well_formed_) {
            return false;
        }
        const Text tail = rest_.from(1);  // rest_ begins with the space
        const Text item = tail.prefix(tail.find(' '));
        const size_t equals = item.find('=');
        if (equals == item.size || !is_key(item.prefix(equals))) {
            well_formed_ = false;
            return false;
        }
        field = {item.prefix(equals), item.from(equals + 1)};
        rest_ = tail.from(item.size);
        return true;
    }

    [[nodiscard]] constexpr bool well_formed() const { return well_formed_; }

private:
    Text word_;
    Text rest_;
    bool well_formed_ = true;
};

/// Finds a field by its key: the encoded value, or false where there is none.
[[nodiscard]] constexpr bool find_field(Text payload, Text key, Text& value) {
    PayloadReader reader(payload);
    Field field;
    while (reader.next(field)) {
        if (field.key == key) {
            value = field.value;
            return true;
        }
    }
    return false;
}

namespace detail {

constexpr int percent_digit(char digit) {
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : hex_value(digit);
}

}  // namespace detail

/// Decodes a value into `decoded`, which has room for `capacity` bytes, and sets `size`. False
/// where the encoding is broken or the value does not fit.
[[nodiscard]] constexpr bool decode_value(Text value, char* decoded, size_t capacity,
                                          size_t& size) {
    size_t written = 0;
    for (size_t i = 0; i < value.size; ++i) {
        char byte = value.data[i];
        if (byte == '%') {
            if (value.size - i < 3) {
                return false;
            }
            const int high = detail::percent_digit(value.data[i + 1]);
            const int low = detail::percent_digit(value.data[i + 2]);
            if (high < 0 || low < 0) {
                return false;
            }
            byte = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (needs_percent(byte)) {
            return false;
        }
        if (written == capacity) {
            return false;
        }
        decoded[written++] = byte;
    }
    size = written;
    return true;
}

}  // namespace kerntoll::wire
