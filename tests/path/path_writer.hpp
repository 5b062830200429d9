// SPDX-License-Identifier: MIT
// Writes paths down by hand, for the tests of their comparison and of what is printed of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

using Texts = std::vector<std::string>;

/// The class of the riscv64 instructions that occur here.
inline Class kind_of(std::string_view text) {
    const std::string_view mnemonic = text.substr(0, text.find(' '));
    Class kind;
    kind.barrier = mnemonic == "fence";
    kind.indirect = mnemonic == "jalr" || mnemonic == "jr";
    kind.stack = text.contains("sp,") || text.contains("(sp)");
    if (mnemonic.starts_with("jal")) {
        kind.flow = Flow::call;
    } else if (mnemonic == "ret") {
        kind.flow = Flow::ret;
    } else if (mnemonic.starts_with('j')) {
        kind.flow = Flow::jump;
    } else if (mnemonic.starts_with('b')) {
        kind.flow = Flow::branch;
    } else if (mnemonic == "sret") {
        kind.flow = Flow::trap_return;
        kind.special = mnemonic;
    } else if (mnemonic.starts_with("csr")) {
        kind.special = mnemonic;
        for (const char* reg : {"sstatus", "sscratch", "scause", "sepc", "stval"}) {
            kind.special += text.contains(reg) ? fmt::format(" {}", reg) : "";
        }
    }
    return kind;
}

inline Counts count(std::span<const Step> steps, auto chosen) {
    Counts counts;
    std::set<std::uint64_t> code_lines;
    std::set<std::uint64_t> data_lines;
    std::set<std::uint64_t> addresses;
    for (const Step& step : steps) {
        if (!chosen(step)) {
            continue;
        }
        ++counts.instructions;
        counts.calls += step.kind.flow == Flow::call ? 1U : 0U;
        counts.returns += step.kind.flow == Flow::ret ? 1U : 0U;
        counts.branches += step.kind.flow == Flow::branch ? 1U : 0U;
        counts.indirect += step.kind.indirect ? 1U : 0U;
        counts.barriers += step.kind.barrier ? 1U : 0U;
        if (!step.kind.special.empty()) {
            ++counts.specials[step.kind.special];
        }
        for (const Access& access : step.accesses) {
            ++(access.store ? counts.stores : counts.loads);
            data_lines.insert(access.address / 64);
        }
        code_lines.insert(step.instruction->address / 64);
        addresses.insert(step.instruction->address);
    }
    counts.code_lines = code_lines.size();
    counts.data_lines = data_lines.size();
    counts.code_bytes = 4 * addresses.size();
    return counts;
}

/// Writes a path down step by step. Functions lie 4 KiB apart from `text` on, in the order in which
/// the path reaches them.
class PathWriter {
public:
    explicit PathWriter(std::uint64_t text = 0xffffffff80001000) : next_(text) {}

