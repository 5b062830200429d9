// SPDX-License-Identifier: MIT
// What is known of the instructions of one call without the instructions themselves: its counts,
// and what became of its functions in a change. The results file keeps it, lab/path/ finds it out,
// and reports are made of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerntoll::lab::store {

/// What is counted of any set of executed instructions (docs/path.md).
struct Counts {
    std::uint64_t instructions = 0;
    std::uint64_t calls = 0;
    std::uint64_t returns = 0;
    std::uint64_t branches = 0;  ///< conditional
    std::uint64_t taken = 0;     ///< of which taken, and jumps, which always are
    std::uint64_t indirect = 0;  ///< jumps and calls
    std::uint64_t loads = 0;  ///< accesses: an instruction that loads eight registers makes eight
    std::uint64_t stores = 0;
    std::uint64_t atomics = 0;
    std::uint64_t barriers = 0;
    std::uint64_t code_lines = 0;  ///< different 64-byte lines that hold the instructions
    std::uint64_t data_lines = 0;  ///< different 64-byte lines that are read or written
    std::uint64_t code_bytes = 0;  ///< of the different instructions
    std::map<std::string, std::uint64_t> specials = {};  ///< by name
};

/// Something that is counted, in words.
struct Quantity {
    std::string_view name;    ///< "taken branches"
    std::string_view column;  ///< "taken": the head of a narrow column
    std::string_view key;     ///< in JSON and in the results file
    std::uint64_t Counts::* count;
};
/// All but the specials, in the order in which they are printed.
[[nodiscard]] std::span<const Quantity> quantities();

/// The names of the specials of either side, in alphabetical order.
[[nodiscard]] std::vector<std::string> specials_of(const Counts& base, const Counts& change);
/// How many specials of that name there are.
[[nodiscard]] std::uint64_t special(const Counts& counts, const std::string& name);

/// What became of a function of two paths.
enum class Fate : std::uint8_t {
    unchanged,
    changed,
    gone,      ///< on A's path, not on B's
    appeared,  ///< on B's path, not on A's
    inlined,  ///< gone as a function, its code is part of `into` (B's DWARF or its instructions say
              ///< so)
    moved,    ///< the same instructions, entered from another function or in another order
};
[[nodiscard]] std::string_view name(Fate fate);

/// A function that is on one of two paths, or on both.
struct FunctionChange {
    std::string name = {};
    Fate fate = Fate::unchanged;
    std::string into = {};   ///< what holds an inlined function's code now, else empty
    std::uint64_t base = 0;  ///< instructions on A's path; 0 where it is not on it
    std::uint64_t change = 0;
    /// Bytes of its code in the image, also where the path leaves it out; 0 where the image has no
    /// such function, nothing where that is not known.
    std::optional<std::uint64_t> base_size = {};
    std::optional<std::uint64_t> change_size = {};
    /// Instructions gained (positive) or lost by this function.
    [[nodiscard]] std::int64_t instructions() const {
        return static_cast<std::int64_t>(change) - static_cast<std::int64_t>(base);
    }
};

/// Bytes of a kernel image.
struct ImageSize {
    std::uint64_t text = 0;
    std::uint64_t rodata = 0;  ///< read-only data
};

/// The two ways in which the size of an image can be known. They are not the same thing: labels
/// also enclose what the linker fills up.
struct ImageSizes {
    std::optional<ImageSize> sections = {};  ///< .text and .rodata of an ELF file
    std::optional<ImageSize> labels = {};    ///< _stext to _etext, __start_rodata to __end_rodata
};
/// Two images' sizes, each known in the same way.
struct ComparedSizes {
    enum class Source : std::uint8_t { sections, labels } source;
    ImageSize base;
    ImageSize change;
};
/// By sections where both are ELF files; nothing where no way is known of both.
[[nodiscard]] std::optional<ComparedSizes> compare_sizes(const ImageSizes& base,
                                                         const ImageSizes& change);
/// "sections", "labels".
[[nodiscard]] std::string_view name(ComparedSizes::Source source);

/// The path of one arm's call.
struct PathRecord {
    std::uint32_t arm = 0;
    std::uint32_t workload = 0;  ///< index into RunRecord::workloads
    std::uint32_t call = 1;      ///< which of the calls that an op makes, from 1
    std::uint32_t calls_per_op = 1;
    Counts counts = {};
    ImageSizes image = {};
    std::vector<FunctionChange> functions =
        {};                                 ///< against the base, in path order; empty for the base
    std::vector<std::string> remarks = {};  ///< sentences: other paths seen, symbols missing
};

}  // namespace kerntoll::lab::store
