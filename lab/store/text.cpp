// SPDX-License-Identifier: MIT
#include "lab/store/text.hpp"

#include <nlohmann/json.hpp>

namespace kerntoll::lab::store {
namespace {

using nlohmann::json;

std::string dump(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string to_text(const std::vector<std::string>& list) {
    return dump(json(list));
}

std::string to_text(const Provenance& facts) {
    json pairs = json::array();
    for (const auto& [key, value] : facts) {
        pairs.push_back(json::array({key, value}));
    }
    return dump(pairs);
}

std::string to_text(const std::map<std::string, std::uint64_t>& numbers) {
    return dump(json(numbers));
}

std::vector<std::string> list_from_text(std::string_view text) {
    std::vector<std::string> list;
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_array()) {
        for (const auto& each : parsed) {
            if (each.is_string()) {
                list.push_back(each.get<std::string>());
            }
        }
    }
    return list;
}

Provenance facts_from_text(std::string_view text) {
    Provenance facts;
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_array()) {
        for (const auto& each : parsed) {
            if (each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string()) {
                facts.emplace_back(each[0].get<std::string>(), each[1].get<std::string>());
            }
        }
    }
    return facts;
}

std::map<std::string, std::uint64_t> numbers_from_text(std::string_view text) {
    std::map<std::string, std::uint64_t> numbers;
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_object()) {
        for (const auto& [name, number] : parsed.items()) {
            if (number.is_number_unsigned()) {
                numbers.emplace(name, number.get<std::uint64_t>());
            }
        }
    }
    return numbers;
}

std::string_view name(Role role) {
    constexpr std::array<std::string_view, 4> names{"base", "change", "control", "placebo"};
    return names[static_cast<std::size_t>(role)];
}

std::string_view name(RunState state) {
    constexpr std::array<std::string_view, 4> names{"running", "finished", "interrupted", "failed"};
    return names[static_cast<std::size_t>(state)];
}

}  // namespace kerntoll::lab::store
