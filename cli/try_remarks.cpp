// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/try.hpp"
#include "lab/kernel/config.hpp"
#include "lab/kernel/content.hpp"
#include "lab/report/path_words.hpp"

namespace kerntoll::cli {
namespace {

/// The options of the user's own configuration that the base has not: Kconfig says nothing of them.
std::string dropped_options(const lab::kernel::Built& base, const std::string& wanted) {
    constexpr std::size_t most_named = 8;
    auto dropped =
        lab::kernel::not_taken(wanted, lab::kernel::contents(base.image.parent_path() / "config"));
    if (dropped.empty()) {
        return {};
    }
    const std::size_t more = dropped.size() - std::min(dropped.size(), most_named);
    dropped.resize(dropped.size() - more);
    return fmt::format(
        "of --config, Kconfig did not take {}{}: the tree does not have it, or "
        "something that it depends on is not set",
        fmt::join(dropped, ", "),
        more > 0 ? fmt::format(" and {}", lab::report::plural(more, "other option")) : "");
}

}  // namespace

void add_remarks(lab::kernel::PortOutcome& outcome, const std::string& config) {
    auto& side = outcome.sides.back();
    auto& remarks = side.built.remarks;
    if (side.role == lab::store::Role::base) {
        if (std::string dropped = dropped_options(side.built, config); !dropped.empty()) {
            remarks.push_back(std::move(dropped));
        }
        return;
    }
    const auto& base = outcome.sides.front();
    if (remarks.empty() && side.built.image != base.built.image &&
        side.built.image_sha256 == base.built.image_sha256) {
        remarks.emplace_back("its image is the base's, bit for bit");
    }
}

}  // namespace kerntoll::cli
