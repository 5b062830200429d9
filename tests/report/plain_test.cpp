// SPDX-License-Identifier: MIT
#include "lab/report/plain.hpp"

#include <gmock/gmock.h>

namespace kerntoll::lab::report {
namespace {

using testing::ElementsAre;

TEST(Harmless, leaves_readable_text_alone) {
    EXPECT_EQ(harmless("plain, with ümläuts → and 漢字 and 🐧"),
              "plain, with ümläuts → and 漢字 and 🐧");
}

TEST(Harmless, writes_control_characters_out) {
    EXPECT_EQ(harmless("a\x1b[31mb\r\n\x07"), "a\\x1b[31mb\\x0d\\x0a\\x07");
    EXPECT_EQ(harmless(std::string_view("nul\0x", 5)), "nul\\x00x");
    EXPECT_EQ(harmless("\x7f"), "\\x7f");
    EXPECT_EQ(harmless("a\tb"), "a b");
}

TEST(Harmless, writes_out_what_a_terminal_obeys_in_utf8_too) {
    EXPECT_EQ(harmless("\xc2\x9b"), "\\u{9b}");  // CSI as a C1 control
    EXPECT_EQ(harmless("a\xe2\x80\xae"
                       "b"),
              "a\\u{202e}b");  // right-to-left override
    EXPECT_EQ(harmless("\xe2\x81\xa6\xef\xbb\xbf"), "\\u{2066}\\u{feff}");
}

TEST(Harmless, writes_out_bytes_that_are_not_utf8) {
    EXPECT_EQ(harmless("\xff"), "\\xff");
    EXPECT_EQ(harmless("\xc3"), "\\xc3");  // cut short
    EXPECT_EQ(harmless("\xc3("), "\\xc3(");
    EXPECT_EQ(harmless("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
    EXPECT_EQ(harmless("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
    EXPECT_EQ(harmless("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
    EXPECT_EQ(harmless("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
}

TEST(Markdown, text_cannot_open_markup) {
    EXPECT_EQ(markdown_text("a|b`c`<b>*x*_y_[z](u)"),
              "a\\|b\\`c\\`\\<b\\>\\*x\\*\\_y\\_\\[z\\](u)");
}

TEST(Markdown, code_cannot_leave_its_span_or_its_cell) {
    EXPECT_EQ(markdown_code("linux:a,append=\"x\""), "`linux:a,append=\"x\"`");
    EXPECT_EQ(markdown_code("a`b"), "`` a`b ``");
    EXPECT_EQ(markdown_code("a|b"), "`a\\|b`");
}

TEST(Columns, are_characters_and_not_bytes) {
    EXPECT_EQ(columns_of("→ü"), 2U);
    EXPECT_EQ(pad_right("ü", 3), "ü  ");
    EXPECT_EQ(pad_right("long", 2), "long");
}

TEST(Wrap, breaks_between_words_only) {
    EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
    EXPECT_THAT(wrap("a considerable word", 5), ElementsAre("a", "considerable", "word"));
    EXPECT_THAT(wrap("ä ö ü", 3), ElementsAre("ä ö", "ü"));
    EXPECT_THAT(wrap("", 5), ElementsAre(""));
}

TEST(ShellWord, quotes_what_a_shell_would_take_apart) {
    EXPECT_EQ(shell_word("linux:a/b,cpu=max"), "linux:a/b,cpu=max");
    EXPECT_EQ(shell_word("append=\"a b\""), "'append=\"a b\"'");
    EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("$(rm)"), "'$(rm)'");
}

}  // namespace
}  // namespace kerntoll::lab::report
