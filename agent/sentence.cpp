// SPDX-License-Identifier: MIT
#include "agent/sentence.hpp"

#include "agent/kernel.hpp"

namespace kerntoll::agent {

namespace {

struct ErrorName {
    long number;
    const char* name;
};

// The ones that a workload or a treatment can meet; others are told by their number alone.
constexpr ErrorName error_names[] = {
    {-error::no_permission, "EPERM"},
    {-error::no_entry, "ENOENT"},
    {-error::bad_descriptor, "EBADF"},
    {-error::try_again, "EAGAIN"},
    {-error::no_memory, "ENOMEM"},
    {-error::access_denied, "EACCES"},
    {-error::busy, "EBUSY"},
    {-error::exists, "EEXIST"},
    {-error::not_directory, "ENOTDIR"},
    {-error::invalid, "EINVAL"},
    {-error::too_many_files, "EMFILE"},
    {-error::no_address, "ENXIO"},
    {-error::no_call, "ENOSYS"},
};

}  // namespace

void Sentence::add(const Piece& piece) {
    char digits[wire::decimal_digits];
    const bool is_text = piece.kind == Piece::Kind::text;
    const Text text = is_text ? piece.text : wire::format_decimal(piece.magnitude, digits);
    if (piece.kind == Piece::Kind::negative_number) {
        add("-");
    }
    for (size_t i = 0; i < text.size && size_ < capacity; ++i) {
        bytes_[size_++] = text.data[i];
    }
}

void Sentence::add(const Piece* pieces, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        add(pieces[i]);
    }
}

Sentence describe_error(long negative_errno) {
    Sentence sentence;
    sentence.add("error ");
    sentence.add(-negative_errno);
    for (const ErrorName& error_name : error_names) {
        if (error_name.number == negative_errno) {
            sentence.add(" (");
            sentence.add(error_name.name);
            sentence.add(")");
        }
    }
    return sentence;
}

}  // namespace kerntoll::agent
