// SPDX-License-Identifier: MIT
#include "agent/symbols.hpp"

#include "agent/kernel.hpp"

namespace kerntoll::agent {

namespace {

constexpr const char* symbols_file = "/proc/kallsyms";

/// The letters are those of nm(1).
Reach reach_of(char letter) {
    switch (letter) {
        case 'T':
            return Reach::global;
        case 't':
            return Reach::local;
        case 'W':
        case 'w':
            return Reach::weak;
        default:
            return Reach::none;
    }
}

Outcome read_open_file(long file, SymbolTable& table) {
    char bytes[4096];
    for (;;) {
        const long got = read_some(file, bytes, sizeof bytes);
        if (got == -error::interrupted) {
            continue;
        }
        if (got < 0) {
            return refused("cannot read ", symbols_file, ": ", describe_error(got).text());
        }
        if (got == 0) {
            return ok();
        }
        if (!table.feed({bytes, static_cast<size_t>(got)})) {
            return refused(symbols_file, " is no list of symbols, or one that is too long");
        }
    }
}

/// Opens the file, with proc mounted for it where this is the machine's first process.
Outcome open_symbols(long& file, bool& mounted) {
    file = open_file(symbols_file, open_flag::read_only);
    if (file == -error::no_entry && process_id() == 1) {
        const long failed = kernel<Call::mount>(as_argument("proc"), as_argument("/proc"),
                                                as_argument("proc"), 0, 0);
        if (failed < 0) {
            return refused("the kernel has no proc to be mounted: ", describe_error(failed).text());
        }
        mounted = true;
        file = open_file(symbols_file, open_flag::read_only);
    }
    if (file == -error::no_entry) {
        return refused("the kernel has no ", symbols_file, " (CONFIG_KALLSYMS)");
    }
    if (file < 0) {
        return refused("cannot open ", symbols_file, ": ", describe_error(file).text());
    }
    return ok();
}

}  // namespace

bool SymbolTable::feed(Text text) {
    for (size_t i = 0; i < text.size; ++i) {
        if (!take(text.data[i])) {
            return false;
        }
    }
    return true;
}

/// "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]", and a newline.
bool SymbolTable::take(char byte) {
    constexpr unsigned most_digits = 16;
    switch (at_) {
        case At::address:
            if (byte == ' ') {
                at_ = At::letter;
                return digits_ != 0;
            }
            line_.address = line_.address << 4U | static_cast<uint64_t>(wire::hex_value(byte));
            return wire::hex_value(byte) >= 0 && ++digits_ <= most_digits;
        case At::letter:
            letter_ = byte;
            at_ = At::behind_letter;
            return true;
        case At::behind_letter:
            at_ = At::name;
            line_.name = static_cast<uint32_t>(name_bytes_);
            line_.name_size = 0;
            return byte == ' ';
        case At::name:
            if (byte == '\n' || byte == '\t') {
                at_ = byte == '\t' ? At::rest : At::address;
                return end_name();
            }
            if (line_.name_size == longest_name ||
                name_bytes_ + line_.name_size == SymbolRoom::most_name_bytes) {
                return false;
            }
            room_->names[name_bytes_ + line_.name_size++] = byte;
            return true;
        case At::rest:
            at_ = byte == '\n' ? At::address : At::rest;
            return true;
    }
    return false;
}

/// Keeps the line whose name is whole, or forgets it.
bool SymbolTable::end_name() {
    const Text name(room_->names + line_.name, line_.name_size);
    const bool is_absolute = letter_ == 'a' || letter_ == 'A';
    const bool is_mark =
        !name.empty() && (name.data[0] == '$' || name.prefix(name.size < 2 ? 1 : 2) == ".L");
    line_.reach = reach_of(letter_);
    if (!name.empty() && !is_absolute && !is_mark) {
        if (size_ == SymbolRoom::most_symbols) {
            return false;
        }
        highest_ |= line_.address;
        room_->symbols[size_++] = line_;
        name_bytes_ += line_.reach == Reach::none ? 0 : line_.name_size;
    }
    line_.address = 0;
    digits_ = 0;
    return true;
}

bool SymbolTable::find(uint64_t address, uint64_t& start, uint64_t& end) const {
    bool has_start = false;
    bool has_end = false;
    for (size_t i = 0; i < size_; ++i) {
        const uint64_t at = room_->symbols[i].address;
        if (at <= address && (!has_start || at > start)) {
            start = at;
            has_start = true;
        }
        if (at > address && (!has_end || at < end)) {
            end = at;
            has_end = true;
        }
    }
    return has_start && has_end;
}

Outcome read_symbols(SymbolTable& table) {
    long file = -1;
    bool mounted = false;
    Outcome outcome = open_symbols(file, mounted);
    if (outcome.is_ok()) {
        outcome = read_open_file(file, table);
        close_file(file);
    }
    if (mounted) {
        kernel<Call::umount2>(as_argument("/proc"), 0);
    }
    if (outcome.is_ok() && table.is_hidden()) {
        return refused(symbols_file, " hides its addresses (kernel.kptr_restrict)");
    }
    return outcome;
}

}  // namespace kerntoll::agent
