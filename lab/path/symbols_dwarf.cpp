// SPDX-License-Identifier: MIT
// libdw can find the scopes of an address by itself, but walks through a whole unit for each, which
// in a kernel takes milliseconds; and it finds the unit by .debug_aranges, which clang does not
// write. Hence the tables here.
#include "lab/path/symbols_dwarf.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>

namespace kerntoll::lab::path {
namespace {

// Compilers nest a few dozen levels; a damaged file must not use up the stack.
constexpr int deepest_nesting = 256;
// More than a whole kernel has. In a damaged file every entry may refer to one long list.
constexpr std::size_t most_ranges = 1U << 22U;

struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  ///< the first address behind it
    [[nodiscard]] bool contains(std::uint64_t address) const {
        return begin <= address && address < end;
    }
};

std::vector<Range> ranges_of(Dwarf_Die& die) {
    std::vector<Range> ranges;
    Dwarf_Addr base = 0;
    Range range;
    std::ptrdiff_t next = 0;
    while (ranges.size() < most_ranges &&
           (next = dwarf_ranges(&die, next, &base, &range.begin, &range.end)) > 0) {
        ranges.push_back(range);
    }
    return ranges;
}

/// Calls `visit` with each entry directly below `parent`.
template <class Visit>
void for_each_child(Dwarf_Die& parent, Visit visit) {
    Dwarf_Die child{};
    for (int more = dwarf_child(&parent, &child); more == 0;
         more = dwarf_siblingof(&child, &child)) {
        visit(child);
    }
}

/// Finds the element, of those with ranges that do not overlap, that an address belongs to.
class Index {
public:
    void add(Dwarf_Die& die, std::size_t element) {
        for (const Range& range : ranges_of(die)) {
            if (entries_.size() < most_ranges) {
                entries_.push_back({range, element});
            }
        }
    }
    /// To be called once all are added.
    void sort() { std::ranges::sort(entries_, {}, begin_of); }
    [[nodiscard]] std::optional<std::size_t> at(std::uint64_t address) const {
        const auto behind = std::ranges::upper_bound(entries_, address, {}, begin_of);
        if (behind == entries_.begin() || !std::prev(behind)->range.contains(address)) {
            return std::nullopt;
        }
        return std::prev(behind)->element;
    }

private:
    struct Entry {
        Range range;
        std::size_t element = 0;
    };
    static std::uint64_t begin_of(const Entry& entry) { return entry.range.begin; }
    std::vector<Entry> entries_;
};

/// A function and what was inlined into it.
class Body {
public:
    explicit Body(Dwarf_Die die) : die_(die) {}

    [[nodiscard]] std::vector<std::string> inlined_at(std::uint64_t address) {
        if (frames_.empty()) {
            frames_.emplace_back();  // the function itself
            add_below(die_, 0, 0);
        }
        // Frames stand behind those that hold them, so the last one is the innermost. The others
        // are not looked for by their ranges: gcc 12 writes some that end before they have begun.
        std::size_t frame = 0;
        for (const Part& part : parts_) {
            frame = part.range.contains(address) ? part.frame : frame;
        }
        std::vector<std::string> names;
        for (; frame != 0; frame = frames_[frame].outer) {
            names.emplace_back(frames_[frame].name);
        }
        std::ranges::reverse(names);
        return names;
    }

private:
    struct Frame {
        const char* name = nullptr;
        std::size_t outer = 0;  ///< index of the frame that it is in
    };
    struct Part {
        Range range;
        std::size_t frame = 0;
    };

