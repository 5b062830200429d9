// SPDX-License-Identifier: MIT
#include "wire/frame.hpp"

#include <gmock/gmock.h>

#include <string>

#include "tests/wire/collector.hpp"

namespace kerntoll::wire {
namespace {

// Written out once in full, so that the two sides cannot drift together. The checksums are
// zlib's of all that stands before them.
TEST(Frame, IsTheLineThatTheDocumentSays) {
    EXPECT_EQ(request(1, "identify"), "@K> 00000001 identify e81f0ea5\n");
    EXPECT_EQ(response(0xabcdef01U, "ok n=7"), "@K< abcdef01 ok n=7 fd7af81b\n");
}

TEST(Frame, LongestPayloadFillsExactlyTheLongestFrame) {
    const std::string payload(max_payload, 'x');
    const std::string frame = response(5, payload);
    EXPECT_EQ(frame.size(), max_frame);
    const Collector found = decoded(frame);
    ASSERT_EQ(found.frames.size(), 1U);
    EXPECT_EQ(found.frames[0].second, payload);
}

TEST(Frame, PayloadsThatCannotBeFramedAreRefused) {
    for (const std::string& payload :
         {std::string(), std::string(max_payload + 1, 'x'), std::string("a@b"), std::string("a\nb"),
          std::string("a\rb"), std::string("a\0b", 3), std::string("\x7f"),
          std::string("\xc3\xa9")}) {
        EXPECT_EQ(response(1, payload), "") << payload;
    }
}

// Shapes that are wrong although their checksum is right.
TEST(Frame, RightChecksumDoesNotExcuseAWrongShape) {
    const auto sealed = [](std::string covered) {
        char digits[8];
        format_hex32(crc32({covered.data(), covered.size()}), digits);
        return covered.append(digits, 8);
    };
    const auto accepts = [](const std::string& line) {
        Direction direction{};
        Frame frame;
        return decode({line.data(), line.size()}, direction, frame);
    };
    EXPECT_TRUE(accepts(sealed("@K< 0000000a ok ")));
    EXPECT_FALSE(accepts(sealed("@K< 0000000A ok "))) << "upper-case digit";
    EXPECT_FALSE(accepts(sealed("@K= 0000000a ok "))) << "direction";
    EXPECT_FALSE(accepts(sealed("@K<_0000000a ok "))) << "no space";
    EXPECT_FALSE(accepts(sealed("@K< 0000000a_ok "))) << "no space";
    EXPECT_FALSE(accepts(sealed("@K< 0000000a ok_"))) << "no space";
    EXPECT_FALSE(accepts(sealed("@K< 0000000a  "))) << "empty payload";
    EXPECT_FALSE(accepts(sealed("@K< 0000000a "))) << "no payload";
    EXPECT_FALSE(accepts(sealed("@K< 0000000a o\tk "))) << "unprintable payload";
    EXPECT_FALSE(accepts(sealed("@X< 0000000a ok "))) << "marker";
}

}  // namespace
}  // namespace kerntoll::wire
