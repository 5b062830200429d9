// SPDX-License-Identifier: MIT
// What the agent tells of its kernel's symbols.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "lab/target/wire_machine.hpp"
#include "lab/target/wire_text.hpp"
#include "wire/payload.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {

Result<std::uint64_t> WireMachine::read_symbols() {
    constexpr std::string_view doing = "reading its kernel's symbols";
    // The kernel writes some megabytes, which takes an emulated machine seconds.
    auto answer = ask(as_view(wire::verb::symbols), doing, std::chrono::seconds(1));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    const auto number = answer->number(as_view(wire::key::n));
    return number ? Result<std::uint64_t>(*number) : wrong_answer(doing, "no number of symbols");
}

Result<KernelSymbol> WireMachine::symbol_at(std::uint64_t address) {
    using Reach = KernelSymbol::Reach;
    constexpr std::string_view doing = "asking for a symbol of its kernel";
    wire::PayloadWriter payload(wire::verb::symbol);
    payload.field(wire::key::at, address);
    auto answer = ask(as_view(payload.text()), doing, std::chrono::nanoseconds(0));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    KernelSymbol symbol;
    for (const auto& [key, value] : answer->fields()) {
        for (const auto& [word, reach] :
             {std::pair(wire::key::global, Reach::global),
              std::pair(wire::key::local, Reach::local), std::pair(wire::key::weak, Reach::weak)}) {
            if (key == as_view(word)) {
                symbol.names.push_back({value, reach});
            }
        }
    }
    const auto start = answer->number(as_view(wire::key::start));
    const auto end = answer->number(as_view(wire::key::end));
    if (!start && !end && symbol.names.empty()) {
        return symbol;
    }
    if (!start || !end || *start > address || *end <= address) {
        return wrong_answer(doing, fmt::format("a symbol that does not hold {:#x}", address));
    }
    symbol.start = *start;
    symbol.end = *end;
    return symbol;
}

}  // namespace kerntoll::lab
