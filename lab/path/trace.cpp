// SPDX-License-Identifier: MIT
#include "lab/path/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kerntoll::lab::path {
namespace {

/// The fewest bytes that each of these takes in a file: its fields, of one byte each. A path's are
/// two numbers of elements, and a variant's path has two steps.
constexpr std::size_t least_step = 1;
constexpr std::size_t least_access = 3;
constexpr std::size_t least_instruction = 3;
constexpr std::size_t least_variant = 6;

/// Takes a trace's numbers and texts one after the other. Once one is missing, or is none that the
/// recorder writes, everything is.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] bool sound() const { return sound_; }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    /// What must hold of the elements that were read.
    void require(bool holds) { sound_ = sound_ && holds; }

    /// A number has one form: none that is longer than it need be or than 64 bits.
    std::uint64_t number() {
        constexpr unsigned last_shift = 63;
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift <= last_shift && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80) {
                require((byte != 0 || shift == 0) && (byte <= 1 || shift < last_shift));
                return value;
            }
        }
        sound_ = false;
        return 0;
    }
    std::uint64_t step(std::uint64_t& before) {
        before += static_cast<std::uint64_t>(trace_format::unzigzag(number()));
        return before;
    }
    std::string bytes(std::size_t most) {
        const std::uint64_t size = number();
        if (size > std::min(most, rest_.size())) {
            sound_ = false;
            return {};
        }
        std::string value(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return value;
    }
    std::string text() {
        std::string value = bytes(trace_format::longest_text);
        require(
            std::ranges::all_of(value, [](char c) { return (' ' <= c && c <= '~') || c == '\t'; }));
        return value;
    }
    /// How many elements follow, each of `least` bytes at least: a damaged number asks for no more
    /// elements than the rest of the file could hold.
    std::size_t count(std::size_t least) {
        const std::uint64_t value = number();
        if (value > rest_.size() / least) {
            sound_ = false;
            return 0;
        }
        return value;
    }

private:
    std::string_view rest_;
    bool sound_ = true;
};

Path read_path(Reader& reader, std::size_t instructions) {
    Path path;
    path.steps.resize(reader.count(least_step));
    std::uint64_t before = 0;
    for (std::uint32_t& step : path.steps) {
        const std::uint64_t instruction = reader.step(before);
        reader.require(instruction < instructions);
        step = static_cast<std::uint32_t>(instruction);
    }
    path.accesses.resize(reader.count(least_access));
    std::uint64_t step_before = 0;
    std::uint64_t address_before = 0;
    for (Access& access : path.accesses) {
        const std::uint64_t step = reader.step(step_before);
        reader.require(step < path.steps.size());
        access.step = static_cast<std::uint32_t>(step);
        const std::uint64_t kind = reader.number();
        const std::uint64_t size_shift = kind & trace_format::size_mask;
        reader.require(kind <= (trace_format::size_mask | trace_format::store_bit) &&
                       size_shift <= trace_format::largest_size_shift);
        access.size = 1U << size_shift;
        access.store = (kind & trace_format::store_bit) != 0;
        access.address = reader.step(address_before);
    }
    return path;
}

/// The path of a round trip: the trap, and what it led to.
Path read_round_trip(Reader& reader, std::size_t instructions) {
    Path path = read_path(reader, instructions);
    reader.require(path.steps.size() >= 2);
    return path;
}

std::vector<Variant> read_variants(Reader& reader, std::size_t instructions) {
    std::vector<Variant> variants(reader.count(least_variant));
    std::uint64_t rounds = 0;  // of all before
    std::uint64_t at_least = 0;
    for (Variant& variant : variants) {
        variant.first_round = reader.number();
        variant.rounds = reader.number();
        variant.path = read_round_trip(reader, instructions);
        // What comes before a variant's first round are rounds of those before it.
        reader.require(at_least <= variant.first_round && variant.first_round <= rounds &&
                       variant.rounds > 0 && variant.rounds <= UINT64_MAX - rounds);
        at_least = variant.first_round + 1;
        rounds += variant.rounds;
    }
    return variants;
}

/// A path is under way where a call was not back within the limit, maybe where the guest ended, and
/// never where the recording is complete.
Path read_unfinished(Reader& reader, std::size_t instructions, trace_format::End end) {
    using trace_format::End;
    Path path = read_path(reader, instructions);
    const bool is_none = path.steps.empty() && path.accesses.empty();
    const bool is_begun = path.steps.size() >= 2;
    reader.require((is_none && end != End::too_long) || (is_begun && end != End::complete));
    return path;
}

std::unexpected<Error> damaged(std::string_view how) {
    return fail(Fault::measurement, fmt::format("the trace {}; record it again", how));
}

}  // namespace

Result<Trace> read_trace(std::string_view bytes) {
    using trace_format::checksum_size;
    using trace_format::magic;
    if (bytes.empty()) {
        return damaged("is empty");
    }
    if (!bytes.starts_with(magic)) {
        return damaged("is none of this version of kerntoll");
    }
    if (bytes.size() < magic.size() + checksum_size) {
        return damaged("was cut short");
    }
    const std::string_view body = bytes.substr(0, bytes.size() - checksum_size);
    std::uint64_t sum = 0;
    for (std::size_t byte = checksum_size; byte > 0; --byte) {
        sum = sum << 8U | static_cast<unsigned char>(bytes[body.size() + byte - 1]);
    }
    if (sum != trace_format::checksum(body)) {
        return damaged("was cut short or damaged: its checksum is wrong");
    }
    Reader reader(body.substr(magic.size()));
    Trace trace;
    trace.target = reader.text();
    const std::uint64_t end = reader.number();
    reader.require(end <= static_cast<std::uint64_t>(trace_format::End::too_long));
    trace.end = static_cast<trace_format::End>(end);
    trace.rounds_wanted = reader.number();
    trace.instructions.resize(reader.count(least_instruction));
    std::uint64_t address = 0;
    for (Instruction& instruction : trace.instructions) {
        instruction.address = reader.step(address);
        instruction.bytes = reader.bytes(trace_format::longest_instruction);
        instruction.text = reader.text();
    }
    trace.variants = read_variants(reader, trace.instructions.size());
    trace.unfinished = read_unfinished(reader, trace.instructions.size(), trace.end);
    if (!reader.sound() || !reader.at_end()) {
        return damaged("contradicts itself");
    }
    return trace;
}

}  // namespace kerntoll::lab::path
