// SPDX-License-Identifier: MIT
#include "lab/path/difference.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "lab/path/align.hpp"
#include "lab/path/inlining.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// A function without a symbol is named by its address, which says nothing about who it is.
bool nameless(const FunctionPart& function) {
    return function.name.starts_with("0x");
}

/// Numbers for texts: equal texts have the same one.
class Numbering {
public:
    std::uint32_t operator()(const std::string& text) {
        return numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()))
            .first->second;
    }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// One path, made ready for the comparison.
struct Side {
    const Anatomy& anatomy;
    std::vector<std::string> texts;       ///< comparable, of each step
    std::vector<std::uint32_t> elements;  ///< the step's function and text as one number
    std::vector<bool> matched;            ///< of each step
    std::vector<std::uint32_t> partner;   ///< of each function: its index on the other side

    Side(const Anatomy& of, Numbering& numbering)
        : anatomy(of),
          texts(comparable(of.steps)),
          matched(of.steps.size(), false),
          partner(of.functions.size(), none) {
        for (std::size_t at = 0; at < of.steps.size(); ++at) {
            const FunctionPart& function = of.functions[of.steps[at].function];
            elements.push_back(
                numbering((nameless(function) ? "" : function.name) + '\n' + texts[at]));
        }
    }

    /// The steps of one function, in path order.
    [[nodiscard]] std::vector<std::uint32_t> steps_of(std::uint32_t function) const {
        std::vector<std::uint32_t> steps;
        for (std::uint32_t at = 0; at < anatomy.steps.size(); ++at) {
            if (anatomy.steps[at].function == function) {
                steps.push_back(at);
            }
        }
        return steps;
    }
};

/// Which functions of the two paths are the same one: those of one name, the first of it on A's
/// path with the first on B's, and nameless ones that share most of their instructions.
void find_partners(Side& base, Side& change, const Matches& matches) {
    const auto pair = [&](std::uint32_t a, std::uint32_t b) {
        base.partner[a] = b;
        change.partner[b] = a;
    };
    const auto& functions = change.anatomy.functions;
    for (std::uint32_t a = 0; a < base.anatomy.functions.size(); ++a) {
        const FunctionPart& function = base.anatomy.functions[a];
        for (std::uint32_t b = 0; b < functions.size() && !nameless(function); ++b) {
            if (change.partner[b] == none && functions[b].name == function.name) {
                pair(a, b);
                break;
            }
        }
    }
    std::unordered_map<std::uint64_t, std::uint64_t> shared;
    for (const auto& [a, b] : matches) {
        const std::uint32_t from = base.anatomy.steps[a].function;
        const std::uint32_t to = change.anatomy.steps[b].function;
        if (base.partner[from] == none && change.partner[to] == none &&
            2 * ++shared[std::uint64_t{from} << 32U | to] >
                std::max(base.anatomy.functions[from].counts.instructions,
                         functions[to].counts.instructions)) {
            pair(from, to);
        }
    }
}

/// The functions that a function was entered from, by a call, a jump or by running into it.
std::vector<std::uint32_t> entered_from(const Anatomy& anatomy, std::uint32_t function) {
    std::vector<std::uint32_t> from;
    for (std::size_t at = 1; at < anatomy.steps.size(); ++at) {
        const Step& before = anatomy.steps[at - 1];
        if (anatomy.steps[at].function == function && before.function != function &&
            before.kind.flow != Flow::ret) {
            from.push_back(before.function);
        }
    }
    return from;
}

/// What became of a function that is on both paths.
Fate fate_of(const Side& base, std::uint32_t a, const Side& change, std::uint32_t b) {
    const auto base_steps = base.steps_of(a);
    const auto change_steps = change.steps_of(b);
    const bool same =
        std::ranges::equal(base_steps, change_steps, [&](std::uint32_t left, std::uint32_t right) {
            return base.texts[left] == change.texts[right];
        });
    if (!same) {
        return Fate::changed;
    }
    std::vector<std::uint32_t> from = entered_from(base.anatomy, a);
    for (std::uint32_t& function : from) {
        function = base.partner[function];
    }
    const bool aligned =
        std::ranges::all_of(base_steps, [&](std::uint32_t at) { return base.matched[at]; });
    return aligned && from == entered_from(change.anatomy, b) ? Fate::unchanged : Fate::moved;
}

