// SPDX-License-Identifier: MIT
#include "lab/path/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lab/path/align.hpp"

namespace kerntoll::lab::path {
namespace {

/// Whether a text is not the instruction's. QEMU reads it from the address, and what an s390x EX or
/// EXRL executes does not stand there: it gets their text, and its own bytes.
bool is_anothers(Arch arch, const Instruction& instruction) {
    constexpr std::string_view opcodes = "\x44\xc6";  // of EX and EXRL
    const std::string text = disassembly(instruction);
    return arch == Arch::s390x && (text.starts_with("ex ") || text.starts_with("exrl ")) &&
           !instruction.bytes.empty() && !opcodes.contains(instruction.bytes.front());
}

/// An instruction's bytes. Behind what an EX or EXRL executes QEMU has more; on s390x the first two
/// bits tell how long it is (z/Architecture Principles of Operation, "Instruction formats").
std::string_view own_bytes(Arch arch, const Instruction& instruction) {
    const std::string_view bytes = instruction.bytes;
    if (arch != Arch::s390x || bytes.empty()) {
        return bytes;
    }
    constexpr std::array<std::size_t, 4> sizes{2, 4, 4, 6};
    return bytes.substr(0, sizes[static_cast<unsigned char>(bytes.front()) >> 6U]);
}

/// QEMU's text. Bytes that its disassembler does not know are spelled anew, for the same reason.
std::string text_of(Arch arch, const Instruction& instruction) {
    if (!instruction.text.starts_with(".byte") && !is_anothers(arch, instruction)) {
        return instruction.text;
    }
    std::string bytes;
    for (const char byte : own_bytes(arch, instruction)) {
        bytes +=
            fmt::format("{} 0x{:02x}", bytes.empty() ? "" : ",", static_cast<unsigned char>(byte));
    }
    return ".byte" + bytes;
}

/// As a reader sees it.
std::string readable(const Instruction& instruction, std::string text, const Class& kind) {
    text = disassembly(
        {.address = instruction.address, .bytes = instruction.bytes, .text = std::move(text)});
    return text.starts_with(".byte") && !kind.special.empty()
               ? fmt::format("{} ({})", kind.special, text)
               : text;
}

std::uint64_t behind(const Instruction& instruction) {
    return instruction.address + instruction.bytes.size();
}

bool always_leaves(Flow flow) {
    return flow != Flow::next && flow != Flow::branch;
}

class Walker {
public:
    Walker(const Trace& trace, Arch arch, const Locate& locate)
        : trace_(&trace), arch_(arch), locate_(&locate) {}

    void step(std::uint32_t number);
    Walk finish() {
        if (!walk_.steps.empty()) {
            Step& last = walk_.steps.back();
            last.taken = always_leaves(last.kind.flow);
        }
        return std::move(walk_);
    }

private:
    /// A call that did not come back yet.
    struct Open {
        std::uint64_t back = 0;   ///< the address behind it
        std::uint32_t visit = 0;  ///< that made it
    };
    /// What is the same each time that an instruction is executed.
    struct Known {
        std::string text;
        Class kind;
        std::optional<Spot> spot;
    };

    const Known& known(std::uint32_t number);
    Arrival arrive(std::uint64_t address);
    Arrival go_back(const Step& from, std::uint64_t address);
    std::uint32_t function_at(std::uint64_t address, const std::optional<Spot>& spot,
                              Arrival arrival);
    std::uint32_t function_number(FunctionPart&& function);
    void visit(std::uint32_t function, std::uint64_t address, Arrival arrival);
    void begin_visit(std::uint32_t function, std::optional<std::uint32_t> caller);

