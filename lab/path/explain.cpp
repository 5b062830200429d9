// SPDX-License-Identifier: MIT
#include "lab/path/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace kerntoll::lab::path {
namespace {

/// Functions that a sentence names before it sums the others up.
constexpr std::size_t most_named = 6;

/// "-22", or in words that there is no difference in number.
std::string amount(const FunctionDifference& function) {
    return function.instructions() == 0 ? "as many" : signed_text(function.instructions());
}

/// "syscall_exit_to_user_mode is gone (-22)", "a (-22) and b (-7) are gone": those that differ most
/// first, however many there are.
std::string named(std::vector<const FunctionDifference*> functions, Quote quote,
                  std::string_view one_is, std::string_view many_are) {
    std::ranges::sort(
        functions, [](const FunctionDifference* left, const FunctionDifference* right) {
            const auto size = std::abs(left->instructions()) - std::abs(right->instructions());
            return size != 0 ? size > 0 : left < right;  // they stand in one list, in path order
        });
    if (functions.size() == 1) {
        const FunctionDifference& only = *functions.front();
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
    Sentences(const Explanation& explanation, Quote quote)
        : explanation_(explanation), quote_(quote) {
        for (const FunctionDifference& function : explanation.difference.functions) {
            of_[function.fate].push_back(&function);
        }
    }

    [[nodiscard]] std::vector<std::string> take() {
        if (std::ranges::all_of(explanation_.difference.pairs,
                                [](const Pair& pair) { return pair.base && pair.change; })) {
            add(fmt::format("Both paths execute the same {} in the same order.",
                            plural(explanation_.base.anatomy.total.instructions, "instruction")));
        }
        inlined();
        together(Fate::gone, "is gone", "are gone");
        together(Fate::appeared, "is new on the path", "are new on the path");
        together(Fate::changed, "has other instructions", "have other instructions");
        together(Fate::moved, "is moved: the same instructions, entered from elsewhere",
                 "are moved: the same instructions, entered from elsewhere");
        unchanged();
        sizes();
        return std::move(sentences_);
    }

private:
    void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

    /// Each function that holds what was inlined, with what it holds.
    void inlined() {
        while (!of_[Fate::inlined].empty()) {
            const std::string into = of_[Fate::inlined].front()->into;
            std::vector<const FunctionDifference*> held;
            for (const FunctionDifference* function : of_[Fate::inlined]) {
                if (function->into == into) {
                    held.push_back(function);
                }
            }
            std::erase_if(of_[Fate::inlined], [&](const FunctionDifference* function) {
                return function->into == into;
            });
            std::string holder = quote_(into);
            for (const FunctionDifference& function : explanation_.difference.functions) {
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
                      [&](const FunctionDifference* function) { return told_.contains(function); });
        if (!of_[fate].empty()) {
            add(named(of_[fate], quote_, one_is, many_are) + ".");
        }
    }

    void unchanged() {
        const auto& functions = of_[Fate::unchanged];
        if (functions.empty() || functions.size() == explanation_.difference.functions.size()) {
            return;
        }
        std::uint64_t instructions = 0;
        for (const FunctionDifference* function : functions) {
            instructions += function->base.instructions;
        }
        add(fmt::format("The other {} with {} {} the same.", plural(functions.size(), "function"),
                        plural(instructions, "instruction"), functions.size() == 1 ? "is" : "are"));
    }

    void sizes() {
        if (explanation_.base.image && explanation_.change.image) {
            const ImageSize& a = *explanation_.base.image;
            const ImageSize& b = *explanation_.change.image;
            add(fmt::format("The image's code: {} bytes ({}); its read-only data: {} bytes ({}).",
                            change_text(a.text, b.text), signed_text(difference_of(a.text, b.text)),
                            change_text(a.rodata, b.rodata),
                            signed_text(difference_of(a.rodata, b.rodata))));
        }
        std::uint64_t base = 0;
        std::uint64_t change = 0;
        for (const FunctionDifference& function : explanation_.difference.functions) {
            if ((function.base.instructions > 0 && function.base_size == 0) ||
                (function.change.instructions > 0 && function.change_size == 0)) {
                return;  // a sum of what is known would be taken for the whole
            }
            base += function.base_size;
            change += function.change_size;
        }
        if (base > 0 || change > 0) {
            add(fmt::format("The code of the functions on the path: {} bytes ({}).",
                            change_text(base, change), signed_text(difference_of(base, change))));
        }
    }

    const Explanation& explanation_;
    Quote quote_;
    std::map<Fate, std::vector<const FunctionDifference*>> of_;
    std::set<const FunctionDifference*> told_;  ///< in a sentence on what they hold now
    std::vector<std::string> sentences_;
};

}  // namespace

Explanation explain(Traced base, Traced change) {
    Difference difference = compare(base.anatomy, change.anatomy);
    return {std::move(base), std::move(change), std::move(difference)};
}

std::span<const Quantity> quantities() {
    static constexpr std::array<Quantity, 13> all{{
        {"instructions", "instr", "instructions", &Counts::instructions},
        {"calls", "calls", "calls", &Counts::calls},
        {"returns", "returns", "returns", &Counts::returns},
        {"conditional branches", "branches", "branches", &Counts::branches},
        {"taken branches", "taken", "taken", &Counts::taken},
        {"indirect branches", "indirect", "indirect", &Counts::indirect},
        {"loads", "loads", "loads", &Counts::loads},
        {"stores", "stores", "stores", &Counts::stores},
        {"atomics", "atomics", "atomics", &Counts::atomics},
        {"barriers", "barriers", "barriers", &Counts::barriers},
        {"code lines", "lines", "code_lines", &Counts::code_lines},
        {"data lines", "data", "data_lines", &Counts::data_lines},
        {"code bytes", "bytes", "code_bytes", &Counts::code_bytes},
    }};
    return all;
}

std::vector<std::string> specials_of(const Counts& base, const Counts& change) {
    std::set<std::string> names;
    for (const auto* specials : {&base.specials, &change.specials}) {
        for (const auto& [name, count] : *specials) {
            names.insert(name);
        }
    }
    return {names.begin(), names.end()};
}

std::uint64_t special(const Counts& counts, const std::string& name) {
    const auto found = counts.specials.find(name);
    return found == counts.specials.end() ? 0 : found->second;
}

std::string disassembly(const Anatomy& anatomy, std::uint32_t at) {
    const Step& step = anatomy.steps[at];
    std::string text = disassembly(*step.instruction);
    const bool leaves = step.kind.flow == Flow::call || step.kind.flow == Flow::jump;
    if (leaves && at + 1 < anatomy.steps.size() &&
        anatomy.steps[at + 1].function != step.function) {
        text += " <" + anatomy.functions[anatomy.steps[at + 1].function].name + ">";
    }
    return text;
}

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

std::string total_text(const Explanation& explanation) {
    const std::uint64_t before = explanation.base.anatomy.total.instructions;
    const std::uint64_t after = explanation.change.anatomy.total.instructions;
    if (before == after) {
        return plural(before, "instruction") + " on both paths";
    }
    std::string text = fmt::format("{} instructions, {}", change_text(before, after),
                                   signed_text(explanation.difference.instructions));
    if (before > 0) {
        text += fmt::format(" ({:+.2f} %)",
                            100 * static_cast<double>(explanation.difference.instructions) /
                                static_cast<double>(before));
    }
    return text;
}

std::string same_text(const Explanation& explanation) {
    const Counts& base = explanation.base.anatomy.total;
    const Counts& change = explanation.change.anatomy.total;
    std::string text;
    const auto add = [&](std::string_view what, std::uint64_t before, std::uint64_t after) {
        if (before == after && before > 0) {
            text +=
                fmt::format("{}{} {}", text.empty() ? "The same on both: " : ", ", what, before);
        }
    };
    for (const Quantity& quantity : quantities()) {
        add(quantity.name, base.*quantity.count, change.*quantity.count);
    }
    for (const std::string& each : specials_of(base, change)) {
        add(each, special(base, each), special(change, each));
    }
    return text.empty() ? text : text + ".";
}

std::vector<Account> accounts(const Explanation& explanation) {
    std::vector<Account> accounts;
    std::map<std::string_view, std::size_t> index;
    const auto add = [&](const Anatomy& anatomy, LoneStep lone) {
        const std::string& function = anatomy.functions[anatomy.steps[lone.step].function].name;
        const auto [place, added] = index.try_emplace(function, accounts.size());
        if (added) {
            accounts.push_back({function, {}});
        }
        accounts[place->second].steps.push_back(lone);
    };
    for (const auto& [base, change] : explanation.difference.pairs) {
        if (base && !change) {
            add(explanation.base.anatomy, {LoneStep::Side::base, *base});
        } else if (change && !base) {
            add(explanation.change.anatomy, {LoneStep::Side::change, *change});
        }
    }
    return accounts;
}

std::vector<AccountLine> account_lines(const Explanation& explanation, std::size_t most) {
    using Kind = AccountLine::Kind;
    std::vector<AccountLine> lines;
    std::size_t listed = 0;
    std::size_t left = 0;
    for (const Account& account : accounts(explanation)) {
        if (listed < most) {
            lines.push_back({Kind::function, account.function});
        }
        for (const auto& [side, step] : account.steps) {
            if (listed == most) {
                ++left;
                continue;
            }
            ++listed;
            if (side == LoneStep::Side::base) {
                lines.push_back({Kind::went, disassembly(explanation.base.anatomy, step)});
            } else {
                lines.push_back({Kind::came, disassembly(explanation.change.anatomy, step)});
            }
        }
    }
    if (left > 0) {
        lines.push_back({Kind::more, "… and " + plural(left, "more instruction")});
    }
    return lines;
}

std::vector<std::string> sentences(const Explanation& explanation, Quote quote) {
    return Sentences(explanation, quote).take();
}

}  // namespace kerntoll::lab::path
