// SPDX-License-Identifier: MIT
#include "nano/user_copy.hpp"

#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/memory.hpp"
#include "nano/runtime.hpp"
#include "nano/task.hpp"

namespace kerntoll::nano {

namespace {

enum class Way { read, write };

/// Hands each part of a user's range that lies in one page to `part(pointer, offset, size)`.
template <class Part>
bool for_each_part(uintptr_t address, size_t size, Way way, Part part) {
    // First, so that no sum below wraps round.
    if (size > user_limit || address > user_limit - size) {
        return false;
    }
    const AddressSpace& space = current_task().space;
    for (size_t done = 0; done < size;) {
        AddressSpace::Mapping mapping;
        if (!space.find(address + done, mapping)) {
            return false;
        }
        if (way == Way::write && mapping.access != Access::read_write) {
            return false;
        }
        const size_t left_in_page = page_size - (address + done) % page_size;
        const size_t now = size - done < left_in_page ? size - done : left_in_page;
        part(static_cast<unsigned char*>(arch::at_physical(mapping.physical)), done, now);
        done += now;
    }
    return true;
}

}  // namespace

bool copy_from_user(void* to, uintptr_t from, size_t size) {
    return for_each_part(from, size, Way::read,
                         [to](const unsigned char* page, size_t offset, size_t now) {
                             memcpy(static_cast<unsigned char*>(to) + offset, page, now);
                         });
}

bool copy_to_user(uintptr_t to, const void* from, size_t size) {
    return for_each_part(to, size, Way::write,
                         [from](unsigned char* page, size_t offset, size_t now) {
                             memcpy(page, static_cast<const unsigned char*>(from) + offset, now);
                         });
}

bool clear_user(uintptr_t to, size_t size) {
    return for_each_part(to, size, Way::write,
                         [](unsigned char* page, size_t, size_t now) { memset(page, 0, now); });
}

long copy_text_from_user(char* to, uintptr_t from, size_t size) {
    const AddressSpace& space = current_task().space;
    for (size_t done = 0; done < size;) {
        AddressSpace::Mapping mapping;
        // A text that runs past the last address goes on at 0, which is never mapped.
        if (!space.find(from + done, mapping)) {
            return error::bad_address;
        }
        const char* const page = static_cast<const char*>(arch::at_physical(mapping.physical));
        const size_t left_in_page = page_size - (from + done) % page_size;
        for (size_t i = 0; i < left_in_page && done < size; ++i, ++done) {
            to[done] = page[i];
            if (page[i] == '\0') {
                return static_cast<long>(done);
            }
        }
    }
    return error::name_too_long;
}

}  // namespace kerntoll::nano
