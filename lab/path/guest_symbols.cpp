// SPDX-License-Identifier: MIT
#include "lab/path/guest_symbols.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lab/path/symbols_table.hpp"

namespace kerntoll::lab::path {
namespace {

Binding binding_of(KernelSymbol::Reach reach) {
    switch (reach) {
        case KernelSymbol::Reach::global:
            return Binding::global;
        case KernelSymbol::Reach::local:
            return Binding::local;
        case KernelSymbol::Reach::weak:
            break;
    }
    return Binding::weak;
}

/// What is known so far: where each symbol begins and ends, also those that name no code.
using Known = std::map<std::uint64_t, std::uint64_t>;

bool covers(const Known& known, std::uint64_t address) {
    const auto behind = known.upper_bound(address);
    return behind != known.begin() && address < std::prev(behind)->second;
}

}  // namespace

Result<Symbols> ask_symbols(Machine& machine, const Trace& trace, const Path& path) {
    Known known;
    std::vector<Label> labels;
    for (std::size_t step = 1; step < path.steps.size(); ++step) {
        const std::uint64_t address = trace.instructions[path.steps[step]].address;
        if (covers(known, address)) {
            continue;
        }
        auto symbol = machine.symbol_at(address);
        if (!symbol) {
            return std::unexpected(symbol.error());
        }
        // Of an address outside of all symbols no more is known than of itself.
        const bool found = symbol->start < symbol->end;
        known.emplace(found ? symbol->start : address, found ? symbol->end : address + 1);
        for (KernelSymbol::Name& name : symbol->names) {
            if (is_name(name.text)) {
                labels.push_back({.name = std::move(name.text),
                                  .address = symbol->start,
                                  .size = symbol->end - symbol->start,
                                  .binding = binding_of(name.reach),
                                  .code = true});
            }
        }
    }
    return Symbols::of(std::move(labels));
}

}  // namespace kerntoll::lab::path
