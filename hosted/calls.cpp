// SPDX-License-Identifier: MIT
#include "hosted/calls.hpp"

#include "agent/arch.hpp"
#include "gate.hpp"
#include "hosted/place.hpp"
#include "port.hpp"

namespace kerntoll::hosted {

using agent::arch::Call;

constinit Place place{};
constinit uint64_t handed_on = 0;

namespace {

/// What the calls answer, found out when the process begins. A child has a copy.
struct Task {
    long pid = 0;
    long parent = 0;
    long group = 0;
    long user = 0;
    unsigned mode_mask = 0;
};
constinit Task task;

long ask_kernel_for(Call call) {
    return ask_kernel(static_cast<long>(call), {});
}

}  // namespace

/// Called once, before the agent begins (start.S).
extern "C" void kerntoll_hosted_begin() {
    task = {.pid = ask_kernel_for(Call::getpid),
            .parent = ask_kernel_for(Call::getppid),
            .group = ask_kernel_for(Call::getpgid),
            .user = ask_kernel_for(Call::getuid),
            .mode_mask = 0};
    place.thread.context = entry::Context::user;
    // Any start that is not zero will do: what follows is stirred.
    place.thread.stack_offset = static_cast<uint32_t>(agent::arch::read_counter()) | 1U;
}

long calls::hand_on(entry::Frame& frame) {
    ++handed_on;
    return ask_kernel(frame.number, frame.argument);
}

long calls::clone(entry::Frame& frame) {
    const long result = hand_on(frame);
    if (result == 0) {
        task.parent = task.pid;
        task.pid = ask_kernel_for(Call::getpid);
    }
    return result;
}

long calls::getpid(entry::Frame&) {
    return task.pid;
}

long calls::getppid(entry::Frame&) {
    return task.parent;
}

long calls::getpgid(entry::Frame& frame) {
    const long pid = static_cast<int>(entry::argument(frame, 0));
    return pid == 0 || pid == task.pid ? task.group : hand_on(frame);
}

long calls::setpgid(entry::Frame& frame) {
    const long result = hand_on(frame);
    task.group = ask_kernel_for(Call::getpgid);
    return result;
}

long calls::getuid(entry::Frame&) {
    return task.user;
}

// The host's mask stays as it is: the one file that the agent may make is for its owner anyway.
long calls::umask(entry::Frame& frame) {
    constexpr unsigned permissions = 0777;
    const unsigned before = task.mode_mask;
    task.mode_mask = static_cast<unsigned>(entry::argument(frame, 0)) & permissions;
    return before;
}

constinit const calls::Table calls::table = [] {
    Table all{};
    for (entry::Call& row : all.rows) {
        row = hand_on;
    }
#define KERNTOLL_CALL(name) all.rows[static_cast<unsigned>(Call::name)] = calls::name;
#include "hosted/calls.def"
    return all;
}();

}  // namespace kerntoll::hosted
