// SPDX-License-Identifier: MIT
#include "pairs.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include "lab/target/axes.hpp"

namespace kerntoll::nano_test {

namespace {

/// A bit for each pair of values, by their places among the values of all axes.
constexpr size_t most_values = 32;
using Pairs = std::bitset<most_values * most_values>;

size_t place_of(std::string_view axis, std::string_view value) {
    size_t place = 0;
    for (const lab::Axis& known : lab::axes()) {
        for (const lab::AxisValue& one : known.values) {
            if (known.name == axis && one.spelling == value) {
                return place;
            }
            ++place;
        }
    }
    return place;
}

/// policy.hpp refuses the others: `kerntoll variants` says so beside the values.
bool may_be(const Choices& choices) {
    const auto is = [&](std::string_view axis, std::string_view value) {
        const auto found = choices.find(axis);
        return found == choices.end() || found->second == value;
    };
    const bool lazy_can_be = is("enter", "inlined") && is("exit", "inlined") &&
                             is("common", "inlined") && is("vector", "likely");
    return (is("frame", "full") || lazy_can_be) &&
           (is("dispatch", "table") || is("nospec", "mask"));
}

Pairs pairs_of(const Choices& choices) {
    std::vector<size_t> places;
    for (const auto& [axis, value] : choices) {
        places.push_back(place_of(axis, value));
    }
    Pairs pairs;
    for (const size_t one : places) {
        for (const size_t other : places) {
            pairs.set(one * most_values + other);
        }
    }
    return pairs;
}

std::vector<Choices> all_variants(std::string_view port) {
    std::vector<Choices> all(1);
    for (const lab::Axis& axis : lab::axes()) {
        if (!lab::has_axis(port, axis)) {
            continue;
        }
        std::vector<Choices> longer;
        for (const lab::AxisValue& value : axis.values) {
            for (Choices choices : all) {
                choices.emplace(axis.name, value.spelling);
                longer.push_back(std::move(choices));
            }
        }
        all = std::move(longer);
    }
    std::erase_if(all, [](const Choices& choices) { return !may_be(choices); });
    return all;
}

}  // namespace

std::vector<Choices> variants_for_every_pair(std::string_view port) {
    const std::vector<Choices> all = all_variants(port);
    std::vector<Pairs> has;
    Pairs open;
    for (const Choices& choices : all) {
        has.push_back(pairs_of(choices));
        open |= has.back();
    }
    std::vector<Choices> taken;
    while (open.any()) {
        const auto best = std::ranges::max_element(
            has, {}, [&](const Pairs& pairs) { return (pairs & open).count(); });
        open &= ~*best;
        taken.push_back(all[static_cast<size_t>(best - has.begin())]);
    }
    return taken;
}

std::vector<std::string> words_of(const Choices& choices) {
    std::vector<std::string> words;
    for (const auto& [axis, value] : choices) {
        words.push_back(std::string(axis) + "=" + std::string(value));
    }
    return words;
}

}  // namespace kerntoll::nano_test
