// SPDX-License-Identifier: MIT
#include "bench/support.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>

#include "lab/base/cpus.hpp"
#include "lab/base/interrupt.hpp"

namespace kerntoll::bench {
namespace {

using lab::Clock;
using lab::Fault;
using std::chrono::duration;
using std::chrono::milliseconds;

/// How often a running program's memory is looked at.
constexpr milliseconds memory_poll{5};

/// The peak of a living process's resident memory; nothing once it has ended.
std::optional<std::uint64_t> peak_of(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes) {
            return kibibytes * 1024;
        }
    }
    return std::nullopt;
}

/// Takes what there is in a pipe; closes it at its end.
void drain(lab::Fd& pipe, std::string& text) {
    std::array<char, 65536> chunk{};
    const ssize_t got = read(pipe.get(), chunk.data(), chunk.size());
    if (got > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(got));
    } else if (got == 0) {
        pipe.reset();
    }
}

std::size_t width_of(const std::string& text) {
    // Continuation bytes of UTF-8 take no column.
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

struct Moments {
    double mean = 0;
    double variance_of_mean = 0;
    double freedom = 0;
};

Moments moments_of_logs(std::span<const double> times) {
    const auto count = static_cast<double>(times.size());
    double mean = 0;
    for (const double time : times) {
        mean += std::log(time) / count;
    }
    double squares = 0;
    for (const double time : times) {
        squares += (std::log(time) - mean) * (std::log(time) - mean);
    }
    return {mean, squares / (count - 1) / count, count - 1};
}

}  // namespace

void Criteria::add(std::string criterion, std::string measured, Result result) {
    lines_.push_back({std::move(criterion), std::move(measured), result});
}

void Criteria::add(std::string criterion, std::string measured, bool holds) {
    add(std::move(criterion), std::move(measured), holds ? Result::pass : Result::fail);
}

int Criteria::conclude() const {
    bool failed = false;
    fmt::print("\n");
    for (const Line& line : lines_) {
        const char* word = line.result == Result::pass   ? "PASS"
                           : line.result == Result::fail ? "FAIL"
                                                         : "NOT MEASURED";
        fmt::print("{}  {}: {}\n", word, line.criterion, line.measured);
        failed = failed || line.result == Result::fail;
    }
    fmt::print("\n");
    return failed ? 1 : 0;
}

void print_heading(const std::string& text) {
    // The benchmark itself keeps one CPU busy at most.
    constexpr double busy = 1.5;
    double load = 0;
    std::ifstream("/proc/loadavg") >> load;
    fmt::print("{}\n", text);
    if (load > busy) {
        fmt::print("The machine is busy (load average {:.1f}): figures taken now mean little.\n",
                   load);
    }
    fmt::print("\n");
    (void)std::fflush(stdout);
}

void print_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], width_of(row[column]));
        }
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            if (column + 1 < row.size()) {
                line.append(widths[column] - width_of(row[column]) + 2, ' ');
            }
        }
        fmt::print("{}\n", line);
    }
    (void)std::fflush(stdout);
}

int give_up(const lab::Error& error) {
    (void)std::fflush(stdout);
    fmt::print(stderr, "bench: {}\n", error.message);
    for (const std::string& line : error.console) {
        fmt::print(stderr, "bench:   | {}\n", line);
    }
    return 2;
}

lab::Result<Finished> run_program(const Command& command) {
    auto output = lab::make_pipe();
    if (!output) {
        return std::unexpected(output.error());
    }
    auto errors = lab::make_pipe();
    if (!errors) {
        return std::unexpected(errors.error());
    }
    lab::SpawnPlan plan;
    plan.argv = command.argv;
    plan.standard_output = output->second.get();
    plan.standard_error = errors->second.get();
    plan.cpu = command.cpu;
    const auto start = Clock::now();
    auto child = lab::Subprocess::spawn(plan);
    if (!child) {
        return std::unexpected(child.error());
    }
    output->second.reset();
    errors->second.reset();

    Finished finished;
    const auto deadline = start + command.at_most;
    std::optional<lab::ExitStatus> ended;
    // The program's end ends it, even where something that it left behind holds its pipes open.
    while (!ended || output->first || errors->first) {
        std::array watched{pollfd{output->first.get(), POLLIN, 0},
                           pollfd{errors->first.get(), POLLIN, 0},
                           pollfd{ended ? -1 : child->exit_fd(), POLLIN, 0}};
        const auto ready = lab::wait_for_events(watched, Clock::now() + memory_poll);
        if (!ready) {
            return std::unexpected(ready.error());
        }
        if (Clock::now() > deadline) {
            return lab::fail(Fault::environment,
                             fmt::format("{} did not end within {} s", command.argv[0],
                                         duration<double>(command.at_most).count()));
        }
        finished.peak_bytes = std::max(finished.peak_bytes, peak_of(child->pid()).value_or(0));
        if (watched[0].revents != 0) {
            drain(output->first, finished.output);
        }
        if (watched[1].revents != 0) {
            drain(errors->first, finished.errors);
        }
        if (watched[2].revents != 0) {
            finished.seconds = duration<double>(Clock::now() - start).count();
            ended = child->poll();
        }
    }
    finished.status = *ended;
    return finished;
}

