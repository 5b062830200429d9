// SPDX-License-Identifier: MIT
#include "lab/path/anatomy.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "lab/path/stack.hpp"
#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr std::uint64_t line_bytes = 64;

/// Adds the lines that `size` bytes from an address on lie in.
void add_lines(std::uint64_t address, std::uint64_t size,
               std::unordered_set<std::uint64_t>& lines) {
    for (std::uint64_t at = 0; at < size; at += line_bytes - (address + at) % line_bytes) {
        lines.insert((address + at) / line_bytes);
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

}  // namespace

void recount(Anatomy& anatomy) {
    Tally total;
    std::array<Tally, phase_count> phases;
    std::vector<Tally> functions(anatomy.functions.size());
    for (const Step& step : anatomy.steps) {
        total.add(step);
        phases[static_cast<std::size_t>(step.phase)].add(step);
        functions[step.function].add(step);
    }
    anatomy.total = total.counts();
    std::ranges::transform(phases, anatomy.phases.begin(), &Tally::counts);
    for (std::size_t function = 0; function < functions.size(); ++function) {
        anatomy.functions[function].counts = functions[function].counts();
    }
}

Anatomy dissect(const Trace& trace, const Path& path, Arch arch, const Locate& locate) {
    Walk walk = path::walk(trace, path, arch, locate);
    set_phases(walk);
    Anatomy anatomy;
    anatomy.stack_bytes = stack_bytes(walk.steps, arch);
    anatomy.tree = tree_of(walk);
    anatomy.steps = std::move(walk.steps);
    anatomy.functions = std::move(walk.functions);
    recount(anatomy);
    return anatomy;
}

}  // namespace kerntoll::lab::path
