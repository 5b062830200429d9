// SPDX-License-Identifier: MIT
// What a path can do that no kernel does whose functions begin where the symbols say. Compiled
// functions keep to simple rules; the kernel's assembly does not, so each rule leaves out what
// assembly is known to do.
#include "lab/path/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/path/symbols_table.hpp"
#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

/// Assembly of one file shares its ends: routines that copy jump into each other. It lies together.
constexpr std::uint64_t one_file = 4096;

/// Bytes from a vector to the next, as Linux sets them on loongarch64 (CSR.ECFG.VS).
constexpr std::uint64_t loongarch64_vector = 512;

/// Space before a function that a compiler leaves for what may be patched in. It is no function.
bool is_padding(const Function& function) {
    return function.name.starts_with("__pfx_");
}

/// Against guesses of old AMD processors the kernel hides an instruction within another, and names
/// the inner one.
bool is_hidden(const Function& function) {
    return function.name.ends_with("return_thunk") || function.name.ends_with("safe_ret");
}

/// Parts that a compiler split off (".cold", ".part.0") belong together.
std::string_view base_name(const Function& function) {
    return std::string_view(function.name).substr(0, function.name.find('.'));
}

class Fit {
public:
    Fit(const Symbols& symbols, const Trace& trace, const Path& path, Arch arch)
        : symbols_(symbols), arch_(arch), walk_(walk_of(symbols, trace, path, arch)) {
        stays_.resize(walk_.visits.size());
    }

    /// What does not fit, in words, or nothing.
    [[nodiscard]] std::optional<std::string> trouble() {
        for (std::size_t step = 0; step < walk_.steps.size(); ++step) {
            auto found = trouble_within(step);
            if (!found) {
                found = step == 0 ? trouble_of_entry(0) : trouble_between(step);
            }
            if (found) {
                return found;
            }
            note(step);
        }
        return std::nullopt;
    }

private:
    using Trouble = std::optional<std::string>;

    /// What is known of a visit so far.
    struct Stay {
        bool seen = false;
        bool of_a_function = false;  ///< entered as only functions are: by a call, or by a pointer
        bool called = false;         ///< another function, and came back
    };

    static Walk walk_of(const Symbols& symbols, const Trace& trace, const Path& path, Arch arch) {
        return walk(trace, path, arch, [&](std::uint64_t address) -> std::optional<Spot> {
            const Function* const function = symbols.function_at(address);
            if (function == nullptr) {
                return std::nullopt;
            }
            return Spot{.function = function->name,
                        .start = function->start + symbols.slide(),
                        .inlined = {}};
        });
    }

    [[nodiscard]] std::uint64_t address(std::size_t step) const {
        return walk_.steps[step].instruction->address;
    }
    [[nodiscard]] std::uint64_t behind(std::size_t step) const {
        return address(step) + walk_.steps[step].instruction->bytes.size();
    }
    [[nodiscard]] const Function* function(std::size_t step) const {
        return symbols_.function_at(address(step));
    }
    [[nodiscard]] std::uint64_t offset(const Function& of, std::size_t step) const {
        return address(step) - symbols_.slide() - of.start;
    }
    /// Code outside of a table of symbols is a module's or was made at run time.
    [[nodiscard]] bool in_range(std::size_t step) const {
        const auto functions = symbols_.functions();
        const std::uint64_t linked = address(step) - symbols_.slide();
        return !functions.empty() && functions.front().start <= linked &&
               linked < functions.back().end;
    }
    /// The table of vectors is one symbol, on arm64 with an entry every 128 bytes, on loongarch64
    /// every 512.
    [[nodiscard]] bool is_start(const Function& of, std::size_t step) const {
        const std::uint64_t distance = offset(of, step);
        return (distance == 0 && !is_padding(of)) ||
               (of.name.ends_with("vectors") && distance % 128 == 0) ||
               (of.name == vectors_in_data && distance % loongarch64_vector == 0);
    }
    /// Whether a visit is surely that of a compiled function: by how it was entered, and since it
    /// called others. Assembly that is called, and copies memory, does not.
    [[nodiscard]] bool is_compiled(std::uint32_t visit) const {
        return stays_[visit].of_a_function && stays_[visit].called;
    }
    [[nodiscard]] std::string place(std::size_t step) const {
        const Function* const at = function(step);
        return at == nullptr
                   ? fmt::format("{:#x}, which is in no function of theirs", address(step))
                   : fmt::format("{:#x}, which is {} bytes behind the start of {}", address(step),
                                 offset(*at, step), at->name);
    }

    /// On arm64 the tables of vectors that mitigate something (against the guessing of branches, or
    /// with the kernel unmapped) go on in the main one, behind an entry's first instruction.
    [[nodiscard]] bool goes_on_in_vectors(std::size_t step) const {
        const Function* const to = function(step);
        return arch_ == Arch::arm64 && to != nullptr && to->name == "vectors" &&
               offset(*to, step) % 128 == 4;
    }

