// SPDX-License-Identifier: MIT
#include "lab/target/gdb_packet.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <numeric>
#include <utility>

namespace kerntoll::lab {
namespace {

unsigned char sum_of(std::string_view payload) {
    return std::accumulate(
        payload.begin(), payload.end(), static_cast<unsigned char>(0),
        [](unsigned char sum, char byte) {
            return static_cast<unsigned char>(sum + static_cast<unsigned char>(byte));
        });
}

}  // namespace

std::optional<unsigned char> hex_byte(std::string_view digits) {
    unsigned char value = 0;
    const char* const begin = std::to_address(digits.begin());
    const char* const end = begin + digits.size();
    const auto read = std::from_chars(begin, end, value, 16);
    return digits.size() == 2 && read.ec == std::errc{} && read.ptr == end ? std::optional(value)
                                                                           : std::nullopt;
}

std::optional<std::string> hex_bytes(std::string_view digits) {
    std::string bytes;
    for (; !digits.empty(); digits.remove_prefix(2)) {
        const auto byte = hex_byte(digits.substr(0, 2));
        if (!byte) {
            return std::nullopt;
        }
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

std::string gdb_packet(std::string_view payload) {
    return fmt::format("${}#{:02x}", payload, sum_of(payload));
}

bool GdbDecoder::feed(std::string_view bytes) {
    for (const char byte : bytes) {
        if (!take_byte(byte)) {
            at_ = At::fault;
            return false;
        }
    }
    return at_ != At::fault;
}

bool GdbDecoder::take_byte(char byte) {
    switch (at_) {
        case At::between:
            if (byte != '$') {
                return byte == '+';
            }
            payload_.clear();
            at_ = At::payload;
            return true;
        case At::payload:
            if (byte == '#') {
                at_ = At::first_digit;
                return true;
            }
            payload_ += byte;
            return byte != '$' && payload_.size() <= longest;
        case At::first_digit:
        case At::second_digit: {
            const std::string digits{'0', byte};
            const auto value = hex_byte(digits);
            if (!value) {
                return false;
            }
            sum_ = (sum_ << 4U | *value) & 0xffU;
            if (at_ == At::first_digit) {
                at_ = At::second_digit;
                return true;
            }
            return end_packet();
        }
        case At::fault:
            break;
    }
    return false;
}

bool GdbDecoder::end_packet() {
    if (sum_ != sum_of(payload_) || whole_) {
        return false;
    }
    whole_ = std::exchange(payload_, {});
    at_ = At::between;
    return true;
}

std::optional<std::string> GdbDecoder::take() {
    return std::exchange(whole_, std::nullopt);
}

}  // namespace kerntoll::lab
