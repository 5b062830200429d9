// SPDX-License-Identifier: MIT
#include "lab/path/inlining.hpp"

#include <algorithm>
#include <array>

#include "lab/path/align.hpp"

namespace kerntoll::lab::path {
namespace {

/// Fewer instructions than this look like those of any function.
constexpr std::size_t fewest = 4;

/// Whether an instruction is there because its function is called: the landing pad, the return,
/// what signs its address and checks it, and what saves and restores registers on the stack.
/// Inlining leaves these out.
bool of_the_call(const Step& step, std::string_view text) {
    // bti, bti c, paciasp and autiasp are hints to Capstone 4.
    constexpr std::array<std::string_view, 8> marks{"endbr64",    "bti",        "paciasp",
                                                    "autiasp",    "hint #0x20", "hint #0x22",
                                                    "hint #0x19", "hint #0x1d"};
    return step.kind.flow == Flow::ret || step.kind.stack ||
           std::ranges::any_of(marks, [&](auto mark) { return text.starts_with(mark); });
}

}  // namespace

NewCode::NewCode(const Anatomy& change, std::span<const std::string> texts,
                 const std::vector<bool>& matched)
    : change_(change), code_(change.functions.size()) {
    for (std::size_t at = 0; at < change.steps.size(); ++at) {
        const Step& step = change.steps[at];
        if (matched[at]) {
            continue;  // so was what is inlined here
        }
        for (const std::string& frame : step.inlined) {
            inlined_.try_emplace(frame, change.functions[step.function].name);
        }
        const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
        code_[step.function].push_back(
            numbers_.try_emplace(without_registers(texts[at]), next).first->second);
    }
}

std::uint32_t NewCode::number_of(const std::string& text) const {
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? 0 : found->second;
}

std::string NewCode::holder_of(std::string_view name, std::span<const Step> body,
                               std::span<const std::string> texts) const {
    if (const auto by_dwarf = inlined_.find(std::string(name)); by_dwarf != inlined_.end()) {
        return by_dwarf->second;
    }
    std::vector<std::uint32_t> numbers;
    for (std::size_t at = 0; at < body.size(); ++at) {
        if (!of_the_call(body[at], texts[at])) {
            numbers.push_back(number_of(without_registers(texts[at])));
        }
    }
    std::string holder;
    std::size_t most = fewest - 1;
    for (std::size_t function = 0; function < code_.size(); ++function) {
        const auto& code = code_[function];
        if (std::min(code.size(), numbers.size()) <= most) {
            continue;
        }
        const std::size_t alike = longest_common(numbers, code).size();
        if (alike > most && 2 * alike >= std::min(numbers.size(), code.size())) {
            most = alike;
            holder = change_.functions[function].name;
        }
    }
    return holder;
}

}  // namespace kerntoll::lab::path
