// SPDX-License-Identifier: MIT
#include "lab/store/owner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace kerntoll::lab::store {
namespace {

std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

struct ProcessStat {
    char state = '?';
    std::uint64_t start_ticks = 0;
};

/// From /proc/PID/stat (proc(5)): field 3 is the state, field 22 the start time. The command's name
/// before them may hold anything, so fields are counted from the last closing bracket.
std::optional<ProcessStat> read_stat(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields(text.substr(bracket + 1));
    ProcessStat stat;
    fields >> stat.state;
    std::string skipped;
    for (int field = 4; field < 22; ++field) {
        fields >> skipped;
    }
    fields >> stat.start_ticks;
    return fields ? std::optional(stat) : std::nullopt;
}

}  // namespace

Owner this_process() {
    const std::int64_t pid = getpid();
    const auto stat = read_stat(pid);
    return {pid, boot_id(), stat ? stat->start_ticks : 0};
}

bool alive(const Owner& owner) {
    if (owner.pid <= 0 || owner.boot_id != boot_id()) {
        return false;
    }
    const auto stat = read_stat(owner.pid);
    return stat && stat->start_ticks == owner.start_ticks && stat->state != 'Z' &&
           stat->state != 'X';
}

}  // namespace kerntoll::lab::store
