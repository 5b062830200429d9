// SPDX-License-Identifier: MIT
// What the benchmarks share: criteria that pass or fail, programs run beside each other, and
// figures in words.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/base/subprocess.hpp"
#include "lab/stats/stats.hpp"

namespace kerntoll::bench {

/// Which form of a benchmark to run: the short one shows that everything works, the long one is
/// what the criteria are held against.
enum class Form { brief, full };

/// The criteria of one benchmark and how they came out.
class Criteria {
public:
    enum class Result { pass, fail, not_measured };

    void add(std::string criterion, std::string measured, Result result);
    void add(std::string criterion, std::string measured, bool holds);
    /// Prints one line each. The exit code: 0, or 1 where one failed.
    [[nodiscard]] int conclude() const;

private:
    struct Line {
        std::string criterion;
        std::string measured;
        Result result;
    };
    std::vector<Line> lines_;
};

/// Prints what a benchmark is about to say of whom, and warns where the machine does something else
/// meanwhile.
void print_heading(const std::string& text);

/// A table with aligned columns; the first row is the heading.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// Prints an error as the benchmark's last word. The exit code: 2, so that nobody takes it for a
/// criterion that failed.
int give_up(const lab::Error& error);

/// What is run, and how.
struct Command {
    std::vector<std::string> argv;
    std::chrono::milliseconds at_most{};  ///< the program is ended then
    int cpu = -1;                         ///< the only CPU it may run on; -1: any
};

/// How a program ended.
struct Finished {
    lab::ExitStatus status;
    std::string output;
    std::string errors;  ///< what it wrote to standard error
    double seconds = 0;
    /// The most memory that the program itself had resident (VmHWM), its children left out. Read
    /// every few milliseconds, since the kernel forgets it when the program ends.
    std::uint64_t peak_bytes = 0;
};

/// Runs a program to its end. Fault::environment where it cannot be started or does not end.
[[nodiscard]] lab::Result<Finished> run_program(const Command& command);
/// The same, and an error that holds its words where its exit code is not 0.
[[nodiscard]] lab::Result<Finished> run_well(const Command& command);

/// The kerntoll command of the build tree that this benchmark stands in.
[[nodiscard]] std::filesystem::path kerntoll_program();

/// Runs `perf bench syscall basic` with this many calls and returns ns per call, taken from its
/// "ops/sec", the finest figure that it prints.
[[nodiscard]] lab::Result<double> perf_bench_ns(std::uint64_t calls, int cpu);

/// The CPU that everything of a benchmark is pinned to: the last one that this process may use.
[[nodiscard]] int last_cpu();

/// A directory that goes away with everything in it.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The difference of two independent series of times as Welch's t-test sees it, on logarithms so
/// that it speaks of the ratio B/A: what repeated runs of a tool say to who analyses them well.
struct Welch {
    double effect = 0;  ///< difference of the mean logarithms
    lab::stats::Interval interval95;
    [[nodiscard]] bool excludes_zero() const { return interval95.low > 0 || interval95.high < 0; }
};
/// Both series hold at least two times that are not all equal.
[[nodiscard]] Welch welch(std::span<const double> base, std::span<const double> change);

/// log(change / base), pair by pair; both are equally long.
[[nodiscard]] std::vector<double> log_ratios(std::span<const double> base,
                                             std::span<const double> change);

/// "+1.23 %" of a log-ratio, "[+1.00, +1.46]" of an interval of them, "0.987 [0.981, 0.993]" of a
/// ratio's estimate.
[[nodiscard]] std::string percent(double log_ratio);
[[nodiscard]] std::string percent(const lab::stats::Interval& interval);
[[nodiscard]] std::string ratio(const lab::stats::Estimate& estimate);

}  // namespace kerntoll::bench
