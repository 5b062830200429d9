// SPDX-License-Identifier: MIT
#include "lab/path/trace.hpp"

#include <fmt/format.h>

#include <optional>

namespace kerntoll::lab::path {
namespace {

/// Takes a trace's numbers and texts one after the other. Once one is missing, everything is.
class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    [[nodiscard]] bool sound() const { return sound_; }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80) {
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
    std::string text() {
        const std::uint64_t size = number();
        if (size > rest_.size()) {
            sound_ = false;
            return {};
        }
        std::string value(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return value;
    }
    /// How many elements follow: each takes a byte at least, so that a damaged number asks for no
    /// more memory than the file has bytes.
    std::size_t count() {
        const std::uint64_t value = number();
        if (value > rest_.size()) {
            sound_ = false;
            return 0;
        }
        return value;
    }

private:
    std::string_view rest_;
    bool sound_ = true;
};

Path read_path(Reader& reader, std::size_t instructions, bool& in_range) {
    Path path;
    path.steps.resize(reader.count());
    std::uint64_t before = 0;
    for (std::uint32_t& step : path.steps) {
        const std::uint64_t instruction = reader.step(before);
        in_range = in_range && instruction < instructions;
        step = static_cast<std::uint32_t>(instruction);
    }
    path.accesses.resize(reader.count());
    std::uint64_t step_before = 0;
    std::uint64_t address_before = 0;
    for (Access& access : path.accesses) {
        const std::uint64_t step = reader.step(step_before);
        in_range = in_range && step < path.steps.size();
        access.step = static_cast<std::uint32_t>(step);
        const std::uint64_t kind = reader.number();
        access.size = 1U << (kind & trace_format::size_mask);
        access.store = (kind & trace_format::store_bit) != 0;
        access.address = reader.step(address_before);
    }
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
    bool in_range = true;
    trace.target = reader.text();
    const std::uint64_t end = reader.number();
    trace.end = static_cast<trace_format::End>(end);
    in_range = end <= static_cast<std::uint64_t>(trace_format::End::too_long);
    trace.rounds_wanted = reader.number();
    trace.instructions.resize(reader.count());
    std::uint64_t address = 0;
    for (Instruction& instruction : trace.instructions) {
        instruction.address = reader.step(address);
        instruction.bytes = reader.text();
        instruction.text = reader.text();
    }
    trace.variants.resize(reader.count());
    for (Variant& variant : trace.variants) {
        variant.first_round = reader.number();
        variant.rounds = reader.number();
        variant.path = read_path(reader, trace.instructions.size(), in_range);
        in_range = in_range && variant.path.steps.size() > 1;  // the trap, and what it led to
    }
    trace.unfinished = read_path(reader, trace.instructions.size(), in_range);
    if (!reader.sound() || !reader.at_end() || !in_range) {
        return damaged("contradicts itself");
    }
    return trace;
}

}  // namespace kerntoll::lab::path
