// SPDX-License-Identifier: MIT
// A sentence put together without allocating, and what comes of a request that may be refused.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::agent {

using wire::Text;

/// A short text that is built piece by piece. What does not fit is cut off.
class Sentence {
public:
    constexpr Sentence() = default;
    template <class... Pieces>
    explicit Sentence(Pieces... pieces) {
        (add(pieces), ...);
    }

    void add(Text text);
    void add(const char* text);
    void add(uint64_t number);
    void add(long number);

    [[nodiscard]] constexpr Text text() const { return {bytes_, size_}; }

private:
    // Every byte may take three in a payload, and the payload has room for 1000.
    static constexpr size_t capacity = 300;
    char bytes_[capacity] = {};
    size_t size_ = 0;
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

    [[nodiscard]] constexpr bool is_ok() const { return verdict == Verdict::ok; }
};

template <class... Pieces>
[[nodiscard]] Outcome ok(Pieces... pieces) {
    return {Verdict::ok, Sentence(pieces...)};
}
template <class... Pieces>
[[nodiscard]] Outcome usage(Pieces... pieces) {
    return {Verdict::usage, Sentence(pieces...)};
}
template <class... Pieces>
[[nodiscard]] Outcome refused(Pieces... pieces) {
    return {Verdict::kernel, Sentence(pieces...)};
}
template <class... Pieces>
[[nodiscard]] Outcome fault(Pieces... pieces) {
    return {Verdict::fault, Sentence(pieces...)};
}

}  // namespace kerntoll::agent
