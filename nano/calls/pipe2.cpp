// SPDX-License-Identifier: MIT
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

long calls::pipe2(entry::Frame& frame) {
    constexpr uintptr_t close_on_exec = 02000000;
    if ((entry::argument(frame, 1) & ~close_on_exec) != 0) {
        return error::invalid;
    }
    File* reader = nullptr;
    File* writer = nullptr;
    if (!make_pipe(reader, writer)) {
        return error::too_many_files_of_all;
    }
    Descriptors& descriptors = current_task().descriptors;
    const long first = descriptors.add(*reader, 0);
    const long second = first >= 0 ? descriptors.add(*writer, 0) : first;
    const int32_t both[2] = {static_cast<int32_t>(first), static_cast<int32_t>(second)};
    if (second >= 0 && copy_to_user(entry::argument(frame, 0), both, sizeof both)) {
        return 0;
    }
    // close() releases the file; without a descriptor that has to be done here.
    if (!descriptors.close(first)) {
        release_file(*reader);
    }
    if (!descriptors.close(second)) {
        release_file(*writer);
    }
    return second < 0 ? second : error::bad_address;
}

}  // namespace kerntoll::nano
