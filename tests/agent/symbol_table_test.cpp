// SPDX-License-Identifier: MIT
// What the agent makes of the text of a /proc/kallsyms, on the host.
#include "agent/symbol_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KernelSymbols : public testing::Test {
protected:
    [[nodiscard]] bool feed(std::string_view text) {
        return table.feed({text.data(), text.size()});
    }
    [[nodiscard]] std::vector<std::string> names(std::uint64_t address, Reach reach) const {
        std::vector<std::string> found;
        table.names_at(address, reach,
                       [&](Text name) { found.emplace_back(name.data, name.size); });
        return found;
    }
    [[nodiscard]] std::vector<std::uint64_t> range(std::uint64_t address) const {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        return table.find(address, start, end) ? std::vector{start, end}
                                               : std::vector<std::uint64_t>{};
    }

    void SetUp() override { table.use(*room); }

    std::unique_ptr<SymbolRoom> room = std::make_unique<SymbolRoom>();
    SymbolTable table;
};

constexpr std::string_view text =
    "0000000000000000 A fixed_percpu_data\n"
    "0000000000000010 a small_number\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 t start.cold\n"
    "ffffffff81000010 W sys_nothing\n"
    "ffffffff81000010 w sys_less\n"
    "ffffffff81000018 t $x\n"
    "ffffffff8100001c t .L12\n"
    "ffffffff8100001e t .\n"
    "ffffffff81000020 d some_data\n"
    "ffffffffc0000000 t in_module\t[virtio]\n"
    "ffffffffc0000100 T last\n";

TEST_F(KernelSymbols, HaveNamesAndReach) {
    ASSERT_TRUE(feed(text));
    EXPECT_FALSE(table.is_hidden());
    EXPECT_EQ(table.size(), 8U);
    EXPECT_THAT(range(0xffffffff81000000), ElementsAre(0xffffffff81000000, 0xffffffff81000010));
    EXPECT_THAT(names(0xffffffff81000000, Reach::global), ElementsAre("_stext"));
    EXPECT_THAT(names(0xffffffff81000000, Reach::local), ElementsAre("start.cold"));
    EXPECT_THAT(names(0xffffffff81000010, Reach::weak), ElementsAre("sys_nothing", "sys_less"));
    EXPECT_THAT(range(0xffffffff8100001d), ElementsAre(0xffffffff81000010, 0xffffffff8100001e));
    EXPECT_THAT(range(0xffffffff81000fff), ElementsAre(0xffffffff81000020, 0xffffffffc0000000));
    EXPECT_THAT(names(0xffffffff81000020, Reach::local), IsEmpty());
    EXPECT_THAT(names(0xffffffffc0000000, Reach::local), ElementsAre("in_module"));
    EXPECT_THAT(range(0xffffffffc0000100), IsEmpty());
    EXPECT_THAT(range(0x20), IsEmpty());
}

TEST_F(KernelSymbols, MayComeInAnyOrderAndPortions) {
    std::string turned;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n') + 1);
        turned.insert(0, line);
        rest.remove_prefix(line.size());
    }
    for (const char byte : turned) {
        ASSERT_TRUE(feed({&byte, 1}));
    }
    EXPECT_EQ(table.size(), 8U);
    EXPECT_THAT(range(0xffffffff81000fff), ElementsAre(0xffffffff81000020, 0xffffffffc0000000));
    EXPECT_THAT(names(0xffffffff81000000, Reach::global), ElementsAre("_stext"));
}

TEST_F(KernelSymbols, ThatAreHiddenAreNoticed) {
    ASSERT_TRUE(feed("0000000000000000 T _stext\n0000000000000000 t start\n"));
    EXPECT_TRUE(table.is_hidden());
}

TEST_F(KernelSymbols, ThatAreSomethingElseAreRefused) {
    for (const std::string wrong : {" T name\n", "x T name\n", "10000000000000000 T name\n",
                                    "10 Tname\n", "10\n", "FF T name\n"}) {
        SymbolTable fresh;
        fresh.use(*room);
        EXPECT_FALSE(fresh.feed({wrong.data(), wrong.size()})) << wrong;
    }
    EXPECT_TRUE(feed("10 T " + std::string(512, 'n') + "\n"));
    EXPECT_FALSE(feed("10 T " + std::string(513, 'n')));
}

TEST_F(KernelSymbols, ThatAreTooManyAreRefused) {
    for (std::size_t i = 0; i < SymbolRoom::most_symbols; ++i) {
        ASSERT_TRUE(feed("10 T n\n"));
    }
    EXPECT_FALSE(feed("10 T n\n"));
    SymbolTable fresh;
    fresh.use(*room);
    const std::string line = "10 T " + std::string(512, 'n') + "\n";
    for (std::size_t i = 0; i < SymbolRoom::most_name_bytes / 512; ++i) {
        ASSERT_TRUE(fresh.feed({line.data(), line.size()}));
    }
    EXPECT_FALSE(fresh.feed({line.data(), line.size()}));
}

}  // namespace
}  // namespace kerntoll::agent
