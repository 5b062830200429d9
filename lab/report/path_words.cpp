// SPDX-License-Identifier: MIT
#include "lab/report/path_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace kerntoll::lab::report {
namespace {

using store::Fate;
using store::FunctionChange;

/// Functions that a sentence names before it sums the others up.
constexpr std::size_t most_named = 6;

/// "-22", or in words that there is no difference in number.
std::string amount(const FunctionChange& function) {
    return function.instructions() == 0 ? "as many" : signed_text(function.instructions());
}

/// "syscall_exit_to_user_mode is gone (-22)", "a (-22) and b (-7) are gone": those that differ most
/// first, however many there are.
std::string named(std::vector<const FunctionChange*> functions, Quote quote,
                  std::string_view one_is, std::string_view many_are) {
    std::ranges::sort(functions, [](const FunctionChange* left, const FunctionChange* right) {
        const auto size = std::abs(left->instructions()) - std::abs(right->instructions());
        return size != 0 ? size > 0 : left < right;  // they stand in one list, in path order
    });
    if (functions.size() == 1) {
        const FunctionChange& only = *functions.front();
        return fmt::format("{} {} ({})", quote(only.name), one_is, amount(only));
    }
    const std::size_t count = std::min(functions.size(), most_named);
    std::string text;
    for (std::size_t at = 0; at < count; ++at) {
        const bool last = at + 1 == functions.size();
        text += fmt::format("{}{} ({})",
                            at == 0 ? ""
                            : last  ? " and "
                                    : ", ",
                            quote(functions[at]->name), amount(*functions[at]));
    }
    if (functions.size() > count) {
        std::int64_t rest = 0;
        for (std::size_t at = count; at < functions.size(); ++at) {
            rest += functions[at]->instructions();
        }
        text += fmt::format(" and {} ({} in all)", plural(functions.size() - count, "other"),
                            signed_text(rest));
    }
    return fmt::format("{} {}", text, many_are);
}

class Sentences {
public:
    Sentences(std::span<const FunctionChange> functions, Quote quote)
        : functions_(functions), quote_(quote) {
        for (const FunctionChange& function : functions) {
            of_[function.fate].push_back(&function);
        }
    }

    [[nodiscard]] std::vector<std::string> take(Telling telling) {
        if (telling == Telling::whole && same_path(functions_)) {
            add(fmt::format("Both paths execute the same {} in the same order.",
                            plural(instructions(Fate::unchanged), "instruction")));
        }
        inlined();
        together(Fate::gone, "is gone", "are gone");
        together(Fate::appeared, "is new on the path", "are new on the path");
        together(Fate::changed, "has other instructions", "have other instructions");
        together(Fate::moved, "is moved: the same instructions, entered from elsewhere",
                 "are moved: the same instructions, entered from elsewhere");
        if (telling == Telling::whole) {
            unchanged();
        }
        return std::move(sentences_);
    }

private:
    void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

    [[nodiscard]] std::uint64_t instructions(Fate fate) {
        std::uint64_t sum = 0;
        for (const FunctionChange* function : of_[fate]) {
            sum += function->base;
        }
        return sum;
    }

    /// Each function that holds what was inlined, with what it holds.
    void inlined() {
        while (!of_[Fate::inlined].empty()) {
            const std::string into = of_[Fate::inlined].front()->into;
            std::vector<const FunctionChange*> held;
            for (const FunctionChange* function : of_[Fate::inlined]) {
                if (function->into == into) {
                    held.push_back(function);
                }
            }
            std::erase_if(of_[Fate::inlined],
                          [&](const FunctionChange* function) { return function->into == into; });
            std::string holder = quote_(into);
            for (const FunctionChange& function : functions_) {
                if (function.name == into) {
                    holder += " " + signed_text(function.instructions());
                    told_.insert(&function);
                    break;
                }
            }
            add(fmt::format("{}; {}, which holds {} now.",
                            named(held, quote_, "is gone", "are gone"), holder,
                            held.size() == 1 ? "it" : "them"));
        }
    }

    void together(Fate fate, std::string_view one_is, std::string_view many_are) {
        std::erase_if(of_[fate],
                      [&](const FunctionChange* function) { return told_.contains(function); });
        if (!of_[fate].empty()) {
            add(named(of_[fate], quote_, one_is, many_are) + ".");
        }
    }

