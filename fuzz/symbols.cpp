// SPDX-License-Identifier: MIT
// Symbols as text, which may be anything: no fault, and what is taken is in order.
#include "lab/path/symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.hpp"

namespace {

using namespace kerntoll::lab;
using kerntoll::fuzz::expect;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with("\x7f"
                         "ELF")) {  // libelf's business, and not compiled to be steered through
        return 0;
    }
    auto symbols = path::Symbols::parse(text, "given");
    if (!symbols) {
        expect(symbols.error().fault == Fault::usage, "a refusal is the user's affair");
        expect(symbols.error().message.size() < 250, "a refusal is a sentence");
        return 0;
    }
    constexpr std::uint64_t slide = 0x3ffe0000000;
    symbols->slide(slide);
    expect(!symbols->functions().empty(), "what is taken has functions");
    std::uint64_t before = 0;
    for (const path::Function& function : symbols->functions()) {
        expect(before <= function.start && function.start <= function.end,
               "functions are in order");
        before = function.end;
        const auto place = symbols->at(function.start + slide);
        // One at the very end of memory is empty.
        expect(place ? place->function == &function : function.start == UINT64_MAX,
               "a function is at its start");
        const path::Function* found = symbols->find(function.name);
        expect(found != nullptr && found->start <= function.start,
               "a name is found where it is first");
        expect(std::ranges::all_of(function.name, [](char c) { return c > ' ' && c <= '~'; }),
               "names are printable");
    }
    return 0;
}
