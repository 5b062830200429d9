// SPDX-License-Identifier: MIT
// A decoder's sink that keeps everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/frame.hpp"

namespace kerntoll::wire {

struct Collector {
    std::vector<std::pair<std::uint32_t, std::string>> frames;
    std::string console;

    void frame(const Frame& frame) {
        frames.emplace_back(frame.sequence, std::string(frame.payload.data, frame.payload.size));
    }
    void text(Text text) { console.append(text.data, text.size); }
};

inline std::string framed(Direction direction, std::uint32_t sequence, std::string_view payload) {
    char frame[max_frame];
    return {frame, encode(direction, sequence, {payload.data(), payload.size()}, frame)};
}

inline std::string response(std::uint32_t sequence, std::string_view payload) {
    return framed(Direction::response, sequence, payload);
}

inline std::string request(std::uint32_t sequence, std::string_view payload) {
    return framed(Direction::request, sequence, payload);
}

/// Decodes a whole stream that comes in portions of one size (0: all at once).
inline Collector decoded(std::string_view stream, std::size_t portion = 0,
                         Direction wanted = Direction::response) {
    Collector collector;
    Decoder decoder(wanted);
    const std::size_t step = portion == 0 ? stream.size() : portion;
    for (std::size_t at = 0; at < stream.size(); at += step) {
        const std::string_view part = stream.substr(at, step);
        decoder.feed({part.data(), part.size()}, collector);
    }
    decoder.finish(collector);
    return collector;
}

}  // namespace kerntoll::wire
