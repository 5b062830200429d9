// SPDX-License-Identifier: MIT
#include "lab/path/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "lab/path/lend.hpp"

namespace kerntoll::lab::path {
namespace {

/// Bytes of a function that the path leaves out; nothing where the symbols cannot tell.
std::optional<std::uint64_t> size_off_the_path(const Symbols* symbols, const std::string& name) {
    if (symbols == nullptr || name.starts_with("0x")) {
        return std::nullopt;
    }
    const Function* const function = symbols->find(name);
    return function == nullptr ? 0 : function->end - function->start;
}

}  // namespace

Explanation explain(Traced base, Traced change) {
    const bool base_named = has_names(base.anatomy);
    const bool change_named = has_names(change.anatomy);
    if (base_named && !change_named) {
        change.remarks.push_back(lend_names(base.anatomy, change.anatomy));
    } else if (change_named && !base_named) {
        base.remarks.push_back(lend_names(change.anatomy, base.anatomy));
    }
    Difference difference = compare(base.anatomy, change.anatomy);
    for (FunctionDifference& function : difference.functions) {
        if (base_named != change_named && function.fate == Fate::inlined) {
            function.fate = Fate::gone;
            function.into.clear();
        }
        if (function.base.instructions == 0) {
            function.base_size = size_off_the_path(base.symbols, function.name);
        } else if (function.change.instructions == 0) {
            function.change_size = size_off_the_path(change.symbols, function.name);
        }
    }
    return {std::move(base), std::move(change), std::move(difference)};
}

std::vector<store::FunctionChange> changes_of(const Difference& difference) {
    std::vector<store::FunctionChange> changes;
    changes.reserve(difference.functions.size());
    for (const FunctionDifference& function : difference.functions) {
        changes.push_back({.name = function.name,
                           .fate = function.fate,
                           .into = function.into,
                           .base = function.base.instructions,
                           .change = function.change.instructions,
                           .base_size = function.base_size,
                           .change_size = function.change_size});
    }
    return changes;
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

std::string total_text(const Explanation& explanation) {
    const std::uint64_t before = explanation.base.anatomy.total.instructions;
    const std::uint64_t after = explanation.change.anatomy.total.instructions;
    if (before == after) {
        return plural(before, "instruction") + " on both paths";
    }
    std::string text = fmt::format("{} → {}, {}", before, plural(after, "instruction"),
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
    const auto functions = changes_of(explanation.difference);
    auto all = report::function_sentences(functions, quote, report::Telling::whole);
    for (std::string& sentence : report::size_sentences(
             explanation.base.image, explanation.change.image, functions, quote)) {
        all.push_back(std::move(sentence));
    }
    return all;
}

}  // namespace kerntoll::lab::path
