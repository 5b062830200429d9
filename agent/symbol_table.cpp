// SPDX-License-Identifier: MIT
#include "agent/symbol_table.hpp"

namespace kerntoll::agent {

namespace {

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

}  // namespace kerntoll::agent
