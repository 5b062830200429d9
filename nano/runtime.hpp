// SPDX-License-Identifier: MIT
// The functions that a compiler may call for plain assignments; freestanding code must bring them.
#pragma once

#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int byte, size_t size);
void* memmove(void* to, const void* from, size_t size);
}
