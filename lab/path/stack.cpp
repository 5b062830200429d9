// SPDX-License-Identifier: MIT
#include "lab/path/stack.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "lab/path/align.hpp"

namespace kerntoll::lab::path {
namespace {

/// What an instruction does to the stack pointer.
enum class Move : std::uint8_t {
    none,
    up,         ///< by the number in its text
    down,       ///< by the number in its text
    push,       ///< down by a register's size
    pop,        ///< up by a register's size
    elsewhere,  ///< to another register or what lies in memory, plus the number in its text
    entry,      ///< to where it stood when the function was entered
};

constexpr std::int64_t register_bytes = 8;

/// Instructions whose text fits `pattern`, as in fnmatch(3), do this; the first row that fits
/// counts.
struct Row {
    const char* pattern;
    Move move;
};

constexpr Row x86_64_moves[] = {
    {"push*", Move::push},
    {"popcnt*", Move::none},
    {"popq %rsp", Move::elsewhere},
    {"pop*", Move::pop},
    {"subq $*, %rsp", Move::down},
    {"addq $*, %rsp", Move::up},
    {"leaq *(%rsp), %rsp", Move::up},
    {"leave*", Move::entry},
    {"mov* *, %rsp", Move::elsewhere},
};
constexpr Row arm64_moves[] = {
    {"sub sp, sp, #*", Move::down}, {"add sp, sp, #*", Move::up},   {"* [[]sp, #*[]]!", Move::up},
    {"* [[]sp[]], #*", Move::up},   {"mov sp, *", Move::elsewhere},
};
constexpr Row riscv64_moves[] = {
    {"addi sp,sp,*", Move::up},   {"addi sp,*", Move::elsewhere},  {"mv sp,*", Move::elsewhere},
    {"ld sp,*", Move::elsewhere}, {"csrrw sp,*", Move::elsewhere},
};
constexpr Row s390x_moves[] = {
    {"a[gf][hf]i %r15, *", Move::up}, {"lay %r15, *(%r15)", Move::up},
    {"la %r15, *(%r15)", Move::up},   {"lmg %r*, %r15, *", Move::entry},
    {"lg %r15, *", Move::elsewhere},  {"lgr %r15, *", Move::elsewhere},
    {"lay %r15, *", Move::elsewhere},
};
constexpr Row loongarch64_moves[] = {
    {"addi[_.]d r3, r3, *", Move::up}, {"addi[_.]d r3, *", Move::elsewhere},
    {"or r3, *", Move::elsewhere},     {"ld[_.]d r3, *", Move::elsewhere},
    {"csr* r3, *", Move::elsewhere},
};

std::span<const Row> moves_of(Arch arch) {
    switch (arch) {
        case Arch::x86_64:
            return x86_64_moves;
        case Arch::arm64:
            return arm64_moves;
        case Arch::riscv64:
            return riscv64_moves;
        case Arch::s390x:
            return s390x_moves;
        case Arch::loongarch64:
            return loongarch64_moves;
    }
    std::unreachable();
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// What no instruction moves a stack pointer by; a text with a larger number counts as this one, so
/// that no sum of them overflows.
constexpr std::int64_t largest_move = std::int64_t{1} << 31;

/// The last number of a text that is no part of a name; 0 where there is none. arm64 writes a large
/// one as a small one that is shifted: "#0x1, lsl #12".
std::int64_t number_in(std::string_view text) {
    unsigned shift = 0;
    constexpr std::string_view shifted = ", lsl #";
    if (const auto at = text.find(shifted); at != text.npos) {
        const std::string_view by = text.substr(at + shifted.size());
        std::from_chars(by.data(), by.data() + by.size(), shift);
        text = text.substr(0, at);
    }
    const auto of_a_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    std::int64_t number = 0;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (!is_digit(text[at]) || of_a_name(text[at - 1])) {
            continue;
        }
        const bool hexadecimal = text.substr(at).starts_with("0x");
        const char* const digits = text.data() + at + (hexadecimal ? 2 : 0);
        number = 0;
        std::from_chars(digits, text.data() + text.size(), number, hexadecimal ? 16 : 10);
        number = text[at - 1] == '-' ? -number : number;
    }
    constexpr unsigned most_shifted = 12;
    const auto bounded = [](std::int64_t by) {
        return std::clamp(by, -largest_move, largest_move);
    };
    return bounded(bounded(number) * (std::int64_t{1} << std::min(shift, most_shifted)));
}

/// Follows the stack pointer from its place at the beginning, which is 0.
class StackPointer {
public:
    explicit StackPointer(Arch arch)
        : moves_(moves_of(arch)), pushed_by_call_(arch == Arch::x86_64 ? register_bytes : 0) {}

    void step(const Step& step) {
        if (callers_.size() > step.depth) {
            at_ = callers_[step.depth];
            callers_.resize(step.depth);
        }
        while (callers_.size() < step.depth) {
            callers_.push_back(at_);
            at_ -= pushed_by_call_;
        }
        const std::string& text = step.text;
        const auto row = std::ranges::find_if(
            moves_, [&](const Row& each) { return fnmatch(each.pattern, text.c_str(), 0) == 0; });
        if (row != moves_.end()) {
            move(row->move, text);
        }
        lowest_ = std::min(lowest_, at_);
    }
    [[nodiscard]] std::optional<std::uint64_t> depth() const {
        return moved_ ? std::optional(static_cast<std::uint64_t>(-lowest_)) : std::nullopt;
    }

private:
    void move(Move move, std::string_view text) {
        switch (move) {
            case Move::none:
                return;
            case Move::up:
                at_ += number_in(text);
                break;
            case Move::down:
                at_ -= number_in(text);
                break;
            case Move::push:
                at_ -= register_bytes;
                break;
            case Move::pop:
                at_ += register_bytes;
                break;
            case Move::elsewhere:
                // The stub takes a stack. A function makes room of a computed size, or gives it
                // back, and what that was does not count.
                if (callers_.empty()) {
                    at_ = moves_elsewhere_by(text);
                }
                return;
            case Move::entry:
                at_ = callers_.empty() ? 0 : callers_.back() - pushed_by_call_;
                return;
        }
        moved_ = true;
    }
    /// "addi sp,tp,-272" puts a frame below what tp points at; of other instructions the number is
    /// that of an address.
    static std::int64_t moves_elsewhere_by(std::string_view text) {
        return text.starts_with("addi") ? number_in(text) : 0;
    }

    std::span<const Row> moves_;
    std::int64_t pushed_by_call_;
    std::vector<std::int64_t> callers_;  ///< where it stood at each call that is open
    std::int64_t at_ = 0;
    std::int64_t lowest_ = 0;
    bool moved_ = false;
};

}  // namespace

std::optional<std::uint64_t> stack_bytes(std::span<const Step> steps, Arch arch) {
    StackPointer pointer(arch);
    for (const Step& step : steps) {
        pointer.step(step);
    }
    return pointer.depth();
}

}  // namespace kerntoll::lab::path
