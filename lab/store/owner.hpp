// SPDX-License-Identifier: MIT
// Which process measures a run, told so that another process can see whether it still lives.
#pragma once

#include <cstdint>
#include <string>

namespace kerntoll::lab::store {

/// A process, named so that no later process can be taken for it: process ids come again, the time
/// since boot at which one started does not, and after a reboot the boot id is another.
struct Owner {
    std::int64_t pid = 0;
    std::string boot_id;
    std::uint64_t start_ticks = 0;
};

[[nodiscard]] Owner this_process();

/// Whether that process runs on this machine now. A dead one that nobody has reaped yet does not.
[[nodiscard]] bool alive(const Owner& owner);

}  // namespace kerntoll::lab::store