    PathWriter& phase(Phase phase) {
        phase_ = phase;
        return *this;
    }
    /// Goes on in another function without a call, as at the very beginning.
    PathWriter& enter(const std::string& function) {
        leave();
        open(function);
        return *this;
    }
    PathWriter& call(const std::string& function) {
        const std::uint64_t target = part(function_of(function)).start;
        step(fmt::format("jal             ra,{}                # 0x{:x}",
                         static_cast<std::int64_t>(target - next_address()), target));
        open(function);
        return *this;
    }
    /// Through a pointer, as system calls are.
    PathWriter& call_indirect(const std::string& function) {
        step("jalr            ra,a5,0");
        open(function);
        return *this;
    }
    PathWriter& ret() {
        step("ret");
        leave();
        return *this;
    }
    PathWriter& inlined(const std::string& function) {
        push({.name = function, .inlined = true});
        return *this;
    }
    PathWriter& end_inlined() {
        levels_.pop_back();
        return *this;
    }
    PathWriter& step(const std::string& text) {
        // Steps point at their instructions: these live as long as the program.
        static std::deque<Instruction> code;
        code.push_back({.address = next_address(), .bytes = "1234", .text = text});
        level().next_address += 4;
        Step step;
        step.instruction = &code.back();
        step.kind = kind_of(text);
        step.phase = phase_;
        step.function = level().function;
        step.taken = step.kind.flow != Flow::next && step.kind.flow != Flow::branch;
        std::vector<Frame>* frames = &anatomy_.tree;
        for (const Level& each : levels_) {
            if (each.inlined) {
                step.inlined.push_back(each.name);
            } else {
                step.inlined.clear();
                step.depth += &each == levels_.data() ? 0U : 1U;
            }
            Frame& frame = frames->back();
            ++frame.total;
            frame.own += &each == &levels_.back() ? 1U : 0U;
            frames = &frame.children;
        }
        if (text.starts_with("ld ") || text.starts_with("sd ")) {
            step.accesses.push_back({.step = static_cast<std::uint32_t>(anatomy_.steps.size()),
                                     .size = 8,
                                     .store = text.starts_with("sd "),
                                     .address = 0xff20000000013e00 + 8 * levels_.size()});
        }
        anatomy_.steps.push_back(std::move(step));
        return *this;
    }
    PathWriter& steps(const Texts& texts) {
        for (const std::string& text : texts) {
            step(text);
        }
        return *this;
    }

    /// The path, counted.
    [[nodiscard]] Anatomy anatomy() {
        const std::span<const Step> steps = anatomy_.steps;
        anatomy_.total = count(steps, [](const Step&) { return true; });
        for (std::uint32_t at = 0; at < anatomy_.functions.size(); ++at) {
            FunctionPart& part = anatomy_.functions[at];
            part.counts = count(steps, [&](const Step& step) { return step.function == at; });
            part.size = part.counts.code_bytes;
        }
        for (std::size_t at = 0; at < phase_count; ++at) {
            anatomy_.phases[at] = count(
                steps, [&](const Step& step) { return step.phase == static_cast<Phase>(at); });
        }
        anatomy_.stack_bytes = 464;
        return std::move(anatomy_);
    }

private:
    /// A frame that is open.
    struct Level {
        std::string name;
        bool inlined = false;
        std::uint32_t function = 0;
        std::uint64_t next_address = 0;
    };

    FunctionPart& part(std::uint32_t function) { return anatomy_.functions[function]; }
    /// The innermost frame that is a function.
    Level& level() {
        return *std::find_if(levels_.rbegin(), levels_.rend(),
                             [](const Level& each) { return !each.inlined; });
    }
    std::uint64_t next_address() { return level().next_address; }

    std::uint32_t function_of(const std::string& name) {
        const auto found = std::ranges::find(anatomy_.functions, name, &FunctionPart::name);
        const auto index = static_cast<std::uint32_t>(found - anatomy_.functions.begin());
        if (found == anatomy_.functions.end()) {
            FunctionPart& added = anatomy_.functions.emplace_back();
            added.name = name;
            added.start = next_;
            next_ += 0x1000;
        }
        return index;
    }
    void push(const Level& level) {
        std::vector<Frame>* frames = &anatomy_.tree;
        for (std::size_t at = 0; at < levels_.size(); ++at) {
            frames = &frames->back().children;
        }
        frames->push_back({.name = level.name,
                           .inlined = level.inlined,
                           .first_step = anatomy_.steps.size(),
                           .children = {}});
        levels_.push_back(level);
    }
    void open(const std::string& name) {
        const std::uint32_t function = function_of(name);
        ++part(function).visits;
        push({.name = name, .function = function, .next_address = part(function).start});
    }
    void leave() {
        while (!levels_.empty() && levels_.back().inlined) {
            levels_.pop_back();
        }
        if (!levels_.empty()) {
            levels_.pop_back();
        }
    }

    Anatomy anatomy_;
    std::uint64_t next_;
    Phase phase_ = Phase::stub;
    std::vector<Level> levels_;
};

/// A path of one function.
inline Anatomy body(const Texts& texts, const std::string& name = "f") {
    return PathWriter().enter(name).steps(texts).anatomy();
}

}  // namespace kerntoll::lab::path
