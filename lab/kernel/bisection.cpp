// SPDX-License-Identifier: MIT
#include "lab/kernel/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "lab/kernel/git.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// gitrevisions(7): "@" alone is HEAD, and "@{…}" the branch that is checked out.
bool follows_head(std::string_view name) {
    for (const std::string_view head : {"HEAD", "@", "BISECT_HEAD"}) {
        if (name.starts_with(head)) {
            const std::string_view behind = name.substr(head.size());
            if (behind.empty() || std::string_view("~^@{:").contains(behind.front())) {
                return true;
            }
        }
    }
    return false;
}

/// What git answers, on one line; empty where it has no answer.
std::string ask(const Tree& tree, std::vector<std::string> words) {
    const auto answer = git({.folder = tree.path, .words = std::move(words)});
    return answer ? answer->substr(0, answer->find('\n')) : std::string{};
}

bool is_checked_out(const Tree& tree, const std::string& name) {
    const std::string branch = ask(tree, {"symbolic-ref", "--quiet", "HEAD"});
    return !branch.empty() &&
           branch == ask(tree, {"rev-parse", "--symbolic-full-name", "--verify", "--quiet", name});
}

/// Good and skipped commits have refs that end in their hashes; the bad one has the bare term.
bool is_bad(const Tree& tree) {
    constexpr std::size_t hash = 40;
    const auto refs =
        git({.folder = tree.path,
             .words = {"for-each-ref", "--format=%(objectname) %(refname)", "refs/bisect/"}});
    std::istringstream lines(refs.value_or(""));
    for (std::string commit, ref; lines >> commit >> ref;) {
        const bool with_hash = ref.size() > hash + 1 && ref[ref.size() - hash - 1] == '-' &&
                               std::ranges::all_of(ref.substr(ref.size() - hash), [](char c) {
                                   return std::string_view("0123456789abcdef").contains(c);
                               });
        if (!with_hash && commit == tree.commit) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result<void> check_good(const Tree& tree, const std::string& name) {
    const char* why = follows_head(name) || is_checked_out(tree, name)
                          ? "it is another commit at each step of a bisection"
                      : is_bad(tree) ? "it is the commit that the bisection has as the bad one"
                                     : nullptr;
    return why == nullptr
               ? Result<void>{}
               : fail(Fault::usage,
                      fmt::format("--good {}: {}; give a tag or a hash of a good one", name, why));
}

}  // namespace kerntoll::lab::kernel
