// SPDX-License-Identifier: MIT
#include "lab/target/counters.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

namespace kerntoll::lab {
namespace {

class KernelPerfCalls final : public PerfCalls {
public:
    int open(const perf_event_attr& event, pid_t pid, int group) override {
        constexpr int any_cpu = -1;
        const long fd =
            syscall(SYS_perf_event_open, &event, pid, any_cpu, group, PERF_FLAG_FD_CLOEXEC);
        return fd < 0 ? -errno : static_cast<int>(fd);
    }
    int control(int fd, unsigned long request) override {
        return ioctl(fd, request, PERF_IOC_FLAG_GROUP) < 0 ? -errno : 0;
    }
    int read(int fd, std::span<std::uint64_t> words) override {
        const ssize_t size = ::read(fd, words.data(), words.size_bytes());
        return size < 0 ? -errno
                        : static_cast<int>(static_cast<std::size_t>(size) / sizeof(words[0]));
    }
    void close(int fd) override { ::close(fd); }
    std::optional<int> paranoid() override {
        std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
        int level = 0;
        return file >> level ? std::optional(level) : std::nullopt;
    }
};

/// One counter of the group: what it counts and where its reading goes.
struct Event {
    std::uint32_t type;
    std::uint64_t config;
    std::optional<std::uint64_t> CounterReading::* reading;
};

constexpr std::uint64_t l1i_read_misses = PERF_COUNT_HW_CACHE_L1I |
                                          (PERF_COUNT_HW_CACHE_OP_READ << 8U) |
                                          (PERF_COUNT_HW_CACHE_RESULT_MISS << 16U);
constexpr std::array events = {
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &CounterReading::instructions},
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &CounterReading::cycles},
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, &CounterReading::branch_misses},
    Event{PERF_TYPE_HW_CACHE, l1i_read_misses, &CounterReading::l1i_misses},
};

perf_event_attr attributes(const Event& event, bool is_leader) {
    perf_event_attr attr{};
    attr.type = event.type;
    attr.size = sizeof(attr);
    attr.config = event.config;
    attr.disabled = is_leader ? 1 : 0;  // the others follow their leader
    attr.exclude_user = 1;
    attr.exclude_hv = 1;
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attr;
}

std::string why_absent(int error_number, std::optional<int> paranoid) {
    switch (error_number) {
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP:
            return "no hardware counters: this machine offers Linux none, which is usual under a "
                   "hypervisor; measure on hardware, or enable the virtual PMU";
        case EACCES:
        case EPERM:
            if (paranoid && *paranoid > 1) {
                return fmt::format(
                    "no hardware counters: kernel.perf_event_paranoid is {}, and "
                    "counting the kernel needs 1 or less; run sysctl "
                    "kernel.perf_event_paranoid=1 or give the lab CAP_PERFMON",
                    *paranoid);
            }
            return "no hardware counters: perf_event_open is forbidden here (a container's filter, "
                   "or a security module); allow it or give the lab CAP_PERFMON";
        case ENOSYS:
            return "no hardware counters: this kernel was built without CONFIG_PERF_EVENTS";
        case EBUSY:
            return "no hardware counters: something else holds them; end it (another perf, or the "
                   "NMI watchdog: sysctl kernel.nmi_watchdog=0)";
        default:
            return fmt::format("no hardware counters: perf_event_open answers \"{}\"",
                               std::strerror(error_number));
    }
}

class GroupReader final : public CounterReader {
public:
    explicit GroupReader(PerfCalls& calls) : calls_(calls) {}
    ~GroupReader() override {
        for (const Open& open : open_) {
            calls_.close(open.fd);
        }
    }

    /// Opens what the machine has; returns the errno of the first event if there is nothing.
    int attach(pid_t pid) {
        int first_error = 0;
        for (const Event& event : events) {
            const bool is_leader = open_.empty();
            const int fd =
                calls_.open(attributes(event, is_leader), pid, is_leader ? -1 : open_.front().fd);
            if (fd >= 0) {
                open_.push_back({fd, event.reading});
            } else if (first_error == 0) {
                first_error = -fd;
            }
        }
        return open_.empty() ? first_error : 0;
    }

    Result<void> start() override {
        const int leader = open_.front().fd;
        int code = calls_.control(leader, PERF_EVENT_IOC_RESET);
        if (code == 0) {
            // A reset leaves the times as they are, so what they were is subtracted in stop().
            const auto words = read_group();
            if (!words) {
                return std::unexpected(words.error());
            }
            enabled_before_ = (*words)[word_enabled];
            running_before_ = (*words)[word_running];
            code = calls_.control(leader, PERF_EVENT_IOC_ENABLE);
        }
        return code == 0 ? Result<void>{} : failure("started", -code);
    }

    Result<CounterReading> stop() override {
        if (const int code = calls_.control(open_.front().fd, PERF_EVENT_IOC_DISABLE); code != 0) {
            return failure("stopped", -code);
        }
        const auto words = read_group();
        if (!words) {
            return std::unexpected(words.error());
        }
        const std::uint64_t enabled = (*words)[word_enabled] - enabled_before_;
        const std::uint64_t running = (*words)[word_running] - running_before_;
        CounterReading reading;
        if (running < enabled || running == 0) {
            return reading;  // on the hardware for part of the batch: what it missed is unknown
        }
        for (std::size_t i = 0; i < open_.size(); ++i) {
            reading.*open_[i].reading = (*words)[words_before_counts + i];
        }
        return reading;
    }

private:
    struct Open {
        int fd;
        std::optional<std::uint64_t> CounterReading::* reading;
    };

    // PERF_FORMAT_GROUP: number of counters, time enabled, time running, then the counts.
    static constexpr std::size_t word_enabled = 1;
    static constexpr std::size_t word_running = 2;
    static constexpr std::size_t words_before_counts = 3;
    using Words = std::array<std::uint64_t, words_before_counts + events.size()>;

    static std::unexpected<Error> failure(std::string_view what, int error_number) {
        return fail(Fault::measurement, fmt::format("the hardware counters cannot be {}: {}", what,
                                                    std::strerror(error_number)));
    }

    Result<Words> read_group() {
        Words words{};
        const int count = calls_.read(open_.front().fd, words);
        if (count < 0) {
            return failure("read", -count);
        }
        if (static_cast<std::size_t>(count) < words_before_counts + open_.size() ||
            words[0] != open_.size()) {
            return fail(Fault::measurement,
                        fmt::format("the kernel returned {} hardware counters where {} were "
                                    "asked for",
                                    words[0], open_.size()));
        }
        return words;
    }

    PerfCalls& calls_;
    std::vector<Open> open_;
    std::uint64_t enabled_before_ = 0;
    std::uint64_t running_before_ = 0;
};

}  // namespace

PerfCalls& kernel_perf_calls() {
    static KernelPerfCalls calls;
    return calls;
}

Result<std::unique_ptr<CounterReader>> attach_counters(pid_t pid, PerfCalls& calls) {
    auto reader = std::make_unique<GroupReader>(calls);
    if (const int error_number = reader->attach(pid); error_number != 0) {
        return fail(Fault::environment, why_absent(error_number, calls.paranoid()));
    }
    return reader;
}

}  // namespace kerntoll::lab