    [[nodiscard]] bool enters_by_alias() const;
    Trouble trouble_within(std::size_t step) const;
    Trouble trouble_of_entry(std::size_t step) const;
    Trouble trouble_between(std::size_t step);
    Trouble trouble_of_jump(std::size_t step);
    Trouble trouble_of_return(std::size_t step) const;
    Trouble trouble_of_running_on(std::size_t from, std::size_t step) const;
    [[nodiscard]] bool runs_to_its_end(std::size_t step) const;
    [[nodiscard]] bool jumps_back(std::size_t step, const Function& to) const;
    void note(std::size_t step);

    const Symbols& symbols_;
    Arch arch_;
    Walk walk_;
    std::vector<Stay> stays_;          ///< of each visit
    std::set<const Function*> split_;  ///< a part of which stands elsewhere
};

/// A function begins where an instruction does.
Fit::Trouble Fit::trouble_within(std::size_t step) const {
    const auto functions = symbols_.functions();
    const std::uint64_t linked = address(step) - symbols_.slide();
    const auto next = std::ranges::upper_bound(functions, linked, {}, &Function::start);
    const std::uint64_t end = linked + walk_.steps[step].instruction->bytes.size();
    if (next == functions.end() || next->start >= end || is_hidden(*next)) {
        return std::nullopt;
    }
    return fmt::format("{} would begin within the instruction at {:#x}", next->name, address(step));
}

/// Whether the kernel is entered outside of all that the symbols know, and goes on where it must.
bool Fit::enters_by_alias() const {
    std::size_t step = 0;
    while (step < walk_.steps.size() && function(step) == nullptr && !in_range(step)) {
        ++step;
    }
    if (step == 0 || step == walk_.steps.size() || function(step) == nullptr) {
        return false;
    }
    // The array into which loongarch64's vectors are copied has no name in /proc/kallsyms.
    if (arch_ == Arch::loongarch64) {
        return symbols_.find(vectors_in_data) == nullptr && address(0) % loongarch64_vector == 0 &&
               is_start(*function(step), step);
    }
    // Where arm64 unmaps the kernel, its trampoline runs at a second address.
    return goes_on_in_vectors(step);
}

/// The kernel is entered, and functions are called, where one begins.
Fit::Trouble Fit::trouble_of_entry(std::size_t step) const {
    const Function* const to = function(step);
    const bool known = to != nullptr && is_start(*to, step);
    if (known || (to == nullptr && (step > 0 ? !in_range(step) : enters_by_alias()))) {
        return std::nullopt;
    }
    if (to != nullptr && step > 0) {
        // A call of a label in the same function: thunks, and what fills the return stack.
        if (to == function(step - 1)) {
            return std::nullopt;
        }
        // What counts calls is patched in before a function, and runs into it.
        if (is_padding(*to) && offset(*to, step) > 0 && runs_to_its_end(step)) {
            return std::nullopt;
        }
    }
    return "the path enters " + place(step);
}

bool Fit::runs_to_its_end(std::size_t step) const {
    const std::uint64_t end = function(step)->end + symbols_.slide();
    while (step + 1 < walk_.steps.size() && address(step + 1) == behind(step) &&
           behind(step) < end) {
        ++step;
    }
    return behind(step) == end && step + 1 < walk_.steps.size() && address(step + 1) == end;
}

Fit::Trouble Fit::trouble_between(std::size_t step) {
    const Step& from = walk_.steps[step - 1];
    switch (walk_.arrivals[step]) {
        case Arrival::called:
            return trouble_of_entry(step);
        case Arrival::strayed:
            return trouble_of_return(step);
        case Arrival::returned:
            for (std::size_t call = step; call-- > 0;) {
                if (walk_.steps[call].kind.flow == Flow::call && behind(call) == address(step)) {
                    return trouble_of_running_on(call, step);
                }
            }
            return std::nullopt;
        case Arrival::on:
            break;
    }
    if (address(step) == behind(step - 1)) {
        return trouble_of_running_on(step - 1, step);
    }
    const bool jumped = from.kind.flow == Flow::jump || from.kind.flow == Flow::branch;
    return jumped ? trouble_of_jump(step) : std::nullopt;  // else an interrupt
}

/// A function is left by a jump to the start of another one.
Fit::Trouble Fit::trouble_of_jump(std::size_t step) {
    const Function* const from = function(step - 1);
    const Function* const to = function(step);
    if (from == nullptr || to == nullptr || from == to || is_start(*to, step) ||
        base_name(*from) == base_name(*to) || split_.contains(to)) {
        return std::nullopt;
    }
    const std::uint64_t here = address(step - 1);
    const std::uint64_t there = address(step);
    const bool of_one_file = !is_compiled(walk_.visit_of[step - 1]) &&
                             std::max(here, there) - std::min(here, there) < one_file;
    if (!walk_.steps[step - 1].kind.indirect && of_one_file) {
        return std::nullopt;
    }
    // Code that is seldom needed may stand behind the last function of its file.
    if (!walk_.steps[step - 1].kind.indirect && jumps_back(step, *from)) {
        split_.insert(from);
        return std::nullopt;
    }
    return fmt::format("the path jumps from {} to {}", from->name, place(step));
}

