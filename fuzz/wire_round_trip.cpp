// SPDX-License-Identifier: MIT
// A fuzzed script of what a serial line does to frames: values of any bytes are encoded, sent and
// found again between noise, with line ends translated, requests echoed, frames cut by messages,
// and everything read in portions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.hpp"
#include "wire/frame.hpp"
#include "wire/payload.hpp"

namespace {

using namespace kerntoll::wire;
using kerntoll::fuzz::expect;

class Script {
public:
    Script(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    [[nodiscard]] bool empty() const { return size_ == 0; }
    std::uint8_t byte() {
        if (size_ == 0) {
            return 0;
        }
        --size_;
        return *data_++;
    }
    std::string bytes(std::size_t most) {
        std::string taken;
        for (std::size_t left = most == 0 ? 0 : byte() % (most + 1); left > 0 && !empty(); --left) {
            taken += static_cast<char>(byte());
        }
        return taken;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

std::string framed(Direction direction, std::uint32_t sequence, Text payload) {
    char frame[max_frame];
    return {frame, encode(direction, sequence, payload, frame)};
}

struct Sink {
    std::vector<std::pair<std::uint32_t, std::string>> found;

    void frame(const Frame& frame) {
        Text value;
        char decoded[max_payload];
        std::size_t size = 0;
        expect(PayloadReader(frame.payload).word() == "ok", "the word comes back");
        expect(find_field(frame.payload, "value", value), "the field comes back");
        expect(decode_value(value, decoded, sizeof decoded, size), "the value can be decoded");
        found.emplace_back(frame.sequence, std::string(decoded, size));
    }
    void text(Text /*noise*/) {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Script script(data, size);
    std::string stream;
    std::vector<std::pair<std::uint32_t, std::string>> sent;
    std::uint32_t sequence = 0;
    while (!script.empty()) {
        switch (script.byte() % 5U) {
            case 0: {  // an answer, its line end as it is, or made CR LF, or CR
                const std::string value = script.bytes(255);
                PayloadWriter writer("ok");
                writer.field("value", {value.data(), value.size()});
                expect(writer.complete(), "255 bytes fit, whatever they are");
                std::string frame = framed(Direction::response, ++sequence, writer.text());
                expect(!frame.empty(), "what the writer makes can be framed");
                frame.pop_back();
                const char* const ends[] = {"\n", "\r\n", "\r", "\r\r\n"};
                stream += frame + ends[script.byte() % 4U];
                sent.emplace_back(sequence, value);
                break;
            }
            case 1: {  // noise, which must not happen to be a frame: it cannot hold a marker's '@'
                std::string noise = script.bytes(80);
                std::erase(noise, '@');
                stream += noise;
                break;
            }
            case 2:  // an echoed request
                stream +=
                    framed(Direction::request, ++sequence, "run workload=getpid n=1") + "\r\n";
                break;
            case 3: {  // a frame cut short by a message
                const std::string frame = framed(Direction::response, ++sequence, "ok value=1");
                stream += frame.substr(0, script.byte() % (frame.size() - 1)) + "[ 1.0] cut\n";
                break;
            }
            default:  // a frame that begins and never ends
                stream += "@K< 0000";
                break;
        }
    }

    Sink sink;
    Decoder decoder(Direction::response);
    std::size_t step = 1;
    for (std::size_t at = 0; at < stream.size(); at += step) {
        step = 1 + (at * 7 + size) % 31;
        const std::size_t left = stream.size() - at;
        decoder.feed({stream.data() + at, step < left ? step : left}, sink);
    }
    decoder.finish(sink);
    expect(sink.found == sent, "every whole frame is found, in order, and no other");
    return 0;
}
