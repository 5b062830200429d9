// SPDX-License-Identifier: MIT
// From what was typed to the kernels that are to be built.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cli/try.hpp"
#include "lab/kernel/tree.hpp"
#include "lab/report/path_words.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::cli {
namespace {

using lab::kernel::Patch;
using lab::kernel::Side;
using lab::kernel::Tree;
using lab::store::Role;

lab::Result<void> check_one_kind(const ChangeOptions& changes) {
    const int kinds = (changes.patches.empty() ? 0 : 1) + (changes.against ? 1 : 0) +
                      (changes.append_b ? 1 : 0) + (changes.config_b ? 1 : 0);
    if (kinds > 1) {
        return lab::fail(lab::Fault::usage,
                         "patches, --against, --append-b and --config-b are four ways to say what "
                         "the change is; give one of them");
    }
    return {};
}

/// What sha256sum(1) says of a file with this text.
std::string identity_of(const std::string& text) {
    return "SHA-256 " + lab::kernel::short_hash(lab::sha256_of(std::as_bytes(std::span(text))));
}

/// base, + 1, + 1 + 2, …
void add_ladder(std::vector<TrySide>& sides, std::vector<Patch> patches) {
    std::vector<Patch> on;
    for (Patch& patch : patches) {
        std::string name = "+ " + patch.name;
        // Files of one name from several folders: v1/fix.patch, v2/fix.patch.
        if (const auto before = std::ranges::count(on, patch.name, &Patch::name); before > 0) {
            name += fmt::format(" ({})", before + 1);
        }
        on.push_back(std::move(patch));
        sides.push_back({.side = {.name = name, .patches = on}, .role = Role::change});
    }
}

/// Says which files are left out because git has not been told of them.
void add_untracked(Changes& to) {
    const auto files = lab::kernel::untracked(to.tree);
    if (files && !files->empty()) {
        to.remarks.push_back(fmt::format(
            "git does not track {}{}, so none of the kernels has {}; 'git add -N' makes it part of "
            "the change",
            files->front(),
            files->size() == 1
                ? ""
                : fmt::format(" and {}", lab::report::plural(files->size() - 1, "other file")),
            files->size() == 1 ? "it" : "them"));
    }
}

/// Two commits, or what is changed and not committed.
lab::Result<void> add_difference(Changes& to, const std::string& from, const std::string& until,
                                 const std::string& name) {
    auto patch = lab::kernel::difference(to.tree, from, until);
    if (!patch) {
        return std::unexpected(patch.error());
    }
    if (until.empty()) {
        add_untracked(to);
    }
    if (patch->empty()) {
        return lab::fail(
            lab::Fault::usage,
            until.empty()
                ? fmt::format("nothing is to be tried: {} has no changes that are not committed{}; "
                              "give a patch, --against COMMIT, --append-b or --config-b",
                              to.tree.path.string(),
                              to.remarks.empty() ? "" : " in files that git tracks")
                : fmt::format("nothing is to be tried: {} and HEAD have the same sources",
                              to.tree.named));
    }
    to.identities.push_back(
        until.empty() ? fmt::format("{} ({})", name, identity_of(*patch))
                      : fmt::format("{} (commit {})", name, lab::kernel::short_hash(to.head)));
    add_ladder(to.sides, {{name, *std::move(patch)}});
    return {};
}

lab::Result<void> add_changes(Changes& to, const ChangeOptions& changes) {
    if (!changes.patches.empty()) {
        auto patches = lab::kernel::read_patches(changes.patches);
        if (!patches) {
            return std::unexpected(patches.error());
        }
        for (const Patch& patch : *patches) {
            to.identities.push_back(fmt::format("{} ({})", patch.name, identity_of(patch.text)));
        }
        add_ladder(to.sides, *std::move(patches));
    } else if (changes.append_b) {
        if (changes.append_b->empty()) {
            return lab::fail(lab::Fault::usage,
                             "--append-b: no words of a command line are given; write "
                             "--append-b mitigations=off");
        }
        to.sides.push_back({.side = {}, .role = Role::change, .append = *changes.append_b});
        to.sides.back().side.name = "+ " + *changes.append_b;
        to.identities.push_back("\"" + *changes.append_b + "\" on the command line");
    } else if (changes.config_b) {
        auto fragment = read_kernel_options("--config-b", *changes.config_b);
        if (!fragment) {
            return std::unexpected(fragment.error());
        }
        if (!fragment->ends_with('\n')) {
            *fragment += '\n';
        }
        const std::string name = std::filesystem::path(*changes.config_b).filename().string();
        to.identities.push_back(fmt::format("{} ({})", name, identity_of(*fragment)));
        to.sides.push_back({.side = {.name = "+ " + name, .fragment = *std::move(fragment)},
                            .role = Role::change});
    } else if (changes.against) {
        return add_difference(to, to.tree.commit, "HEAD", "HEAD");
    } else if (to.tree.is_git()) {
        return add_difference(to, to.tree.commit, "", "what is not committed");
    } else {
        return lab::fail(lab::Fault::usage,
                         "nothing is to be tried; give a patch, a series, --append-b WORDS or "
                         "--config-b FRAGMENT");
    }
    return {};
}

}  // namespace

lab::Result<Changes> read_changes(const KernelOptions& kernels, const ChangeOptions& changes,
                                  std::uint32_t placebos, const std::optional<std::string>& save) {
    if (auto one = check_one_kind(changes); !one) {
        return std::unexpected(one.error());
    }
    std::vector<std::string> left_out = changes.patches;
    for (const auto& path : {save, kernels.config, changes.config_b}) {
        if (path) {
            left_out.push_back(*path);
        }
    }
    auto tree = lab::kernel::read_tree(kernels.tree, changes.against, left_out);
    if (!tree) {
        return std::unexpected(tree.error());
    }
    Changes all{.tree = *std::move(tree), .sides = {TrySide{}}};
    if (all.tree.is_git()) {
        auto head = lab::kernel::commit_of(all.tree, "HEAD");
        if (!head) {
            return std::unexpected(head.error());
        }
        all.head = *std::move(head);
    }
    if (auto added = add_changes(all, changes); !added) {
        return std::unexpected(added.error());
    }
    if (all.tree.is_git() && (!changes.patches.empty() || changes.against)) {
        if (const auto left = lab::kernel::difference(all.tree, "HEAD", "");
            left && !left->empty()) {
            all.remarks.push_back(
                fmt::format("{} has changes that are not committed; they are in "
                            "none of the kernels",
                            all.tree.path.string()));
        }
    }
    for (std::uint32_t seed = 1; seed <= placebos; ++seed) {
        all.sides.push_back({.side = {.name = fmt::format("placebo {}", seed), .padding = seed},
                             .role = Role::placebo});
    }
    return all;
}

}  // namespace kerntoll::cli