std::optional<std::uint64_t> size_of(const FunctionPart& function) {
    return function.size > 0 ? std::optional(function.size) : std::nullopt;
}

FunctionDifference both(const Side& base, std::uint32_t a, const Side& change) {
    const FunctionPart& before = base.anatomy.functions[a];
    const FunctionPart& after = change.anatomy.functions[base.partner[a]];
    return {.name = before.name == after.name ? before.name : before.name + " / " + after.name,
            .fate = fate_of(base, a, change, base.partner[a]),
            .into = {},
            .base = before.counts,
            .change = after.counts,
            .base_size = size_of(before),
            .change_size = size_of(after)};
}

FunctionDifference went(const Side& base, std::uint32_t a, const NewCode& new_code) {
    const FunctionPart& function = base.anatomy.functions[a];
    std::vector<Step> body;
    std::vector<std::string> texts;
    for (const std::uint32_t at : base.steps_of(a)) {
        body.push_back(base.anatomy.steps[at]);
        texts.push_back(base.texts[at]);
    }
    std::string into = new_code.holder_of(function.name, body, texts);
    return {.name = function.name,
            .fate = into.empty() ? Fate::gone : Fate::inlined,
            .into = std::move(into),
            .base = function.counts,
            .change = {},
            .base_size = size_of(function)};
}

FunctionDifference came(const FunctionPart& function) {
    return {.name = function.name,
            .fate = Fate::appeared,
            .into = {},
            .base = {},
            .change = function.counts,
            .change_size = size_of(function)};
}

/// A's functions in path order; each of B's own behind what it follows on B's path, and behind
/// those of A's own that stand there.
std::vector<FunctionDifference> functions_of(const Side& base, const Side& change) {
    const NewCode new_code(change.anatomy, change.texts, change.matched);
    std::vector<FunctionDifference> functions;
    const auto own_of_change = [&](std::uint32_t from) {
        for (std::uint32_t b = from; b < change.partner.size() && change.partner[b] == none; ++b) {
            functions.push_back(came(change.anatomy.functions[b]));
        }
    };
    std::uint32_t behind = 0;  // where B's path goes on behind the last function of both
    for (std::uint32_t a = 0; a < base.anatomy.functions.size(); ++a) {
        if (base.partner[a] == none) {
            functions.push_back(went(base, a, new_code));
            continue;
        }
        own_of_change(behind);
        functions.push_back(both(base, a, change));
        behind = base.partner[a] + 1;
    }
    own_of_change(behind);
    return functions;
}

std::vector<Pair> pairs_of(const Matches& matches, std::uint32_t base_steps,
                           std::uint32_t change_steps) {
    std::vector<Pair> pairs;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    const auto up_to = [&](std::uint32_t a_end, std::uint32_t b_end) {
        for (; a < a_end; ++a) {
            pairs.push_back({a, std::nullopt});
        }
        for (; b < b_end; ++b) {
            pairs.push_back({std::nullopt, b});
        }
    };
    for (const auto& [left, right] : matches) {
        up_to(left, right);
        pairs.push_back({a++, b++});
    }
    up_to(base_steps, change_steps);
    return pairs;
}

}  // namespace

Difference compare(const Anatomy& base, const Anatomy& change) {
    Numbering numbering;
    Side left(base, numbering);
    Side right(change, numbering);
    // Functions and instructions are aligned at once, by letting an instruction match those of its
    // own function alone. Aligning the visits first would lose what follows a call that is gone:
    // one visit of B then stands for two of A.
    const Matches matches = longest_common(left.elements, right.elements);
    for (const auto& [a, b] : matches) {
        left.matched[a] = true;
        right.matched[b] = true;
    }
    find_partners(left, right, matches);
    return {.functions = functions_of(left, right),
            .pairs = pairs_of(matches, static_cast<std::uint32_t>(base.steps.size()),
                              static_cast<std::uint32_t>(change.steps.size())),
            .instructions = static_cast<std::int64_t>(change.total.instructions) -
                            static_cast<std::int64_t>(base.total.instructions)};
}

}  // namespace kerntoll::lab::path
