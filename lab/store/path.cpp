// SPDX-License-Identifier: MIT
#include "lab/store/path.hpp"

#include <array>
#include <set>

namespace kerntoll::lab::store {

std::span<const Quantity> quantities() {
    static constexpr std::array<Quantity, 13> all{{
        {"instructions", "instr", "instructions", &Counts::instructions},
        {"calls", "calls", "calls", &Counts::calls},
        {"returns", "returns", "returns", &Counts::returns},
        {"conditional branches", "branches", "branches", &Counts::branches},
        {"taken branches", "taken", "taken", &Counts::taken},
        {"indirect branches", "indirect", "indirect", &Counts::indirect},
        {"loads", "loads", "loads", &Counts::loads},
        {"stores", "stores", "stores", &Counts::stores},
        {"atomics", "atomics", "atomics", &Counts::atomics},
        {"barriers", "barriers", "barriers", &Counts::barriers},
        {"code lines", "lines", "code_lines", &Counts::code_lines},
        {"data lines", "data", "data_lines", &Counts::data_lines},
        {"code bytes", "bytes", "code_bytes", &Counts::code_bytes},
    }};
    return all;
}

std::vector<std::string> specials_of(const Counts& base, const Counts& change) {
    std::set<std::string> names;
    for (const auto* specials : {&base.specials, &change.specials}) {
        for (const auto& [name, count] : *specials) {
            names.insert(name);
        }
    }
    return {names.begin(), names.end()};
}

std::uint64_t special(const Counts& counts, const std::string& name) {
    const auto found = counts.specials.find(name);
    return found == counts.specials.end() ? 0 : found->second;
}

std::string_view name(Fate fate) {
    switch (fate) {
        case Fate::unchanged:
            return "unchanged";
        case Fate::changed:
            return "changed";
        case Fate::gone:
            return "gone";
        case Fate::appeared:
            return "appeared";
        case Fate::inlined:
            return "inlined";
        case Fate::moved:
            return "moved";
    }
    return "?";
}

std::string_view name(ComparedSizes::Source source) {
    return source == ComparedSizes::Source::sections ? "sections" : "labels";
}

std::optional<ComparedSizes> compare_sizes(const ImageSizes& base, const ImageSizes& change) {
    using Source = ComparedSizes::Source;
    if (base.sections && change.sections) {
        return ComparedSizes{Source::sections, *base.sections, *change.sections};
    }
    if (base.labels && change.labels) {
        return ComparedSizes{Source::labels, *base.labels, *change.labels};
    }
    return std::nullopt;
}

}  // namespace kerntoll::lab::store
