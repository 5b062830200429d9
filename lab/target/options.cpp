// SPDX-License-Identifier: MIT
#include "lab/target/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "wire/protocol.hpp"

namespace kerntoll::lab {

namespace {

/// A number with a unit after it.
struct Quantity {
    std::uint64_t number = 0;
    std::string_view unit;
};

std::optional<Quantity> read_quantity(std::string_view text) {
    Quantity quantity;
    const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
    if (!wire::parse_decimal({digits.data(), digits.size()}, quantity.number)) {
        return std::nullopt;
    }
    quantity.unit = text.substr(digits.size());
    return quantity;
}

}  // namespace

std::unexpected<Error> bad_option(const TargetSpec& spec, std::string_view key,
                                  std::string_view expected) {
    return fail(Fault::usage, fmt::format("the target '{}' has {}={}, but {} must be {}", spec.text,
                                          key, spec.option(key).value_or(""), key, expected));
}

Result<std::uint64_t> read_number(const TargetSpec& spec, std::string_view key, std::uint64_t least,
                                  std::uint64_t most, std::uint64_t otherwise) {
    const auto text = spec.option(key);
    if (!text) {
        return otherwise;
    }
    const auto quantity = read_quantity(*text);
    if (!quantity || !quantity->unit.empty() || quantity->number < least ||
        quantity->number > most) {
        return bad_option(spec, key, fmt::format("a whole number from {} to {}", least, most));
    }
    return quantity->number;
}

Result<std::chrono::milliseconds> read_duration(const TargetSpec& spec, std::string_view key,
                                                std::chrono::milliseconds otherwise) {
    // A day: beyond it the arithmetic of deadlines is what would be tested.
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24);
    const auto text = spec.option(key);
    if (!text) {
        return otherwise;
    }
    const auto quantity = read_quantity(*text);
    const std::string_view unit = quantity ? quantity->unit : "";
    const std::uint64_t factor = unit == "ms"                  ? 1
                                 : unit == "s" || unit.empty() ? 1000
                                 : unit == "m"                 ? 60'000
                                                               : 0;
    if (!quantity || factor == 0 || quantity->number == 0 ||
        quantity->number > static_cast<std::uint64_t>(longest.count()) / factor) {
        return bad_option(spec, key, "a time such as 90s, 2m or 500ms, at most a day");
    }
    return std::chrono::milliseconds(quantity->number * factor);
}

Result<std::uint64_t> read_mebibytes(const TargetSpec& spec, std::string_view key,
                                     std::uint64_t otherwise) {
    constexpr std::uint64_t most = std::uint64_t{1024} * 1024;
    const auto text = spec.option(key);
    if (!text) {
        return otherwise;
    }
    const auto quantity = read_quantity(*text);
    const std::string_view unit = quantity ? quantity->unit : "";
    const std::uint64_t factor = unit == "G" ? 1024 : (unit == "M" || unit.empty() ? 1 : 0);
    if (!quantity || factor == 0 || quantity->number == 0 || quantity->number > most / factor) {
        return bad_option(spec, key, "a size such as 256, 256M or 1G");
    }
    return quantity->number * factor;
}

Result<std::vector<std::pair<std::string, std::string>>> read_treatments(const TargetSpec& spec) {
    std::vector<std::pair<std::string, std::string>> treatments;
    if (const auto seccomp = spec.option("seccomp")) {
        if (*seccomp != "allow" && *seccomp != "args") {
            return bad_option(spec, "seccomp", "allow or args");
        }
        treatments.emplace_back("seccomp", *seccomp);
    }
    for (const std::string_view key : {"sud", "rseq"}) {
        if (const auto value = spec.option(key)) {
            if (*value != "on") {
                return bad_option(spec, key, "on (leave it out for off)");
            }
            treatments.emplace_back(key, *value);
        }
    }
    if (const auto pad = spec.option("pad")) {
        const auto number = read_number(spec, "pad", 0, wire::max_pad, 0);
        if (!number) {
            return std::unexpected(number.error());
        }
        treatments.emplace_back("pad", fmt::to_string(*number));
    }
    if (const auto file = spec.option("file")) {
        if (!file->starts_with('/') || file->size() > wire::max_path) {
            return bad_option(spec, "file",
                              fmt::format("an absolute path of at most {} bytes", wire::max_path));
        }
        treatments.emplace_back("file", *file);
    }
    return treatments;
}

}  // namespace kerntoll::lab
