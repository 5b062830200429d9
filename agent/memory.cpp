// SPDX-License-Identifier: MIT
// The functions that a compiler may call for plain assignments; freestanding code must bring them.
#include <stddef.h>

// no_builtin: or the loops below would be recognised as calls to themselves.
extern "C" [[clang::no_builtin]] void* memcpy(void* to, const void* from, size_t size) {
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    for (size_t i = 0; i < size; ++i) {
        target[i] = source[i];
    }
    return to;
}

extern "C" [[clang::no_builtin]] void* memset(void* to, int byte, size_t size) {
    auto* target = static_cast<unsigned char*>(to);
    for (size_t i = 0; i < size; ++i) {
        target[i] = static_cast<unsigned char>(byte);
    }
    return to;
}

extern "C" [[clang::no_builtin]] void* memmove(void* to, const void* from, size_t size) {
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    if (target < source) {
        return memcpy(to, from, size);
    }
    for (size_t i = size; i != 0; --i) {
        target[i - 1] = source[i - 1];
    }
    return to;
}
