// SPDX-License-Identifier: MIT
#include "lab/target/console.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntoll::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Console, KeepsLinesAndTheUnfinishedOne) {
    Console console;
    EXPECT_THAT(console.tail(), IsEmpty());
    console.add("one\r\n\r\ntwo\nthree");
    EXPECT_THAT(console.tail(), ElementsAre("one", "two", "three"));
    EXPECT_EQ(console.bytes(), 16U);
}

TEST(Console, KeepsTheLastLinesOnly) {
    Console console;
    for (int line = 0; line < 1000; ++line) {
        console.add(std::to_string(line) + "\n");
    }
    const auto tail = console.tail();
    EXPECT_EQ(tail.size(), Console::most_lines);
    EXPECT_EQ(tail.back(), "999");
}

TEST(Console, CutsLinesThatDoNotEnd) {
    Console console;
    console.add(std::string(100'000, 'x'));
    ASSERT_EQ(console.tail().size(), 1U);
    EXPECT_EQ(console.tail()[0].size(), Console::longest_line);
    console.add("\nnext");
    EXPECT_EQ(console.tail().back(), "next");
}

TEST(Console, MakesControlHarmless) {
    Console console;
    console.add("a\x1b[31;1mred\x1b[0m b\tc\x07\x80\x1b(Bd\n\x1b[2");
    EXPECT_THAT(console.tail(), ElementsAre("ared b c??Bd"));
}

TEST(Console, AnUnfinishedEscapeEndsWithItsLine) {
    Console console;
    console.add("\x1b[31\nnext");
    EXPECT_THAT(console.tail(), ElementsAre("next"));
}

TEST(Console, FindsTheLastLineThatHoldsAText) {
    Console console;
    console.add("[1] panic: first\n[2] panic: second\nend\n");
    EXPECT_EQ(console.last_with("panic:"), "panic: second");
    EXPECT_EQ(console.last_with("oops"), "");
}

}  // namespace
}  // namespace kerntoll::lab
