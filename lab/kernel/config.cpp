// SPDX-License-Identifier: MIT
#include "lab/kernel/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace kerntoll::lab::kernel {
namespace {

constexpr std::string_view prefix = "CONFIG_";
constexpr std::string_view unset = "# CONFIG_";
constexpr std::string_view unset_end = " is not set";

/// Options that took another's place, by that one's name: lines "# CONFIG_NEW was CONFIG_OLD …" of
/// a fragment that sets both.
std::map<std::string, std::string> renamed(std::string_view fragment,
                                           const std::vector<Setting>& set) {
    std::map<std::string, std::string> all;
    const auto is_set = [&](const std::string& option) {
        return std::ranges::find(set, option, &Setting::option) != set.end();
    };
    std::istringstream lines{std::string(fragment)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string mark;
        std::string newer;
        std::string was;
        std::string older;
        words >> mark >> newer >> was >> older;
        if (mark == "#" && was == "was" && newer.starts_with(prefix) && older.starts_with(prefix)) {
            newer.erase(0, prefix.size());
            older.erase(0, prefix.size());
            if (is_set(newer) && is_set(older)) {
                all[older] = newer;
            }
        }
    }
    return all;
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
    std::set<std::string> taken;
    const auto settings = settings_in(wanted);
    const auto newer_names = renamed(wanted, settings);
    const auto newest_name = [&](const std::string& option) {
        const auto found = newer_names.find(option);
        return found == newer_names.end() ? option : found->second;
    };
    for (const Setting& setting : settings) {
        const auto found = is.find(setting.option);
        // What a tree does not know is not set either.
        if ((found == is.end() ? "n" : found->second) == setting.value) {
            taken.insert(newest_name(setting.option));
        }
    }
    for (const Setting& setting : settings) {
        if (newest_name(setting.option) == setting.option && !taken.contains(setting.option)) {
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
