// SPDX-License-Identifier: MIT
// Compiled with -fno-builtin (nano/build), or the loops below would be recognised as calls to
// themselves.
#include "nano/runtime.hpp"

#include <stdint.h>

namespace {

// Whole words where both sides are aligned, which pages and most buffers are. may_alias: a word
// here stands for eight bytes of whatever type.
using Word [[gnu::may_alias]] = uint64_t;

bool is_aligned(const void* a, const void* b) {
    return ((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b)) % sizeof(Word)) == 0;
}

}  // namespace

extern "C" void* memcpy(void* to, const void* from, size_t size) {
    size_t at = 0;
    if (is_aligned(to, from)) {
        for (; at + sizeof(Word) <= size; at += sizeof(Word)) {
            *reinterpret_cast<Word*>(static_cast<unsigned char*>(to) + at) =
                *reinterpret_cast<const Word*>(static_cast<const unsigned char*>(from) + at);
        }
    }
    for (; at < size; ++at) {
        static_cast<unsigned char*>(to)[at] = static_cast<const unsigned char*>(from)[at];
    }
    return to;
}

extern "C" void* memset(void* to, int byte, size_t size) {
    size_t at = 0;
    if (is_aligned(to, to)) {
        const Word word = 0x0101010101010101U * static_cast<unsigned char>(byte);
        for (; at + sizeof(Word) <= size; at += sizeof(Word)) {
            *reinterpret_cast<Word*>(static_cast<unsigned char*>(to) + at) = word;
        }
    }
    for (; at < size; ++at) {
        static_cast<unsigned char*>(to)[at] = static_cast<unsigned char>(byte);
    }
    return to;
}

extern "C" void* memmove(void* to, const void* from, size_t size) {
    if (reinterpret_cast<uintptr_t>(to) <= reinterpret_cast<uintptr_t>(from)) {
        return memcpy(to, from, size);
    }
    for (size_t at = size; at != 0; --at) {
        static_cast<unsigned char*>(to)[at - 1] = static_cast<const unsigned char*>(from)[at - 1];
    }
    return to;
}
