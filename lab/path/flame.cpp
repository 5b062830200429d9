// SPDX-License-Identifier: MIT
#include "lab/path/flame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "lab/report/plain.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::path {
namespace {

using Json = nlohmann::ordered_json;
using Stack = std::vector<const Frame*>;

std::string label(const Frame& frame) {
    return report::harmless(frame.name) + (frame.inlined ? "_[i]" : "");
}

/// Calls `run(stack, instructions)` for every stretch of a frame's own instructions, in path order:
/// those between its children are its own.
template <class Run>
void each_run(const Frame& frame, Stack& stack, const Run& run) {
    stack.push_back(&frame);
    std::uint64_t left = frame.own;
    std::uint64_t at = frame.first_step;
    const auto own = [&](std::uint64_t instructions) {
        if (instructions > 0) {
            run(stack, instructions);
            left -= instructions;
        }
    };
    for (const Frame& child : frame.children) {
        own(std::min(left, std::max(child.first_step, at) - at));
        each_run(child, stack, run);
        at = child.first_step + child.total;
    }
    own(left);
    stack.pop_back();
}

}  // namespace

std::string folded(const Anatomy& anatomy) {
    std::vector<std::pair<std::string, std::uint64_t>> lines;
    std::unordered_map<std::string, std::size_t> index;
    Stack stack;
    const auto add = [&](const Stack& frames, std::uint64_t instructions) {
        std::string line;
        for (const Frame* frame : frames) {
            std::string text = label(*frame);
            std::ranges::replace(text, ';', ',');  // a semicolon would end the frame
            line += (line.empty() ? "" : ";") + text;
        }
        const auto [place, added] = index.try_emplace(line, lines.size());
        if (added) {
            lines.emplace_back(line, 0);
        }
        lines[place->second].second += instructions;
    };
    for (const Frame& root : anatomy.tree) {
        each_run(root, stack, add);
    }
    std::string text;
    for (const auto& [line, instructions] : lines) {
        text += fmt::format("{} {}\n", line, instructions);
    }
    return text;
}

std::string speedscope(const Anatomy& anatomy, std::string_view profile_name) {
    Json frames = Json::array();
    Json samples = Json::array();
    Json weights = Json::array();
    std::unordered_map<std::string, std::size_t> index;
    std::uint64_t total = 0;
    Stack stack;
    const auto add = [&](const Stack& open, std::uint64_t instructions) {
        Json sample = Json::array();
        for (const Frame* frame : open) {
            const std::string text = label(*frame);
            const auto [place, added] = index.try_emplace(text, frames.size());
            if (added) {
                frames.push_back({{"name", text}});
            }
            sample.push_back(place->second);
        }
        samples.push_back(std::move(sample));
        weights.push_back(instructions);
        total += instructions;
    };
    for (const Frame& root : anatomy.tree) {
        each_run(root, stack, add);
    }
    const std::string title = report::harmless(profile_name);
    return report::dump({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                         {"name", title},
                         {"exporter", "kerntoll"},
                         {"activeProfileIndex", 0},
                         {"shared", {{"frames", std::move(frames)}}},
                         {"profiles", Json::array({{{"type", "sampled"},
                                                    {"name", title},
                                                    {"unit", "none"},
                                                    {"startValue", 0},
                                                    {"endValue", total},
                                                    {"samples", std::move(samples)},
                                                    {"weights", std::move(weights)}}})}});
}

}  // namespace kerntoll::lab::path