    void add_below(Dwarf_Die& parent, std::size_t outer, int depth) {
        if (depth > deepest_nesting) {
            return;
        }
        for_each_child(parent, [&](Dwarf_Die& child) {
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_lexical_block) {
                add_below(child, outer, depth + 1);
            } else if (tag == DW_TAG_inlined_subroutine) {
                add_below(child, add(child, outer), depth + 1);
            }
        });
    }
    /// The frame of an inlined function; the outer one again where it has no name.
    std::size_t add(Dwarf_Die& die, std::size_t outer) {
        const char* const name = dwarf_diename(&die);
        if (name == nullptr) {
            return outer;
        }
        for (const Range& range : ranges_of(die)) {
            if (parts_.size() < most_ranges) {
                parts_.push_back({range, frames_.size()});
            }
        }
        frames_.push_back({name, outer});
        return frames_.size() - 1;
    }

    Dwarf_Die die_;
    std::vector<Frame> frames_;
    std::vector<Part> parts_;
};

/// What one run of the compiler made.
class Unit {
public:
    explicit Unit(Dwarf_Die die) : die_(die) {
        Dwarf_Attribute attribute{};
        const char* const directory =
            dwarf_formstring(dwarf_attr(&die_, DW_AT_comp_dir, &attribute));
        directory_ =
            std::filesystem::path(directory != nullptr ? directory : "").lexically_normal();
    }

    [[nodiscard]] std::vector<std::string> inlined_at(std::uint64_t address) {
        if (!loaded_) {
            loaded_ = true;
            add_bodies_below(die_, 0);
            index_.sort();
        }
        const auto body = index_.at(address);
        return body ? bodies_[*body].inlined_at(address) : std::vector<std::string>{};
    }

    [[nodiscard]] std::string source_at(std::uint64_t address) {
        int number = 0;
        Dwarf_Line* const line = dwarf_getsrc_die(&die_, address);
        const char* const file = line != nullptr ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
        // Line 0 is what compilers give to instructions that come from no line.
        if (file == nullptr || dwarf_lineno(line, &number) != 0 || number == 0) {
            return {};
        }
        // A compiler's own headers have no short way from the kernel's folder.
        const std::string path = std::filesystem::path(file).lexically_normal();
        const std::string relative = std::filesystem::path(path).lexically_relative(directory_);
        const bool is_shorter = !relative.empty() && relative.size() < path.size();
        return fmt::format("{}:{}", is_shorter ? relative : path, number);
    }

private:
    void add_bodies_below(Dwarf_Die& parent, int depth) {
        if (depth > deepest_nesting) {
            return;
        }
        for_each_child(parent, [&](Dwarf_Die& child) {
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_subprogram) {
                index_.add(child, bodies_.size());
                bodies_.emplace_back(child);
            } else if (tag == DW_TAG_namespace) {  // Rust's modules
                add_bodies_below(child, depth + 1);
            }
        });
    }

    Dwarf_Die die_;
    std::filesystem::path directory_;
    bool loaded_ = false;
    Index index_;
    std::vector<Body> bodies_;
};

}  // namespace

struct DebugInfo::Units {
    struct Closer {
        void operator()(Dwarf* handle) const { dwarf_end(handle); }
    };

    explicit Units(Elf* elf) : dwarf(dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
        Dwarf_CU* unit = nullptr;
        Dwarf_Die die{};
        while (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
            index.add(die, units.size());
            units.emplace_back(die);
        }
        index.sort();
    }

    std::unique_ptr<Dwarf, Closer> dwarf;
    Index index;
    std::vector<Unit> units;
};

DebugInfo::DebugInfo(Elf* elf) : elf_(elf) {}

DebugInfo::Found DebugInfo::at(std::uint64_t address) {
    if (!units_) {
        units_ = std::make_unique<Units>(elf_);
    }
    const auto unit = units_->index.at(address);
    if (!unit) {
        return {};
    }
    return {units_->units[*unit].inlined_at(address), units_->units[*unit].source_at(address)};
}

DebugInfo::DebugInfo(DebugInfo&&) noexcept = default;
DebugInfo& DebugInfo::operator=(DebugInfo&&) noexcept = default;
DebugInfo::~DebugInfo() = default;

}  // namespace kerntoll::lab::path
