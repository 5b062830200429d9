// SPDX-License-Identifier: MIT
// Arbitrary bytes into the decoder and the payload reader, in portions that the input chooses: no
// fault, no text invented or put in another order, none lost where no frame can be, and the
// portions make no difference.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/expect.hpp"
#include "wire/frame.hpp"
#include "wire/payload.hpp"

namespace {

using namespace kerntoll::wire;
using kerntoll::fuzz::expect;

struct Sink {
    std::string console;
    std::vector<std::string> frames;

    void frame(const Frame& found) {
        expect(is_payload(found.payload), "a frame holds a payload that can be framed");
        frames.emplace_back(found.payload.data, found.payload.size);
        PayloadReader reader(found.payload);
        Field field;
        while (reader.next(field)) {
            char decoded[max_payload];
            std::size_t size = 0;
            if (decode_value(field.value, decoded, sizeof decoded, size)) {
                expect(size <= field.value.size, "decoding does not lengthen a value");
            }
            std::uint64_t number = 0;
            if (parse_decimal(field.value, number)) {
                char digits[decimal_digits];
                expect(!format_decimal(number, digits).empty(), "a number has digits");
            }
        }
    }
    void text(Text text) {
        expect(!text.empty(), "no empty pieces of text");
        console.append(text.data, text.size);
    }
};

/// Whether `rest` is what remains of `all` when some of its bytes are taken out.
bool is_left_of(std::string_view rest, std::string_view all) {
    for (const char byte : all) {
        if (!rest.empty() && rest.front() == byte) {
            rest.remove_prefix(1);
        }
    }
    return rest.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto* bytes = reinterpret_cast<const char*>(data);
    const Direction wanted =
        size != 0 && (data[0] & 1U) != 0 ? Direction::request : Direction::response;

    Sink whole;
    Decoder decoder(wanted);
    decoder.feed({bytes, size}, whole);
    decoder.finish(whole);
    const std::string_view input(bytes, size);
    expect(is_left_of(whole.console, input), "no text is invented or put in another order");
    expect(input.find('@') != input.npos || whole.console == input, "no text is lost");

    Sink pieces;
    Decoder other(wanted);
    for (std::size_t at = 0; at < size;) {
        const std::size_t left = size - at;
        const std::size_t step = 1 + data[at] % 13U;
        other.feed({bytes + at, step < left ? step : left}, pieces);
        at += step;
    }
    other.finish(pieces);
    expect(pieces.console == whole.console, "portions do not change the text");
    expect(pieces.frames == whole.frames, "portions do not change the frames");

    PayloadReader reader({bytes, size});
    Field field;
    while (reader.next(field)) {
        expect(is_key(field.key), "keys are keys");
    }
    return 0;
}