    void unchanged() {
        const auto& functions = of_[Fate::unchanged];
        if (!functions.empty() && functions.size() < functions_.size()) {
            add(fmt::format("The other {} with {} {} the same.",
                            plural(functions.size(), "function"),
                            plural(instructions(Fate::unchanged), "instruction"),
                            functions.size() == 1 ? "is" : "are"));
        }
    }

    std::span<const FunctionChange> functions_;
    Quote quote_;
    std::map<Fate, std::vector<const FunctionChange*>> of_;
    std::set<const FunctionChange*> told_;  ///< in a sentence on what they hold now
    std::vector<std::string> sentences_;
};

std::string bytes_text(std::uint64_t before, std::uint64_t after) {
    return fmt::format("{} byte{} ({})", change_text(before, after), after == 1 ? "" : "s",
                       signed_text(difference_of(before, after)));
}

std::string image_sentence(const store::ImageSizes& base, const store::ImageSizes& change) {
    using Source = store::ComparedSizes::Source;
    const auto sizes = store::compare_sizes(base, change);
    if (!sizes) {
        const bool none = !base.sections && !base.labels && !change.sections && !change.labels;
        return none ? "The images' sizes are not known: give symbols=FILE (System.map, vmlinux)."
                    : "The images' sizes are not known of both in the same way: give symbols=FILE "
                      "of one kind (System.map, vmlinux) for each.";
    }
    std::string text =
        fmt::format("The images' code: {}; their read-only data: {}; by {}.",
                    bytes_text(sizes->base.text, sizes->change.text),
                    bytes_text(sizes->base.rodata, sizes->change.rodata),
                    sizes->source == Source::sections ? "the sections .text and .rodata"
                                                      : "the labels around text and rodata");
    // x86_64 and arm64 end their text where a huge page ends.
    constexpr std::uint64_t filled_up_to = 4096;
    if (sizes->base.text == sizes->change.text && sizes->base.text % filled_up_to == 0) {
        text +=
            " The linker fills the text up to whole pages, so a smaller difference does not "
            "show there.";
    }
    return text;
}

}  // namespace

std::string signed_text(std::int64_t number) {
    return number == 0 ? "0" : fmt::format("{:+}", number);
}

std::int64_t difference_of(std::uint64_t before, std::uint64_t after) {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
}

std::string change_text(std::uint64_t before, std::uint64_t after) {
    return before == after ? fmt::format("{}", before) : fmt::format("{} → {}", before, after);
}

std::string plural(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

bool same_path(std::span<const FunctionChange> functions) {
    return std::ranges::all_of(
        functions, [](const FunctionChange& function) { return function.fate == Fate::unchanged; });
}

std::vector<std::string> function_sentences(std::span<const FunctionChange> functions, Quote quote,
                                            Telling telling) {
    return Sentences(functions, quote).take(telling);
}

std::vector<std::string> size_sentences(const store::ImageSizes& base,
                                        const store::ImageSizes& change,
                                        std::span<const FunctionChange> functions, Quote quote) {
    std::vector<std::string> sentences{image_sentence(base, change)};
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    bool all_known = true;  // a sum of what is known would be taken for the whole
    std::string left;
    for (const FunctionChange& function : functions) {
        all_known = all_known && (function.base == 0 || function.base_size) &&
                    (function.change == 0 || function.change_size);
        before += function.base > 0 ? function.base_size.value_or(0) : 0;
        after += function.change > 0 ? function.change_size.value_or(0) : 0;
        const std::uint64_t copy = function.change == 0 ? function.change_size.value_or(0) : 0;
        if (copy > 0) {
            left += fmt::format("{}{} ({})", left.empty() ? "" : ", ", quote(function.name),
                                plural(copy, "byte"));
        }
    }
    if (all_known && (before > 0 || after > 0)) {
        sentences.push_back(
            fmt::format("The code of the functions on the path: {}.", bytes_text(before, after)));
    }
    if (!left.empty()) {
        sentences.push_back(fmt::format("Off the path, but still in B's image: {}.", left));
    }
    return sentences;
}

}  // namespace kerntoll::lab::report
