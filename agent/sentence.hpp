// SPDX-License-Identifier: MIT
// A sentence put together without allocating, and what comes of a request that may be refused.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent {

using wire::Text;

/// A part of a sentence: text, or a number to be written in decimal.
struct Piece {
    Text text;
    uint64_t magnitude = 0;
    enum class Kind { text, number, negative_number } kind = Kind::text;

    // Implicit on purpose: a sentence is a list of whatever it is made of.
    constexpr Piece(Text piece) : text(piece) {}
    constexpr Piece(const char* piece) : text(piece) {}
    constexpr Piece(uint64_t number) : magnitude(number), kind(Kind::number) {}
    constexpr Piece(long number)
        : magnitude(number < 0 ? uint64_t{0} - static_cast<uint64_t>(number)
                               : static_cast<uint64_t>(number)),
          kind(number < 0 ? Kind::negative_number : Kind::number) {}
};

/// A short text. What does not fit is cut off.
class Sentence {
public:
    Sentence() = default;

    void add(const Piece& piece);
    void add(const Piece* pieces, size_t count);
    [[nodiscard]] Text text() const { return {bytes_, size_}; }

private:
    // Every byte may take three in a payload, and the payload has room for 1000.
    static constexpr size_t capacity = 300;
    size_t size_ = 0;
    char bytes_[capacity];  // the first size_ of them count
};

/// What the kernel answers when it refuses: "error 2 (ENOENT)".
[[nodiscard]] Sentence describe_error(long negative_errno);

enum class Verdict {
    ok,
    usage,   ///< the request makes no sense
    kernel,  ///< the kernel lacks or refuses what it takes
    fault,   ///< a call did not do what it must do
};

/// A verdict with the sentence that explains it (with ok: what was checked, where that was asked).
struct Outcome {
    Verdict verdict = Verdict::ok;
    Sentence sentence;

    [[nodiscard]] bool is_ok() const { return verdict == Verdict::ok; }
};

[[nodiscard]] inline Outcome ok() {
    return {};
}
// Inlined, so that no function is made for every combination of pieces.
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Outcome conclude(Verdict verdict,
                                                          const Pieces&... pieces) {
    const Piece list[] = {pieces...};
    Outcome outcome;
    outcome.verdict = verdict;
    outcome.sentence.add(list, sizeof...(pieces));
    return outcome;
}
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Outcome ok(const Pieces&... pieces) {
    return conclude(Verdict::ok, pieces...);
}
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Outcome usage(const Pieces&... pieces) {
    return conclude(Verdict::usage, pieces...);
}
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Outcome refused(const Pieces&... pieces) {
    return conclude(Verdict::kernel, pieces...);
}
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Outcome fault(const Pieces&... pieces) {
    return conclude(Verdict::fault, pieces...);
}

}  // namespace kerntoll::agent
