// SPDX-License-Identifier: MIT
#include "lab/path/align.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace kerntoll::lab::path {
namespace {

using Index = std::int64_t;

/// The middle of a shortest edit script: a run of equal elements, possibly empty.
struct Snake {
    Index base = 0;
    Index change = 0;
    Index length = 0;
};

class Myers {
public:
    Myers(std::span<const std::uint32_t> base, std::span<const std::uint32_t> change)
        : base_(base), change_(change) {}

    [[nodiscard]] Matches run() {
        solve(0, size(base_), 0, size(change_));
        return std::move(matches_);
    }

private:
    static Index size(std::span<const std::uint32_t> elements) {
        return static_cast<Index>(elements.size());
    }
    [[nodiscard]] bool equal(Index base, Index change) const {
        return base_[static_cast<std::size_t>(base)] == change_[static_cast<std::size_t>(change)];
    }
    void match(Index base, Index change, Index length) {
        for (Index at = 0; at < length; ++at) {
            matches_.emplace_back(base + at, change + at);
        }
    }

    /// Matches base_[a, a_end) with change_[b, b_end).
    void solve(Index a, Index a_end, Index b, Index b_end) {
        Index head = 0;
        while (a + head < a_end && b + head < b_end && equal(a + head, b + head)) {
            ++head;
        }
        match(a, b, head);
        a += head;
        b += head;
        Index tail = 0;
        while (a < a_end - tail && b < b_end - tail && equal(a_end - tail - 1, b_end - tail - 1)) {
            ++tail;
        }
        if (a < a_end - tail && b < b_end - tail) {
            const Snake middle = middle_of(a, a_end - tail, b, b_end - tail);
            solve(a, middle.base, b, middle.change);
            match(middle.base, middle.change, middle.length);
            solve(middle.base + middle.length, a_end - tail, middle.change + middle.length,
                  b_end - tail);
        }
        match(a_end - tail, b_end - tail, tail);
    }

    /// How far the paths of one direction come on each diagonal (base index minus change index).
    struct Reach {
        static constexpr Index nowhere = -1;
        std::vector<Index> furthest;
        Index zero = 0;
        Index& on(Index diagonal) { return furthest[static_cast<std::size_t>(zero + diagonal)]; }
        void reset(Index n, Index m) {
            furthest.assign(static_cast<std::size_t>(n + m + 3), nowhere);
            zero = m + 1;
        }
        /// The best first step of a path with one more edit onto `diagonal`, inside the n × m grid.
        [[nodiscard]] Index advance(Index diagonal, Index n, Index m) {
            const Index left = on(diagonal - 1);
            const Index above = on(diagonal + 1);
            const Index right = left != nowhere && left < n ? left + 1 : nowhere;
            const Index down = above != nowhere && above - diagonal <= m ? above : nowhere;
            return std::max(right, down);
        }
    };

    /// Grows paths from both corners, edit by edit, until two of them meet.
    Snake middle_of(Index a, Index a_end, Index b, Index b_end) {
        const Index n = a_end - a;
        const Index m = b_end - b;
        const Index delta = n - m;
        const bool odd = delta % 2 != 0;
        forward_.reset(n, m);
        backward_.reset(n, m);
        for (Index edits = 0;; ++edits) {
            if (const auto met = grow(forward_, backward_, edits, n, m, odd,
                                      [&](Index x, Index y) { return equal(a + x, b + y); })) {
                return {a + met->base, b + met->change, met->length};
            }
            if (const auto met =
                    grow(backward_, forward_, edits, n, m, !odd,
                         [&](Index x, Index y) { return equal(a_end - 1 - x, b_end - 1 - y); })) {
                return {a_end - met->base - met->length, b_end - met->change - met->length,
                        met->length};
            }
        }
    }

    /// One more edit for every path of one direction; the snake that touches the other direction.
    template <class Equal>
    static std::optional<Snake> grow(Reach& own, Reach& other, Index edits, Index n, Index m,
                                     bool may_meet, Equal equal) {
        // Diagonals outside the grid are left out; every second one belongs to this many edits.
        const Index lowest = edits <= m ? -edits : -m + (edits - m) % 2;
        const Index highest = edits <= n ? edits : n - (edits - n) % 2;
        for (Index diagonal = lowest; diagonal <= highest; diagonal += 2) {
            const Index start = edits == 0 ? 0 : own.advance(diagonal, n, m);
            Index x = start;
            if (start != Reach::nowhere) {
                while (x < n && x - diagonal < m && equal(x, x - diagonal)) {
                    ++x;
                }
            }
            own.on(diagonal) = x;
            const Index opposite = other.on(n - m - diagonal);
            if (may_meet && x != Reach::nowhere && opposite != Reach::nowhere &&
                x + opposite >= n) {
                return Snake{start, start - diagonal, x - start};
            }
        }
        return std::nullopt;
    }

    std::span<const std::uint32_t> base_;
    std::span<const std::uint32_t> change_;
    Matches matches_;
    Reach forward_;
    Reach backward_;
};

/// The elements that the other sequence has too, and where they stood: no other can match, and
/// without them two paths that share little are as cheap as two that share much.
struct Shared {
    std::vector<std::uint32_t> elements;
    std::vector<std::uint32_t> index;

    Shared(std::span<const std::uint32_t> own, std::span<const std::uint32_t> other) {
        const std::unordered_set<std::uint32_t> known(other.begin(), other.end());
        for (std::uint32_t at = 0; at < own.size(); ++at) {
            if (known.contains(own[at])) {
                elements.push_back(own[at]);
                index.push_back(at);
            }
        }
    }
};

}  // namespace

Matches longest_common(std::span<const std::uint32_t> base, std::span<const std::uint32_t> change) {
    const Shared left(base, change);
    const Shared right(change, base);
    Matches matches = Myers(left.elements, right.elements).run();
    for (auto& [a, b] : matches) {
        a = left.index[a];
        b = right.index[b];
    }
    return matches;
}

}  // namespace kerntoll::lab::path