/// Whether the next jump into another function leads to that one.
bool Fit::jumps_back(std::size_t step, const Function& to) const {
    const Function* const here = function(step);
    while (step < walk_.steps.size() && function(step) == here) {
        const Flow flow = walk_.steps[step].kind.flow;
        if (flow == Flow::call || flow == Flow::ret) {
            return false;
        }
        ++step;
    }
    return step < walk_.steps.size() && function(step) == &to;
}

/// A return leads behind a call, or where somebody put the start of a function.
Fit::Trouble Fit::trouble_of_return(std::size_t step) const {
    const Function* const to = function(step);
    if (to == nullptr || is_start(*to, step) || to == function(step - 1) ||
        goes_on_in_vectors(step)) {
        return std::nullopt;
    }
    // Old s390x kernels put labels of their stub there.
    for (std::size_t before = 0; arch_ == Arch::s390x && before < step; ++before) {
        if (function(before) == to) {
            return std::nullopt;
        }
    }
    return fmt::format("the path returns to {} and called nothing", place(step));
}

/// A compiled function does not run into the next one.
Fit::Trouble Fit::trouble_of_running_on(std::size_t from, std::size_t step) const {
    const Function* const left = function(from);
    const Function* const to = function(step);
    if (left == nullptr || to == nullptr || left == to) {
        return std::nullopt;
    }
    if (!is_padding(*to) && !is_compiled(walk_.visit_of[from])) {
        return std::nullopt;
    }
    return fmt::format("the path runs on from {} into {} at {:#x}", left->name, to->name,
                       address(step));
}

void Fit::note(std::size_t step) {
    Stay& stay = stays_[walk_.visit_of[step]];
    if (!stay.seen && step > 0) {
        const Class& kind = walk_.steps[step - 1].kind;
        stay.of_a_function =
            walk_.arrivals[step] == Arrival::called || (kind.flow == Flow::jump && kind.indirect);
    }
    stay.seen = true;
    if (walk_.steps[step].kind.flow == Flow::call && step + 1 < walk_.steps.size()) {
        stay.called = stay.called || function(step + 1) != function(step);
    }
}

/// Where each kind of kernel is entered by a system call, by the symbols of its trap stub; `offset`
/// is how far behind it (all vectors of arm64 and loongarch64 are one symbol).
struct Entry {
    std::string_view symbol;
    std::uint64_t offset = 0;
};
constexpr std::array entries{Entry{"entry_SYSCALL_64"}, Entry{"vectors", 0x400},
                             Entry{"handle_exception"}, Entry{"system_call"},
                             Entry{vectors_in_data, 11 * loongarch64_vector}};

/// Whether symbols name most of what a path executes. Those that were moved to where the kernel is
/// entered must: on arm64 that may be a second address, far from all else.
bool hold_most_of(const Symbols& symbols, const Trace& trace, const Path& path) {
    const auto known = std::ranges::count_if(path.steps, [&](std::uint32_t step) {
        return symbols.function_at(trace.instructions[step].address) != nullptr;
    });
    return 2 * static_cast<std::size_t>(known) >= path.steps.size();
}

/// How far symbols are from where the kernel was entered, by its trap stub. Whole pages only: what
/// is off by less is another kernel's.
std::optional<std::uint64_t> distance_of(const Symbols& symbols, std::uint64_t entered) {
    constexpr std::uint64_t page = 4096;
    for (const Entry& entry : entries) {
        if (const Function* const stub = symbols.find(entry.symbol)) {
            const std::uint64_t by = entered - (stub->start + entry.offset);
            return by != 0 && by % page == 0 ? std::optional(by) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<void> check_fit(const Symbols& symbols, const Trace& trace, const Path& path, Arch arch) {
    if (const auto trouble = Fit(symbols, trace, path, arch).trouble()) {
        return fail(Fault::usage, fmt::format("the symbols of {} are another kernel's, or not all "
                                              "of its own: {}; give the System.map or "
                                              "vmlinux of the kernel that was recorded",
                                              symbols.origin(), *trouble));
    }
    return {};
}

Result<void> fit_symbols(Symbols& symbols, const Trace& trace, const Path& path, Arch arch) {
    symbols.slide(0);
    auto fits = check_fit(symbols, trace, path, arch);
    if (fits) {
        return fits;
    }
    const auto by = distance_of(symbols, trace.instructions[path.steps[1]].address);
    if (!by) {
        return fits;
    }
    symbols.slide(*by);
    return hold_most_of(symbols, trace, path) ? check_fit(symbols, trace, path, arch) : fits;
}

}  // namespace kerntoll::lab::path
