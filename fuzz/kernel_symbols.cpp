// SPDX-License-Identifier: MIT
// Arbitrary bytes as a /proc/kallsyms that the agent reads: no fault, no name that is not in the
// text, and every address that is held lies in the range that is told.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "agent/symbol_table.hpp"
#include "fuzz/expect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kerntoll::agent;
    using kerntoll::fuzz::expect;
    static const auto room = std::make_unique<SymbolRoom>();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    SymbolTable table;
    table.use(*room);
    (void)table.feed({input.data(), input.size()});
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0xff}, UINT64_MAX}) {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        if (table.find(address, start, end)) {
            expect(start <= address && address < end, "a range holds what it was asked for");
        }
        for (const Reach reach : {Reach::global, Reach::local, Reach::weak}) {
            table.names_at(start, reach, [&](Text name) {
                expect(input.contains(std::string_view(name.data, name.size)), "no invented name");
            });
        }
    }
    return 0;
}