lab::Result<Finished> run_well(const Command& command) {
    auto finished = run_program(command);
    if (finished && finished->status.code != 0) {
        return lab::fail(Fault::environment,
                         fmt::format("{} {}: {}", command.argv[0], finished->status.sentence(),
                                     finished->errors));
    }
    return finished;
}

std::filesystem::path kerntoll_program() {
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    return here.parent_path() / "bin" / "kerntoll";
}

lab::Result<double> perf_bench_ns(std::uint64_t calls, int cpu) {
    const auto run =
        run_well({.argv = {"perf", "bench", "syscall", "basic", "--loop", std::to_string(calls)},
                  .at_most = milliseconds(60'000),
                  .cpu = cpu});
    if (!run) {
        return std::unexpected(run.error());
    }
    // "     4,056,795 ops/sec"
    const std::string& text = run->output;
    const auto unit = text.find(" ops/sec");
    std::string digits;
    for (auto at = unit; unit != std::string::npos && at-- > 0 && text[at] != '\n';) {
        if (text[at] >= '0' && text[at] <= '9') {
            digits.insert(digits.begin(), text[at]);
        }
    }
    double per_second = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), per_second);
    if (per_second <= 0) {
        return lab::fail(Fault::environment,
                         fmt::format("perf bench printed no ops/sec, but: {}", text));
    }
    return 1e9 / per_second;
}

int last_cpu() {
    const auto cpus = lab::usable_cpus();
    return cpus ? cpus->back() : -1;
}

TemporaryDirectory::TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "kerntoll-bench-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) {
        path_ = name;
    }
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) {
        std::filesystem::remove_all(path_, ignored);
    }
}

Welch welch(std::span<const double> base, std::span<const double> change) {
    const Moments a = moments_of_logs(base);
    const Moments b = moments_of_logs(change);
    const double variance = a.variance_of_mean + b.variance_of_mean;
    // Welch and Satterthwaite's degrees of freedom (Biometrika 34, 1947).
    const double freedom = variance * variance /
                           (a.variance_of_mean * a.variance_of_mean / a.freedom +
                            b.variance_of_mean * b.variance_of_mean / b.freedom);
    const double quantile =
        boost::math::quantile(boost::math::students_t(std::max(freedom, 1.0)), 0.975);
    const double effect = b.mean - a.mean;
    const double half = quantile * std::sqrt(variance);
    return {effect, {effect - half, effect + half}};
}

std::vector<double> log_ratios(std::span<const double> base, std::span<const double> change) {
    std::vector<double> ratios(base.size());
    std::ranges::transform(base, change, ratios.begin(),
                           [](double before, double after) { return std::log(after / before); });
    return ratios;
}

std::string percent(double log_ratio) {
    return fmt::format("{:+.2f} %", 100 * std::expm1(log_ratio));
}

std::string percent(const lab::stats::Interval& interval) {
    return fmt::format("[{:+.2f}, {:+.2f}]", 100 * std::expm1(interval.low),
                       100 * std::expm1(interval.high));
}

std::string ratio(const lab::stats::Estimate& estimate) {
    return fmt::format("{:.4f} [{:.4f}, {:.4f}]", std::exp(estimate.effect),
                       std::exp(estimate.interval95.low), std::exp(estimate.interval95.high));
}

}  // namespace kerntoll::bench
