// SPDX-License-Identifier: MIT
// What the agent's measured loop costs beside the call itself: ns per op of `host` `getppid`
// against `perf bench syscall basic`, which makes the same call, and against a loop written in
// assembly. All three are measured in every round, each in a fresh process, in random order, on one
// CPU; the ratios are paired within rounds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "lab/base/random.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Criterion = Criteria::Result;

/// The option by which this program runs itself as the loop in assembly.
constexpr const char* loop_option = "--hand-written-loop";

/// n calls of getppid and nothing else, aligned as the agent's loop is.
void hand_written_loop(std::uint64_t n) {
#if defined(__x86_64__)
    asm volatile(
        ".p2align 6\n"
        "1:\tmovl $110, %%eax\n"
        "\tsyscall\n"
        "\tdecq %0\n"
        "\tjnz 1b"
        : "+b"(n)
        :
        : "rax", "rcx", "r11", "memory", "cc");
#elif defined(__aarch64__)
    asm volatile(
        ".p2align 6\n"
        "1:\tmov x8, #173\n"
        "\tsvc #0\n"
        "\tsubs %0, %0, #1\n"
        "\tb.ne 1b"
        : "+r"(n)
        :
        : "x0", "x8", "memory", "cc");
#else
#error "write this loop for the host's architecture"
#endif
}

/// Times the loop as the agent times a batch, a warm-up before it, and prints ns per op.
int run_hand_written_loop(std::uint64_t n) {
    hand_written_loop(n / 8 + 1);
    const auto start = std::chrono::steady_clock::now();
    hand_written_loop(n);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    fmt::print("{}\n", took.count() / static_cast<double>(n));
    return 0;
}

struct Options {
    std::uint64_t loop_ops = 0;  ///< not 0: be the loop in assembly
    Form form = Form::full;
    std::uint64_t seed = std::random_device()();
    int cpu = last_cpu();
};

/// How long to go on: until the intervals are this narrow, but within these numbers of rounds.
struct Limits {
    std::size_t least_rounds;
    std::size_t most_rounds;
    double precision;  ///< half-width, log-ratio
    milliseconds batch;
};
constexpr Limits full_limits{40, 400, 0.002, milliseconds(50)};
constexpr Limits brief_limits{20, 40, 0.005, milliseconds(20)};

enum Kind : std::size_t { agent, perf, assembly };
constexpr std::size_t kinds = 3;

class Rounds {
public:
    Rounds(lab::Target& target, const Options& options) : target_(target), options_(options) {}

    lab::Result<void> calibrate(milliseconds batch);
    lab::Result<void> round(std::uint32_t number);
    [[nodiscard]] double median_ns(Kind kind) const { return lab::stats::median(times_[kind]); }
    /// Of log(agent / kind) over the rounds.
    [[nodiscard]] lab::stats::Estimate against(Kind kind) const;
    [[nodiscard]] std::uint64_t ops() const { return ops_; }

private:
    lab::Result<std::unique_ptr<lab::Machine>> launch();
    lab::Result<double> agent_ns();
    lab::Result<double> assembly_ns();
    lab::Result<double> measure(Kind kind);

    lab::Target& target_;
    const Options& options_;
    std::uint64_t ops_ = 0;
    std::array<std::vector<double>, kinds> times_;
};

lab::Result<std::unique_ptr<lab::Machine>> Rounds::launch() {
    lab::Launch how;
    how.cpu = options_.cpu;
    auto machine = target_.launch(how);
    if (machine) {
        if (auto ready = (*machine)->wait_ready(); !ready) {
            return std::unexpected(ready.error());
        }
    }
    return machine;
}

lab::Result<void> Rounds::calibrate(milliseconds batch) {
    auto machine = launch();
    if (!machine) {
        return std::unexpected(machine.error());
    }
    const auto ops = (*machine)->calibrate({.workload = "getppid"}, batch);
    if (!ops) {
        return std::unexpected(ops.error());
    }
    ops_ = *ops;
    return {};
}

