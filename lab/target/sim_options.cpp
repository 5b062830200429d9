// SPDX-License-Identifier: MIT
#include "lab/target/sim_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lab/target/options.hpp"

namespace kerntoll::lab {
namespace {

constexpr double any = std::numeric_limits<double>::max();

/// A whole text as one finite number.
std::optional<double> number(std::string_view text) {
    double value = 0;
    const char* end = std::to_address(text.end());
    const auto [rest, error] = std::from_chars(std::to_address(text.begin()), end, value);
    if (error != std::errc{} || rest != end || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

/// "0.5%" as a log-ratio.
std::optional<double> size(std::string_view text) {
    if (!text.ends_with('%')) {
        return std::nullopt;
    }
    const auto percent = number(text.substr(0, text.size() - 1));
    if (!percent || *percent <= -100) {
        return std::nullopt;
    }
    return std::log1p(*percent / 100);
}

std::optional<SimSpread> spread(std::string_view text) {
    SimSpread result;
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        const std::string_view shape = text.substr(0, colon);
        if (shape == "lognormal") {
            result.shape = SimShape::lognormal;
        } else if (shape == "cauchy") {
            result.shape = SimShape::cauchy;
        } else if (shape != "gauss") {
            return std::nullopt;
        }
        text.remove_prefix(colon + 1);
    }
    const auto value = size(text);
    if (!value || *value < 0) {
        return std::nullopt;
    }
    result.size = *value;
    return result;
}

/// Reads options one after the other and keeps the first trouble.
class Reader {
public:
    explicit Reader(const TargetSpec& spec) : spec_(spec) {}

    void real(std::string_view key, double least, double most, std::string_view expected,
              double& into) {
        if (const auto text = spec_.option(key)) {
            const auto value = number(*text);
            take(value && *value >= least && *value <= most ? value : std::nullopt, key, expected,
                 into);
        }
    }
    void percentage(std::string_view key, double& into) {
        if (const auto text = spec_.option(key)) {
            take(size(*text), key, "a percentage such as 0.5%", into);
        }
    }
    void noise(std::string_view key, SimSpread& into) {
        if (const auto text = spec_.option(key)) {
            take(spread(*text), key, "such as 0.5%, lognormal:0.5% or cauchy:0.5%", into);
        }
    }
    template <class T>
    void count(std::string_view key, T& into) {
        if (spec_.option(key)) {
            const auto value = read_number(spec_, key, 0, 1'000'000'000, 0);
            if (value) {
                into = *value;
            } else {
                keep(value.error());
            }
        }
    }
    template <class T>
    void take(std::optional<T> value, std::string_view key, std::string_view expected, T& into) {
        if (value) {
            into = *value;
        } else {
            keep(bad_option(spec_, key, expected).error());
        }
    }
    [[nodiscard]] const std::optional<Error>& trouble() const { return trouble_; }

private:
    void keep(Error error) {
        if (!trouble_) {
            trouble_ = std::move(error);
        }
    }
    const TargetSpec& spec_;
    std::optional<Error> trouble_;
};

/// The options with the one that stands after the colon among them.
Result<TargetSpec> with_head(const TargetSpec& spec) {
    const std::size_t equals = std::min(spec.subject.find('='), spec.subject.size());
    std::string key = spec.subject.substr(0, equals);
    if (spec.option(key)) {
        return fail(Fault::usage,
                    fmt::format("the target '{}' gives the option {} twice", spec.text, key));
    }
    TargetSpec whole = spec;
    if (!key.empty()) {
        whole.options.emplace(whole.options.begin(), std::move(key),
                              spec.subject.substr(std::min(equals + 1, spec.subject.size())));
    }
    return whole;
}

}  // namespace

Result<SimOptions> read_sim_options(const TargetSpec& spec) {
    const auto with_all = with_head(spec);
    if (!with_all) {
        return std::unexpected(with_all.error());
    }
    const TargetSpec& whole = *with_all;
    if (auto known = check_kind(whole); !known) {
        return std::unexpected(known.error());
    }
    SimOptions options;
    Reader read(whole);
    read.real("ns", 0.001, 1e9, "a time in ns from 0.001 to 1e9", options.ns);
    read.noise("noise", options.noise);
    read.noise("layout", options.layout);
    if (const auto text = whole.option("modes")) {
        const std::size_t colon = text->find(':');
        constexpr std::string_view expected = "such as 20% or 20%:0.3";
        read.take(size(text->substr(0, colon)), "modes", expected, options.mode_distance);
        if (colon != std::string_view::npos) {
            const auto share = number(text->substr(colon + 1));
            read.take(share && *share >= 0 && *share <= 1 ? share : std::nullopt, "modes", expected,
                      options.mode_share);
        }
    }
    read.real("ar", -0.95, 0.95, "a correlation from -0.95 to 0.95", options.correlation);
    read.real("hold", 1, 1000, "a number of replicates from 1 to 1000", options.hold);
    read.percentage("drift", options.drift);
    read.percentage("step", options.step);
    read.real("every", 0.001, any, "a time in seconds, at least 0.001", options.every);
    read.real("boot", 0, 1e6, "a time in seconds", options.boot);
    read.count("insns", options.instructions);
    read.count("loop", options.loop_instructions);
    if (const auto text = whole.option("scope")) {
        read.take(*text == "layouts"  ? std::optional(Scope::layouts)
                  : *text == "images" ? std::optional(Scope::images)
                                      : std::nullopt,
                  "scope", "layouts or images", options.scope);
    }
    read.percentage("control", options.control);
    options.always_fails = whole.option("fail") == "all";
    if (!options.always_fails) {
        read.count("fail", options.failing_replicate);
    }
    if (options.correlation != 0 && options.hold > 1) {
        return bad_option(whole, "hold",
                          "left out where ar is given: layouts that jump do not fade");
    }
    if (const auto& trouble = read.trouble()) {
        return std::unexpected(*trouble);
    }
    return options;
}

}  // namespace kerntoll::lab
