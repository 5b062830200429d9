// SPDX-License-Identifier: MIT
#include "wire/payload.hpp"

#include <gmock/gmock.h>

#include <string>

namespace kerntoll::wire {
namespace {

std::string as_string(Text text) {
    return {text.data, text.size};
}

TEST(Payload, IsAWordAndFieldsWithSingleSpaces) {
    PayloadWriter writer("ok");
    writer.field("n", 42).field("reason", "a b=c@d%e");
    EXPECT_TRUE(writer.complete());
    EXPECT_EQ(as_string(writer.text()), "ok n=42 reason=a%20b%3Dc%40d%25e");
    EXPECT_TRUE(is_payload(writer.text()));
}

TEST(Payload, EveryByteComesBack) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all += static_cast<char>(byte);
    }
    PayloadWriter writer("ok");
    writer.field("file", {all.data(), all.size()});
    ASSERT_TRUE(writer.complete());
    ASSERT_TRUE(is_payload(writer.text()));
    Text value;
    ASSERT_TRUE(find_field(writer.text(), "file", value));
    char decoded[256];
    std::size_t size = 0;
    ASSERT_TRUE(decode_value(value, decoded, sizeof decoded, size));
    EXPECT_EQ(std::string(decoded, size), all);
    EXPECT_FALSE(decode_value(value, decoded, 255, size)) << "one byte too few";
}

TEST(Payload, FieldThatDoesNotFitIsLeftOutWhole) {
    PayloadWriter writer("ok");
    const std::string value(max_payload - 10, ' ');
    writer.field("a", 1).field("b", {value.data(), value.size()});
    EXPECT_FALSE(writer.complete());
    EXPECT_EQ(as_string(writer.text()), "ok a=1");
}

TEST(Payload, FieldThatJustFitsIsKept) {
    PayloadWriter writer("ok");
    const std::string value(max_payload - 5, 'v');
    writer.field("b", {value.data(), value.size()});
    EXPECT_TRUE(writer.complete());
    EXPECT_EQ(writer.text().size, max_payload);
}

TEST(Payload, ReaderTakesFieldsInOrder) {
    PayloadReader reader("run workload=getpid n=10 file=");
    EXPECT_EQ(as_string(reader.word()), "run");
    Field field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(as_string(field.key) + "|" + as_string(field.value), "workload|getpid");
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(as_string(field.key) + "|" + as_string(field.value), "n|10");
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(as_string(field.key) + "|" + as_string(field.value), "file|");
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.well_formed());
}

TEST(Payload, ReaderStopsAtTheFirstFault) {
    for (const char* payload : {"run  n=1", "run n=1 ", " run n=1", "run n", "run =1", "run N=1",
                                "run n=1 x y=2", "Run n=1", ""}) {
        PayloadReader reader(payload);
        Field field;
        while (reader.next(field)) {
        }
        EXPECT_FALSE(reader.well_formed()) << payload;
    }
}

TEST(Payload, MissingFieldIsNotFound) {
    Text value;
    EXPECT_FALSE(find_field("ok nn=1 n-n=2", "n", value));
    EXPECT_TRUE(find_field("ok nn=1 n=2", "n", value));
    EXPECT_EQ(as_string(value), "2");
}

TEST(Payload, BrokenEncodingsAreRefused) {
    for (const char* value : {"%", "%2", "%zz", "%2g", "a b", "a=b", "\x01"}) {
        char decoded[16];
        std::size_t size = 99;
        EXPECT_FALSE(decode_value(value, decoded, sizeof decoded, size)) << value;
        EXPECT_EQ(size, 99U);
    }
}

TEST(Payload, EitherCaseOfPercentDigitsIsRead) {
    char decoded[4];
    std::size_t size = 0;
    ASSERT_TRUE(decode_value("%2F%2f", decoded, sizeof decoded, size));
    EXPECT_EQ(std::string(decoded, size), "//");
}

}  // namespace
}  // namespace kerntoll::wire
