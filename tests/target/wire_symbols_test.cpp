// SPDX-License-Identifier: MIT
// What the lab makes of an agent's word about its kernel's symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lab/target/wire_machine.hpp"
#include "tests/base/leftovers.hpp"
#include "tests/target/fake_agent.hpp"

namespace kerntoll::lab {
namespace {

using testing::HasSubstr;
using WireSymbolsTest = LeavesNothing;

/// A script that answers one verb with this, and everything else as usual.
Script answering(std::string verb, std::string answer) {
    return [=](FakeLine& line) {
        line.say(response(0, "hello version=1 arch=riscv64"));
        while (const auto request = line.next()) {
            line.answer(*request, request->verb() == verb ? answer : usual_answer(*request));
        }
    };
}

TEST_F(WireSymbolsTest, AsksForSymbols) {
    FakeAgent agent([](FakeLine& line) {
        line.say(response(0, "hello version=1 arch=riscv64"));
        while (const auto request = line.next()) {
            line.answer(*request, request->payload == "symbols" ? "ok n=2"
                                  : request->payload == "symbol at=40"
                                      ? "ok start=32 end=48 local=a.cold%20 "
                                        "global=sys_a weak=%1b"
                                      : usual_answer(*request));
        }
    });
    ASSERT_TRUE(agent.machine().wait_ready());
    EXPECT_EQ(agent.machine().read_symbols().value_or(0), 2U);
    const auto symbol = agent.machine().symbol_at(40);
    ASSERT_TRUE(symbol) << symbol.error().message;
    EXPECT_EQ(symbol->start, 32U);
    EXPECT_EQ(symbol->end, 48U);
    ASSERT_EQ(symbol->names.size(), 3U);
    EXPECT_EQ(symbol->names[0].text, "a.cold ");
    EXPECT_EQ(symbol->names[0].reach, KernelSymbol::Reach::local);
    EXPECT_EQ(symbol->names[1].reach, KernelSymbol::Reach::global);
    EXPECT_EQ(symbol->names[2].text, "?");
    EXPECT_EQ(symbol->names[2].reach, KernelSymbol::Reach::weak);
    EXPECT_TRUE(agent.machine().symbol_at(50)->names.empty());
}

TEST_F(WireSymbolsTest, SymbolsThatMakeNoSenseAreRefused) {
    for (const char* answer : {"ok global=f", "ok start=32 global=f", "ok start=41 end=48 global=f",
                               "ok start=9 end=40", "ok start=x end=48 global=f", "maybe"}) {
        FakeAgent agent(answering("symbol", answer));
        ASSERT_TRUE(agent.machine().wait_ready());
        const auto symbol = agent.machine().symbol_at(40);
        ASSERT_FALSE(symbol) << answer;
        EXPECT_EQ(symbol.error().fault, Fault::measurement);
        EXPECT_THAT(symbol.error().message, HasSubstr("makes no sense")) << answer;
    }
}

TEST_F(WireSymbolsTest, SymbolsThatTheKernelHidesAreItsRefusal) {
    FakeAgent agent(answering("symbols", "no kind=kernel reason=hidden"));
    ASSERT_TRUE(agent.machine().wait_ready());
    const auto read = agent.machine().read_symbols();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().fault, Fault::environment);
    EXPECT_THAT(read.error().message, HasSubstr("hidden"));
}

}  // namespace
}  // namespace kerntoll::lab