lab::Result<double> Rounds::agent_ns() {
    auto machine = launch();
    if (!machine) {
        return std::unexpected(machine.error());
    }
    const lab::Work work{.workload = "getppid"};
    if (auto warm = (*machine)->run(work, ops_ / 8 + 1); !warm) {
        return std::unexpected(warm.error());
    }
    const auto sample = (*machine)->run(work, ops_);
    if (!sample) {
        return std::unexpected(sample.error());
    }
    return static_cast<double>(sample->elapsed_ns) / static_cast<double>(sample->ops);
}

lab::Result<double> Rounds::assembly_ns() {
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto run = run_well({.argv = {self.string(), loop_option, std::to_string(ops_)},
                               .at_most = milliseconds(60'000),
                               .cpu = options_.cpu});
    if (!run) {
        return std::unexpected(run.error());
    }
    double ns = 0;
    std::from_chars(run->output.data(), run->output.data() + run->output.size(), ns);
    return ns;
}

lab::Result<double> Rounds::measure(Kind kind) {
    switch (kind) {
        case agent:
            return agent_ns();
        case perf:
            return perf_bench_ns(ops_, options_.cpu);
        case assembly:
            break;
    }
    return assembly_ns();
}

lab::Result<void> Rounds::round(std::uint32_t number) {
    std::array order{agent, perf, assembly};
    lab::Random(options_.seed, number, 0).shuffle(std::span<Kind>(order));
    for (const Kind kind : order) {
        const auto ns = measure(kind);
        if (!ns) {
            return std::unexpected(ns.error());
        }
        times_[kind].push_back(*ns);
    }
    return {};
}

lab::stats::Estimate Rounds::against(Kind kind) const {
    return lab::stats::estimate(log_ratios(times_[kind], times_[agent]));
}

/// Holds where the whole interval of the ratio lies at or below the limit.
void hold(Criteria& criteria, const std::string& what, const lab::stats::Estimate& estimate,
          double limit) {
    criteria.add(fmt::format("agent / {} <= {}", what, limit), ratio(estimate),
                 estimate.interval95.high <= std::log(limit));
}

int compare(const Options& options) {
    const Limits limits = options.form == Form::full ? full_limits : brief_limits;
    auto target = lab::open_target("host");
    if (!target) {
        return give_up(target.error());
    }
    Rounds rounds(**target, options);
    if (auto calibrated = rounds.calibrate(limits.batch); !calibrated) {
        return give_up(calibrated.error());
    }
    lab::stats::Estimate against_perf;
    lab::stats::Estimate against_assembly;
    for (std::uint32_t number = 0; number < limits.most_rounds; ++number) {
        if (auto done = rounds.round(number); !done) {
            return give_up(done.error());
        }
        against_perf = rounds.against(perf);
        against_assembly = rounds.against(assembly);
        const std::array both{against_perf, against_assembly};
        if (lab::stats::precise_enough(both, limits.precision, limits.least_rounds)) {
            break;
        }
    }
    print_heading(
        fmt::format("loop_cost: getppid, {} ops in each process, {} rounds, CPU {}, seed {}",
                    rounds.ops(), against_perf.replicates, options.cpu, options.seed));
    print_table(
        {{"loop", "median ns/op", "agent's time / its time"},
         {"agent (host)", fmt::format("{:.2f}", rounds.median_ns(agent)), ""},
         {"perf bench syscall basic", fmt::format("{:.2f}", rounds.median_ns(perf)),
          ratio(against_perf)},
         {"assembly", fmt::format("{:.2f}", rounds.median_ns(assembly)), ratio(against_assembly)}});
    Criteria criteria;
    hold(criteria, "perf bench", against_perf, 1.0);
    hold(criteria, "assembly", against_assembly, 1.01);
    return criteria.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    namespace bench = kerntoll::bench;
    bench::Options options;
    CLI::App app("The agent's loop against perf bench and against a loop in assembly.",
                 "loop_cost");
    app.add_flag_callback(
        "--short", [&options] { options.form = bench::Form::brief; },
        "Few rounds: shows that it works");
    app.add_option("--seed", options.seed, "Of the random orders (default: drawn)");
    app.add_option("--cpu", options.cpu, "CPU to run on (default: the last one)");
    app.add_option(bench::loop_option, options.loop_ops, "Run this program's loop and time it")
        ->group("");
    CLI11_PARSE(app, argc, argv);
    return options.loop_ops > 0 ? bench::run_hand_written_loop(options.loop_ops)
                                : bench::compare(options);
}