    const Trace* trace_;
    Arch arch_;
    const Locate* locate_;
    std::unordered_map<std::uint32_t, Known> known_;  ///< by index into Trace::instructions
    std::unordered_map<std::uint64_t, std::uint32_t> function_numbers_;  ///< by start
    std::unordered_set<std::uint32_t> unnamed_;  ///< functions that no symbol is known of
    std::vector<Open> open_;
    std::uint32_t visit_ = 0;  ///< that the path is in
    Walk walk_;
};

const Walker::Known& Walker::known(std::uint32_t number) {
    const auto [at, added] = known_.try_emplace(number);
    if (added) {
        const Instruction& instruction = trace_->instructions[number];
        std::string text = text_of(arch_, instruction);
        Class kind = classify(arch_, text);
        at->second = {.text = readable(instruction, std::move(text), kind),
                      .kind = std::move(kind),
                      .spot = (*locate_)(instruction.address)};
    }
    return at->second;
}

void Walker::step(std::uint32_t number) {
    const Instruction& instruction = trace_->instructions[number];
    const Known& what = known(number);
    const Arrival arrival = arrive(instruction.address);
    const std::uint32_t function = function_at(instruction.address, what.spot, arrival);
    visit(function, instruction.address, arrival);
    walk_.arrivals.push_back(arrival);
    walk_.visit_of.push_back(visit_);
    walk_.steps.push_back({.instruction = &instruction,
                           .text = what.text,
                           .kind = what.kind,
                           .function = function,
                           .depth = static_cast<std::uint32_t>(open_.size()),
                           .inlined = what.spot ? what.spot->inlined : std::vector<std::string>{},
                           .accesses = {}});
}

Arrival Walker::arrive(std::uint64_t address) {
    if (walk_.steps.empty()) {
        return Arrival::on;
    }
    Step& from = walk_.steps.back();
    from.taken = always_leaves(from.kind.flow) || address != behind(*from.instruction);
    if (from.kind.flow == Flow::call) {
        open_.push_back({.back = behind(*from.instruction), .visit = visit_});
        return Arrival::called;
    }
    return go_back(from, address);
}

/// Not every return is a `ret`: an s390x kernel returns by a jump, and conditionally.
Arrival Walker::go_back(const Step& from, std::uint64_t address) {
    if (from.kind.flow != Flow::ret && !(from.kind.indirect && from.taken)) {
        return Arrival::on;
    }
    const auto fits = std::find_if(open_.rbegin(), open_.rend(),
                                   [address](const Open& call) { return call.back == address; });
    if (fits != open_.rend()) {
        visit_ = fits->visit;
        open_.erase(std::prev(fits.base()), open_.end());
        return Arrival::returned;
    }
    if (from.kind.flow != Flow::ret) {
        return Arrival::on;
    }
    if (!open_.empty()) {
        visit_ = open_.back().visit;
        open_.pop_back();
    }
    return Arrival::strayed;
}

std::uint32_t Walker::function_at(std::uint64_t address, const std::optional<Spot>& spot,
                                  Arrival arrival) {
    if (spot) {
        return function_number(
            {.name = spot->function, .start = spot->start, .size = spot->size, .counts = {}});
    }
    // Without a symbol a function begins where the path enters it, and a jump stays in it.
    const bool entered =
        walk_.steps.empty() || arrival == Arrival::called || arrival == Arrival::strayed;
    if (!entered) {
        const std::uint32_t current = walk_.visits[visit_].function;
        if (unnamed_.contains(current)) {
            return current;
        }
    }
    const std::uint32_t number =
        function_number({.name = fmt::format("{:#x}", address), .start = address, .counts = {}});
    unnamed_.insert(number);
    return number;
}

std::uint32_t Walker::function_number(FunctionPart&& function) {
    const auto next = static_cast<std::uint32_t>(walk_.functions.size());
    const auto [at, added] = function_numbers_.try_emplace(function.start, next);
    if (added) {
        walk_.functions.push_back(std::move(function));
    }
    return at->second;
}

void Walker::visit(std::uint32_t function, std::uint64_t address, Arrival arrival) {
    if (walk_.steps.empty()) {
        begin_visit(function, std::nullopt);
        return;
    }
    const Visit& here = walk_.visits[visit_];
    if (arrival != Arrival::called) {
        if (function != here.function) {
            begin_visit(function, here.caller);
        }
        return;
    }
    // A call to within the function that makes it (a retpoline, a stuffed return stack) opens a
    // frame, but enters no function.
    if (function != here.function || address == walk_.functions[function].start) {
        begin_visit(function, visit_);
    }
}

void Walker::begin_visit(std::uint32_t function, std::optional<std::uint32_t> caller) {
    visit_ = static_cast<std::uint32_t>(walk_.visits.size());
    walk_.visits.push_back({.function = function, .caller = caller});
    ++walk_.functions[function].visits;
}

}  // namespace

Walk walk(const Trace& trace, const Path& path, Arch arch, const Locate& locate) {
    Walker walker(trace, arch, locate);
    for (std::size_t index = 1; index < path.steps.size(); ++index) {  // the first is the trap
        walker.step(path.steps[index]);
    }
    Walk walk = walker.finish();
    for (const Access& access : path.accesses) {
        if (access.step > 0) {
            walk.steps[access.step - 1].accesses.push_back(access);
        }
    }
    return walk;
}

}  // namespace kerntoll::lab::path
