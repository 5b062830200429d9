// SPDX-License-Identifier: MIT
// Hardware counters around a batch, kernel side only (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "lab/base/error.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// Counts what the kernel does on behalf of one process between start() and stop().
class CounterReader {
public:
    CounterReader() = default;
    CounterReader(const CounterReader&) = delete;
    CounterReader& operator=(const CounterReader&) = delete;
    virtual ~CounterReader() = default;

    /// Sets the counters to zero and lets them run. Fault::measurement where the kernel refuses.
    [[nodiscard]] virtual Result<void> start() = 0;
    /// Stops them and reads them. What the agent does for the protocol between start() and the
    /// batch is in the figures: two system calls and a wait, against 10^5 in a batch. Empty where
    /// the kernel let the counters run for part of the time only (others use them too): nothing is
    /// extrapolated.
    [[nodiscard]] virtual Result<CounterReading> stop() = 0;
};

/// The calls into the kernel, so that tests can replay recorded ones.
class PerfCalls {
public:
    PerfCalls() = default;
    PerfCalls(const PerfCalls&) = delete;
    PerfCalls& operator=(const PerfCalls&) = delete;
    virtual ~PerfCalls() = default;

    /// perf_event_open(2) for any CPU: a descriptor, or the negated errno.
    [[nodiscard]] virtual int open(const perf_event_attr& event, pid_t pid, int group) = 0;
    /// ioctl(2) on a whole group: 0, or the negated errno.
    [[nodiscard]] virtual int control(int fd, unsigned long request) = 0;
    /// read(2): the number of 64-bit words, or the negated errno.
    [[nodiscard]] virtual int read(int fd, std::span<std::uint64_t> words) = 0;
    virtual void close(int fd) = 0;
    /// kernel.perf_event_paranoid, where it can be read.
    [[nodiscard]] virtual std::optional<int> paranoid() = 0;
};

/// The kernel's own.
[[nodiscard]] PerfCalls& kernel_perf_calls();

/// Attaches counters to a process: instructions, cycles, branch misses and L1 instruction misses of
/// the kernel, in one group, so that all are over the same time. A counter that the machine lacks
/// stays empty in the readings. Fault::environment, in one sentence with the remedy, where there is
/// not even one.
[[nodiscard]] Result<std::unique_ptr<CounterReader>> attach_counters(
    pid_t pid, PerfCalls& calls = kernel_perf_calls());

}  // namespace kerntoll::lab
