// SPDX-License-Identifier: MIT
// A machine that is asked for the symbols of a path.
#include "lab/path/guest_symbols.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

namespace kerntoll::lab::path {
namespace {

using Reach = KernelSymbol::Reach;
using testing::ElementsAre;

class MachineWithSymbols final : public Machine {
public:
    std::vector<KernelSymbol> symbols;
    std::vector<std::uint64_t> asked;

    [[nodiscard]] Result<KernelSymbol> symbol_at(std::uint64_t address) override {
        asked.push_back(address);
        for (const KernelSymbol& symbol : symbols) {
            if (symbol.start <= address && address < symbol.end) {
                return symbol;
            }
        }
        return address == 0x666 ? Result<KernelSymbol>(fail(Fault::measurement, "it is gone"))
                                : KernelSymbol{};
    }

    // Nothing else is asked of it.
    [[nodiscard]] Result<void> wait_ready() override { return {}; }
    [[nodiscard]] const Identity& identity() const override { return identity_; }
    [[nodiscard]] Result<std::uint64_t> calibrate(const Work& /*work*/,
                                                  std::chrono::nanoseconds /*at_least*/) override {
        return 1;
    }
    [[nodiscard]] Result<Sample> run(const Work& /*work*/, std::uint64_t /*ops*/) override {
        return Sample{};
    }
    [[nodiscard]] Result<std::string> prove(const Work& /*work*/) override { return ""; }
    [[nodiscard]] Result<void> pause() override { return {}; }
    [[nodiscard]] Result<void> go_on() override { return {}; }
    [[nodiscard]] std::vector<std::string> console_tail() const override { return {}; }

private:
    Identity identity_;
};

/// A path whose first step, the trap, is at 1.
Trace through(const std::vector<std::uint64_t>& addresses) {
    Trace trace;
    trace.instructions.push_back({.address = 1, .bytes = {}, .text = {}});
    trace.variants.emplace_back();
    trace.variants[0].path.steps.push_back(0);
    for (const std::uint64_t address : addresses) {
        trace.variants[0].path.steps.push_back(
            static_cast<std::uint32_t>(trace.instructions.size()));
        trace.instructions.push_back({.address = address, .bytes = {}, .text = {}});
    }
    return trace;
}

TEST(GuestSymbols, EveryFunctionIsAskedForOnce) {
    MachineWithSymbols machine;
    machine.symbols = {{0x100, 0x200, {{"entry", Reach::global}}},
                       {0x200, 0x300, {{"sys_nothing", Reach::weak}, {"getpid", Reach::local}}}};
    const Trace trace = through({0x100, 0x104, 0x1fc, 0x200, 0x2fc, 0x108});
    const auto symbols = ask_symbols(machine, trace, trace.variants[0].path);
    ASSERT_TRUE(symbols);
    EXPECT_THAT(machine.asked, ElementsAre(0x100, 0x200));
    EXPECT_EQ(symbols->at(0x1fc)->function->name, "entry");
    EXPECT_EQ(symbols->at(0x2fc)->function->name, "getpid");
    EXPECT_EQ(symbols->at(0x2fc)->function->end, 0x300U);
    EXPECT_EQ(symbols->find("sys_nothing")->start, 0x200U);
    EXPECT_EQ(symbols->slide(), 0U);
}

TEST(GuestSymbols, WhatHasNoNameStaysWithoutOne) {
    MachineWithSymbols machine;
    machine.symbols = {{0x100, 0x200, {}},
                       {0x200, 0x300, {{"with blank", Reach::global}}},
                       {0x300, 0x400, {{std::string(2000, 'n'), Reach::global}}}};
    const Trace trace = through({0x100, 0x140, 0x200, 0x300, 0x900, 0x900, UINT64_MAX});
    const auto symbols = ask_symbols(machine, trace, trace.variants[0].path);
    ASSERT_TRUE(symbols);
    EXPECT_THAT(machine.asked, ElementsAre(0x100, 0x200, 0x300, 0x900, UINT64_MAX));
    EXPECT_TRUE(symbols->functions().empty());
    EXPECT_FALSE(symbols->at(0x140));
}

TEST(GuestSymbols, AMachineThatIsGoneIsAnError) {
    MachineWithSymbols machine;
    const Trace trace = through({0x666});
    EXPECT_EQ(ask_symbols(machine, trace, trace.variants[0].path).error().message, "it is gone");
}

}  // namespace
}  // namespace kerntoll::lab::path
