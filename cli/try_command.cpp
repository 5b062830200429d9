// SPDX-License-Identifier: MIT
// The command that repeats a trial.
#include <algorithm>
#include <array>
#include <string_view>

#include "cli/try.hpp"

namespace kerntoll::cli {
namespace {

/// Options of which neither a count nor a path nor a time is another one. Whoever repeats a trial
/// has folders of his own, and --save takes no folder that it has filled already.
constexpr std::array<std::string_view, 4> without_effect{"--save", "--db", "--jobs", "--format"};

/// An option with its value, or another word, as typed.
struct Given {
    std::string option = {};  ///< its long name; empty: a patch, or what stands behind "--"
    std::vector<std::string> words;
};

/// The option that a word begins with: "--save", "--save=out", "-j8".
const CLI::Option* option_in(const std::string& word, const CLI::App& command) {
    if (word.starts_with("--")) {
        return command.get_option_no_throw(word.substr(0, word.find('=')));
    }
    constexpr std::size_t short_name = 2;
    return word.starts_with('-') ? command.get_option_no_throw(word.substr(0, short_name))
                                 : nullptr;
}

/// Takes apart what the parser has taken already, by its own options.
std::vector<Given> given_in(const std::vector<std::string>& argv, const CLI::App& command) {
    std::vector<Given> all;
    for (auto word = argv.begin(); word != argv.end(); ++word) {
        if (*word == "--") {
            all.push_back({.words = {word, argv.end()}});
            break;
        }
        all.push_back({.words = {*word}});
        const CLI::Option* option = option_in(*word, command);
        if (option == nullptr) {
            continue;
        }
        all.back().option = "--" + option->get_single_name();
        const bool has_value = word->starts_with("--") ? word->contains('=') : word->size() > 2;
        if (!has_value && option->get_expected_min() > 0 && word + 1 != argv.end()) {
            all.back().words.push_back(*++word);
        }
    }
    return all;
}

}  // namespace

std::vector<std::string> repeating_command(const std::vector<std::string>& argv,
                                           const CLI::App& command, const std::string& commit) {
    std::vector<std::string> words;
    for (Given& given : given_in(argv, command)) {
        if (std::ranges::find(without_effect, given.option) != without_effect.end()) {
            continue;
        }
        if (given.option == "--against") {
            given.words = {given.option, commit};
        }
        words.insert(words.end(), given.words.begin(), given.words.end());
    }
    return words;
}

}  // namespace kerntoll::cli
