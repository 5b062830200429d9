// SPDX-License-Identifier: MIT
#include "nano/syscall_work/rseq.hpp"

#include <stddef.h>

#include "nano/arch.hpp"
#include "nano/error.hpp"
#include "nano/hooks.hpp"
#include "nano/task.hpp"
#include "nano/user_copy.hpp"
#include "port.hpp"

namespace kerntoll::nano {

namespace {

/// struct rseq, its first length.
struct Area {
    uint32_t cpu_at_start;
    uint32_t cpu;
    uint64_t critical_section;  ///< user address of a CriticalSection, or 0
    uint32_t flags;
};
constexpr uint32_t area_size = 32;
constexpr uint32_t no_cpu = UINT32_MAX;

/// struct rseq_cs.
struct CriticalSection {
    uint32_t version;
    uint32_t flags;
    uint64_t begin;
    uint64_t size;
    uint64_t abort;
};

}  // namespace

long remove_rseq(uintptr_t area, uint32_t size, uint32_t signature) {
    Rseq& rseq = current_task().rseq;
    if (size != area_size || rseq.area != area || rseq.area == 0) {
        return error::invalid;
    }
    if (rseq.signature != signature) {
        return error::no_permission;
    }
    rseq = Rseq{};
    return write_user(area + offsetof(Area, cpu), no_cpu) ? 0 : error::bad_address;
}

long add_rseq(uintptr_t area, uint32_t size, uint32_t signature) {
    Rseq& rseq = current_task().rseq;
    if (size != area_size || area % area_size != 0) {
        return error::invalid;
    }
    if (rseq.area != 0) {
        return error::busy;
    }
    constexpr uint32_t only_cpu = 0;
    if (!write_user(area + offsetof(Area, cpu_at_start), only_cpu) ||
        !write_user(area + offsetof(Area, cpu), only_cpu)) {
        return error::bad_address;
    }
    rseq = {area, signature};
    return 0;
}

void ask_for_rseq(Task& task) {
    if (task.rseq.area != 0) {
        entry::set_work(task.kernel.thread.exit_work, entry::exit_work::notify_resume);
    }
}

void leave_critical_section(entry::Frame& frame) {
    const Rseq& rseq = current_task().rseq;
    if (rseq.area == 0) {
        return;
    }
    uint64_t where = 0;
    CriticalSection section;
    const uintptr_t field = rseq.area + offsetof(Area, critical_section);
    if (!read_user(where, field)) {
        exit_task(signal::segment);
    }
    if (where == 0) {
        return;
    }
    if (!read_user(section, where)) {
        exit_task(signal::segment);
    }
    const bool is_inside = arch::program_counter(frame) - section.begin < section.size;
    if (is_inside) {
        // The word before the handler says that it is one: nobody who can write the area alone
        // gets to choose where the task goes.
        uint32_t mark = 0;
        if (section.version != 0 || section.abort - section.begin < section.size ||
            !read_user(mark, section.abort - sizeof mark) || mark != rseq.signature) {
            exit_task(signal::segment);
        }
        arch::set_program_counter(frame, section.abort);
    }
    constexpr uint64_t none = 0;
    if (!write_user(field, none)) {
        exit_task(signal::segment);
    }
}

void Hooks::notify_resume(entry::Frame& frame, entry::Thread&) {
    leave_critical_section(frame);
}

}  // namespace kerntoll::nano
