// SPDX-License-Identifier: MIT
#include "lab/path/anatomy.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr std::uint64_t line_bytes = 64;

/// Adds the lines that `size` bytes from an address on lie in.
void add_lines(std::uint64_t address, std::uint64_t size,
               std::unordered_set<std::uint64_t>& lines) {
    for (std::uint64_t byte = 0; byte < size; ++byte) {
        lines.insert((address + byte) / line_bytes);
    }
}

/// Counts steps.
class Tally {
public:
    void add(const Step& step);
    [[nodiscard]] Counts counts() const;

private:
    Counts counts_;
    std::unordered_set<std::uint64_t> addresses_;
    std::unordered_set<std::uint64_t> code_lines_;
    std::unordered_set<std::uint64_t> data_lines_;
};

void Tally::add(const Step& step) {
    const Class& kind = step.kind;
    const bool jumps = kind.flow == Flow::jump;
    const bool branches = kind.flow == Flow::branch;
    ++counts_.instructions;
    counts_.calls += kind.flow == Flow::call ? 1 : 0;
    counts_.returns += kind.flow == Flow::ret ? 1 : 0;
    counts_.branches += branches ? 1 : 0;
    counts_.taken += jumps || (branches && step.taken) ? 1 : 0;
    counts_.indirect += kind.indirect ? 1 : 0;
    counts_.atomics += kind.atomic ? 1 : 0;
    counts_.barriers += kind.barrier ? 1 : 0;
    if (!kind.special.empty()) {
        ++counts_.specials[kind.special];
    }
    const Instruction& instruction = *step.instruction;
    if (addresses_.insert(instruction.address).second) {
        counts_.code_bytes += instruction.bytes.size();
        add_lines(instruction.address, instruction.bytes.size(), code_lines_);
    }
    for (const Access& access : step.accesses) {
        ++(access.store ? counts_.stores : counts_.loads);
        add_lines(access.address, access.size, data_lines_);
    }
}

Counts Tally::counts() const {
    Counts counts = counts_;
    counts.code_lines = code_lines_.size();
    counts.data_lines = data_lines_.size();
    return counts;
}

/// The size that Linux gives kernel stacks on all five architectures (THREAD_SIZE with 4 KiB
/// pages), to which they are aligned.
constexpr std::uint64_t stack_size = 16'384;

/// The kernel stack is told from other memory by what is done to it: a path reads back there what
/// it has stored itself, register by register. So it is the aligned region with most loads of
/// addresses that the path stored to before. Which accesses are relative to the stack pointer would
/// not tell: much of a stack is reached by pointers.
std::optional<std::uint64_t> stack_bytes(const std::vector<Step>& steps) {
    std::unordered_set<std::uint64_t> stored;
    std::unordered_map<std::uint64_t, std::uint64_t> read_back;  // loads by region
    for (const Step& step : steps) {
        for (const Access& access : step.accesses) {
            if (access.store) {
                stored.insert(access.address);
            } else if (stored.contains(access.address)) {
                ++read_back[access.address / stack_size];
            }
        }
    }
    // Of two equal ones the lower, so that the answer does not depend on a hash.
    const auto stack = std::ranges::max_element(read_back, [](const auto& left, const auto& right) {
        return std::pair(left.second, right.first) < std::pair(right.second, left.first);
    });
    if (stack == read_back.end()) {
        return std::nullopt;
    }
    std::uint64_t low = UINT64_MAX;
    std::uint64_t high = 0;
    for (const Step& step : steps) {
        for (const Access& access : step.accesses) {
            if (access.address / stack_size == stack->first) {
                low = std::min(low, access.address);
                high = std::max(high, access.address + access.size);
            }
        }
    }
    return high - low;
}

}  // namespace

Anatomy dissect(const Trace& trace, const Path& path, Arch arch, const Locate& locate) {
    Walk walk = path::walk(trace, path, arch, locate);
    set_phases(walk);
    Tally total;
    std::array<Tally, phase_count> phases;
    std::vector<Tally> functions(walk.functions.size());
    for (const Step& step : walk.steps) {
        total.add(step);
        phases[static_cast<std::size_t>(step.phase)].add(step);
        functions[step.function].add(step);
    }
    Anatomy anatomy;
    anatomy.total = total.counts();
    std::ranges::transform(phases, anatomy.phases.begin(), &Tally::counts);
    for (std::size_t function = 0; function < functions.size(); ++function) {
        walk.functions[function].counts = functions[function].counts();
    }
    anatomy.stack_bytes = stack_bytes(walk.steps);
    anatomy.tree = tree_of(walk);
    anatomy.steps = std::move(walk.steps);
    anatomy.functions = std::move(walk.functions);
    return anatomy;
}

}  // namespace kerntoll::lab::path
