// SPDX-License-Identifier: MIT
#include "cli/arms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace kerntoll::cli {
namespace {

using lab::experiment::Arm;
using lab::store::Role;

lab::Result<std::vector<std::shared_ptr<lab::Target>>> open_all(
    const std::vector<std::string>& texts) {
    std::vector<std::shared_ptr<lab::Target>> targets;
    for (const std::string& text : texts) {
        auto target = lab::open_target(text);
        if (!target) {
            return std::unexpected(target.error());
        }
        targets.push_back(*std::move(target));
    }
    return targets;
}

TargetTexts texts_of(const std::vector<lab::store::ArmRecord>& arms) {
    TargetTexts texts;
    for (const auto& arm : arms) {
        switch (arm.role) {
            case Role::base:
                texts.base = arm.target;
                break;
            case Role::change:
                texts.changes.push_back(arm.target);
                break;
            case Role::placebo:
                texts.placebos.push_back(arm.target);
                break;
            case Role::control:  // the base again
                break;
        }
    }
    return texts;
}

/// Facts that make a target another one when they change: what is measured, and what it runs in.
constexpr std::array<std::string_view, 6> identifying_facts{"kernel_release",  "kernel_version",
                                                            "kernel_build_id", "cpu_model",
                                                            "qemu_version",    "accelerator"};

/// The first identifying fact that is not as it was; empty where all are.
std::string_view changed_fact(const lab::Provenance& before, const lab::Provenance& now) {
    for (const auto& fact : before) {
        const auto& [key, value] = fact;
        if (std::ranges::find(identifying_facts, key) != identifying_facts.end() &&
            std::ranges::find(now, fact) == now.end()) {
            return key;
        }
    }
    return {};
}

}  // namespace

Purpose purpose_of(std::string_view command) {
    return command == "count" ? Purpose::counting : Purpose::timing;
}

lab::Result<std::vector<Arm>> open_arms(const TargetTexts& texts, Purpose purpose) {
    auto base = open_all({texts.base});
    if (!base) {
        return std::unexpected(base.error());
    }
    auto changes = open_all(texts.changes);
    if (!changes) {
        return std::unexpected(changes.error());
    }
    auto placebos = open_all(texts.placebos);
    if (!placebos) {
        return std::unexpected(placebos.error());
    }
    auto arms = lab::experiment::arrange(base->front(), *std::move(changes), *std::move(placebos));
    if (purpose == Purpose::counting) {
        std::erase_if(arms, [](const Arm& arm) { return arm.role == Role::control; });
    }
    return arms;
}

std::vector<lab::store::ArmRecord> describe(const std::vector<Arm>& arms) {
    std::vector<lab::store::ArmRecord> records;
    for (const Arm& arm : arms) {
        const lab::Target& target = *arm.target;
        records.push_back({static_cast<std::uint32_t>(records.size()), arm.role, target.spec().text,
                           target.grade(), target.scope(), target.layout_key(), target.provenance(),
                           target.remarks()});
    }
    return records;
}

lab::Result<std::vector<Arm>> reopen_arms(const lab::store::StoredRun& stored) {
    auto arms = open_arms(texts_of(stored.run.arms), purpose_of(stored.run.command));
    for (std::size_t index = 0; arms && index < arms->size(); ++index) {
        const auto& before = stored.run.arms[index];
        const lab::Target& target = *(*arms)[index].target;
        std::string_view changed = changed_fact(before.provenance, target.provenance());
        if (target.layout_key() != before.layout_key) {
            changed = "image";
        }
        if (!changed.empty()) {
            return lab::fail(lab::Fault::usage,
                             fmt::format("run {} cannot go on: {} is not what it was when the run "
                                         "began (another {}); start a new run",
                                         stored.id, before.target, changed));
        }
    }
    return arms;
}

}  // namespace kerntoll::cli
