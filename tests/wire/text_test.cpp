// SPDX-License-Identifier: MIT
#include "wire/text.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "wire/crc32.hpp"

namespace kerntoll::wire {
namespace {

TEST(Decimal, EveryNumberComesBack) {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10},
                                       std::uint64_t{1'234'567'890}, UINT64_MAX - 1, UINT64_MAX}) {
        char digits[decimal_digits];
        const Text text = format_decimal(number, digits);
        EXPECT_EQ(std::string(text.data, text.size), std::to_string(number));
        std::uint64_t back = 1;
        EXPECT_TRUE(parse_decimal(text, back));
        EXPECT_EQ(back, number);
    }
}

TEST(Decimal, WhatIsNoNumberOrDoesNotFitIsRefusedAndNothingIsWritten) {
    for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x10", "1.0", "18446744073709551616",
                             "28446744073709551615", "99999999999999999999999"}) {
        std::uint64_t number = 77;
        EXPECT_FALSE(parse_decimal(text, number)) << text;
        EXPECT_EQ(number, 77) << text;
    }
}

TEST(Hexadecimal, EightLowerCaseDigitsAndNothingElse) {
    char digits[8];
    format_hex32(0x00c0ffeeU, digits);
    EXPECT_EQ(std::string(digits, 8), "00c0ffee");
    std::uint32_t number = 0;
    EXPECT_TRUE(parse_hex32("fedcba98", number));
    EXPECT_EQ(number, 0xfedcba98U);
    for (const char* text : {"fedcba9", "fedcba987", "FEDCBA98", "0xfedcba", "fedc ba9"}) {
        EXPECT_FALSE(parse_hex32(text, number)) << text;
    }
}

// Check values of the catalogue of parametrised CRC algorithms (CRC-32/ISO-HDLC), and the CRC of
// nothing.
TEST(Crc32, AgreesWithPublishedValues) {
    EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
    EXPECT_EQ(crc32(""), 0U);
    EXPECT_EQ(crc32("a"), 0xe8b7be43U);
    EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
}

TEST(Crc32, SeesEveryChangeOfOneBit) {
    const std::string text = "ok ns=123456789 ticks=42";
    const std::uint32_t whole = crc32({text.data(), text.size()});
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        std::string changed = text;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_NE(crc32({changed.data(), changed.size()}), whole) << "bit " << bit;
    }
}

}  // namespace
}  // namespace kerntoll::wire
