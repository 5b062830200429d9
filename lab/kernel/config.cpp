// SPDX-License-Identifier: MIT
#include "lab/kernel/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kerntoll::lab::kernel {
namespace {

constexpr std::string_view prefix = "CONFIG_";
constexpr std::string_view unset = "# CONFIG_";
constexpr std::string_view unset_end = " is not set";

/// The option that has taken this one's place, by the fragment's comment "# CONFIG_NEW was
/// CONFIG_OLD"; the option itself where none says so.
std::string_view newest_name(std::string_view option, std::string_view fragment) {
    const auto said = fragment.find(fmt::format(" was {}{} ", prefix, option));
    if (said == std::string_view::npos) {
        return option;
    }
    const auto begin = fragment.rfind(prefix, said) + prefix.size();
    return fragment.substr(begin, said - begin);
}

}  // namespace

std::string fragments_of(Arch arch) {
    return std::string(fragment("common")) + std::string(fragment(name(arch)));
}

std::vector<Setting> settings_in(std::string_view config) {
    std::vector<Setting> settings;
    const auto set = [&](std::string_view option, std::string_view value) {
        std::erase_if(settings, [&](const Setting& known) { return known.option == option; });
        settings.push_back({std::string(option), std::string(value)});
    };
    while (!config.empty()) {
        const auto end = config.find('\n');
        const std::string_view line = config.substr(0, end);
        config.remove_prefix(end == std::string_view::npos ? config.size() : end + 1);
        if (line.starts_with(unset) && line.ends_with(unset_end)) {
            set(line.substr(unset.size(), line.size() - unset.size() - unset_end.size()), "n");
        } else if (const auto sign = line.find('=');
                   line.starts_with(prefix) && sign != std::string_view::npos) {
            set(line.substr(prefix.size(), sign - prefix.size()), line.substr(sign + 1));
        }
    }
    return settings;
}

std::vector<std::string> not_taken(std::string_view wanted, std::string_view config) {
    std::map<std::string, std::string> is;
    for (Setting& setting : settings_in(config)) {
        is[setting.option] = std::move(setting.value);
    }
    std::vector<std::string> dropped;
    std::set<std::string_view> taken;
    const auto settings = settings_in(wanted);
    for (const Setting& setting : settings) {
        const auto found = is.find(setting.option);
        // What a tree does not know is not set either.
        if ((found == is.end() ? "n" : found->second) == setting.value) {
            taken.insert(newest_name(setting.option, wanted));
        }
    }
    for (const Setting& setting : settings) {
        if (newest_name(setting.option, wanted) == setting.option &&
            !taken.contains(setting.option)) {
            dropped.push_back(fmt::format("{}={}", setting.option, setting.value));
        }
    }
    return dropped;
}

std::vector<std::string> differences(std::string_view base, std::string_view change) {
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (Setting& setting : settings_in(base)) {
        both[setting.option].first = std::move(setting.value);
    }
    for (Setting& setting : settings_in(change)) {
        both[setting.option].second = std::move(setting.value);
    }
    std::vector<std::string> all;
    for (auto& [option, values] : both) {
        auto& [was, is] = values;
        was = was.empty() ? "n" : was;  // not there is not set
        is = is.empty() ? "n" : is;
        if (was != is) {
            all.push_back(fmt::format("{}={} (base: {})", option, is, was));
        }
    }
    return all;
}

}  // namespace kerntoll::lab::kernel
