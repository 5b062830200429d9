// SPDX-License-Identifier: MIT
// Frames: one printable line each, found again in whatever else a serial console carries.
//   @K> SSSSSSSS PAYLOAD CCCCCCCC\n     lab → agent
//   @K< SSSSSSSS PAYLOAD CCCCCCCC\n     agent → lab
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/crc32.hpp"
#include "wire/text.hpp"

namespace kerntoll::wire {

/// Which way a frame goes: its third character.
enum class Direction : char { request = '>', response = '<' };

/// The longest frame, its newline included.
inline constexpr size_t max_frame = 1024;
/// What a frame needs beside its payload: "@K> ", sequence, spaces, checksum, newline.
inline constexpr size_t frame_overhead = 4 + 8 + 1 + 1 + 8 + 1;
inline constexpr size_t max_payload = max_frame - frame_overhead;

/// A frame that was found and proved. The payload lies in the decoder: copy it to keep it.
struct Frame {
    uint32_t sequence = 0;
    Text payload;
};

/// Whether a payload can be framed: printable ASCII without '@' (so that no marker can stand in
/// it), neither empty nor too long.
[[nodiscard]] constexpr bool is_payload(Text payload) {
    if (payload.empty() || payload.size > max_payload) {
        return false;
    }
    for (size_t i = 0; i < payload.size; ++i) {
        const char byte = payload.data[i];
        if (byte < 0x20 || byte > 0x7e || byte == '@') {
            return false;
        }
    }
    return true;
}

/// Writes a frame into `frame` and returns its length; 0 where is_payload() does not hold.
[[nodiscard]] constexpr size_t encode(Direction direction, uint32_t sequence, Text payload,
                                      char (&frame)[max_frame]) {
    if (!is_payload(payload)) {
        return 0;
    }
    size_t end = 0;
    frame[end++] = '@';
    frame[end++] = 'K';
    frame[end++] = static_cast<char>(direction);
    frame[end++] = ' ';
    format_hex32(sequence, frame + end);
    end += 8;
    frame[end++] = ' ';
    for (size_t i = 0; i < payload.size; ++i) {
        frame[end++] = payload.data[i];
    }
    frame[end++] = ' ';
    format_hex32(crc32({frame, end}), frame + end);
    end += 8;
    frame[end++] = '\n';
    return end;
}

/// Takes one line apart, without its newline. False where it is not a whole, unharmed frame.
[[nodiscard]] constexpr bool decode(Text line, Direction& direction, Frame& frame) {
    if (line.size < frame_overhead || line.size >= max_frame) {  // one payload byte, no newline
        return false;
    }
    const char* const bytes = line.data;
    const bool is_request = bytes[2] == static_cast<char>(Direction::request);
    if (bytes[0] != '@' || bytes[1] != 'K' || bytes[3] != ' ' || bytes[12] != ' ' ||
        (!is_request && bytes[2] != static_cast<char>(Direction::response))) {
        return false;
    }
    const size_t covered = line.size - 8;
    const Text payload{bytes + 13, covered - 13 - 1};
    uint32_t sequence = 0;
    uint32_t checksum = 0;
    if (bytes[covered - 1] != ' ' || !is_payload(payload) ||
        !parse_hex32({bytes + 4, 8}, sequence) || !parse_hex32(line.from(covered), checksum) ||
        checksum != crc32(line.prefix(covered))) {
        return false;
    }
    direction = is_request ? Direction::request : Direction::response;
    frame = {sequence, payload};
    return true;
}

/// Finds frames in a stream of bytes that arrives in any portions.
///
/// The sink has two functions: `frame(const Frame&)` for every whole frame of the wanted direction,
/// and `text(Text)` for everything that is not a frame (a kernel's messages, damaged frames), in
/// the order in which it came. Whole frames of the other direction are an echo and are dropped, as
/// are the line ends that follow a frame. Nothing is allocated.
class Decoder {
public:
    explicit constexpr Decoder(Direction wanted) : wanted_(wanted) {}

    template <class Sink>
    constexpr void feed(Text bytes, Sink&& sink) {
        size_t begin = 0;  // of the text not handed over yet
        for (size_t i = 0; i < bytes.size; ++i) {
            const char byte = bytes.data[i];
            if (held_ != 0 || byte == '@') {
                if (held_ == 0) {
                    hand_over(bytes, begin, i, sink);
                }
                hold(byte, sink);
                begin = i + 1;
                continue;
            }
            if (after_frame_ && (byte == '\r' || byte == '\n')) {
                begin = i + 1;  // the rest of the frame's own line end
                continue;
            }
            after_frame_ = false;
        }
        hand_over(bytes, begin, bytes.size, sink);
    }

    /// Hands over what is held back because it might still become a frame. For the end of a
    /// stream.
    template <class Sink>
    constexpr void finish(Sink&& sink) {
        release(sink);
    }

private:
    template <class Sink>
    static constexpr void hand_over(Text bytes, size_t begin, size_t end, Sink&& sink) {
        if (begin < end) {
            sink.text(Text{bytes.data + begin, end - begin});
        }
    }

    template <class Sink>
    constexpr void release(Sink&& sink) {
        const size_t length = held_;
        held_ = 0;
        after_frame_ = false;
        if (length != 0) {
            sink.text(Text{line_, length});
        }
    }

    /// Takes a byte of what may be a frame. line_ begins with '@' whenever something is held.
    template <class Sink>
    constexpr void hold(char byte, Sink&& sink) {
        if (byte == '@') {  // no payload contains one: this starts anew
            release(sink);
            line_[held_++] = byte;
            return;
        }
        if (byte == '\r' || byte == '\n') {
            Direction direction{};
            Frame frame;
            if (!decode({line_, held_}, direction, frame)) {
                line_[held_++] = byte;
                release(sink);
                return;
            }
            held_ = 0;
            after_frame_ = true;
            if (direction == wanted_) {
                sink.frame(frame);
            }
            return;
        }
        line_[held_++] = byte;
        const bool cannot_be_marker = (held_ == 2 && byte != 'K') ||
                                      (held_ == 3 && byte != '<' && byte != '>') ||
                                      (held_ == 4 && byte != ' ');
        if (cannot_be_marker || held_ == max_frame) {
            release(sink);
        }
    }

    Direction wanted_;
    bool after_frame_ = false;
    size_t held_ = 0;
    char line_[max_frame] = {};
};

}  // namespace kerntoll::wire
