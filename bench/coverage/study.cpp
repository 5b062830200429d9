// SPDX-License-Identifier: MIT
#include "bench/coverage/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "bench/coverage/simulate.hpp"

namespace kerntoll::bench {
namespace {

using lab::stats::Verdict;

const double planted_effect = std::log(1.01);
constexpr double most_false = 0.01;
constexpr double least_found = 0.95;

double required_coverage(Standard standard) {
    switch (standard) {
        case Standard::independent:
            return 0.94;
        case Standard::related:
            return 0.90;
    }
    return 0;
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : static_cast<double>(part) / static_cast<double>(whole);
}

Tally count_up(const std::vector<RunResult>& results, double effect) {
    Tally tally;
    tally.runs = results.size();
    std::vector<double> half_widths;
    for (const RunResult& result : results) {
        const auto& interval = result.estimate.interval95;
        const bool differs = result.verdict == Verdict::faster || result.verdict == Verdict::slower;
        tally.covered += interval.low <= effect && effect <= interval.high ? 1 : 0;
        tally.precise += result.precise ? 1 : 0;
        tally.differs += differs ? 1 : 0;
        tally.equivalent += result.verdict == Verdict::equivalent ? 1 : 0;
        tally.untrusted += result.verdict == Verdict::untrusted ? 1 : 0;
        tally.found += result.precise && result.verdict == Verdict::slower ? 1 : 0;
        tally.mean_replicates +=
            static_cast<double>(result.estimate.replicates) / static_cast<double>(results.size());
        half_widths.push_back(interval.half_width());
    }
    tally.median_half_width = lab::stats::median(half_widths);
    return tally;
}

std::vector<std::string> judge(const Row& row) {
    std::vector<std::string> failures;
    for (const auto* tally : {&row.same, &row.planted}) {
        const std::size_t least = least_covered(tally->runs, row.machine.standard);
        if (tally->covered < least) {
            failures.push_back(
                fmt::format("{}: {} of {} intervals hold the true effect, {} at "
                            "least were expected",
                            row.machine.name, tally->covered, tally->runs, least));
        }
    }
    if (share(row.same.differs, row.same.runs) > most_false) {
        failures.push_back(
            fmt::format("{}: {} of {} runs of a machine against itself end in "
                        "faster or slower",
                        row.machine.name, row.same.differs, row.same.runs));
    }
    // Where hardly a run is precise, the budget does not allow the precision: those few had luck.
    constexpr double allowed = 0.05;
    if (share(row.planted.precise, row.planted.runs) >= allowed &&
        share(row.planted.found, row.planted.precise) < least_found) {
        failures.push_back(fmt::format("{}: {} of {} precise runs find the planted 1 %",
                                       row.machine.name, row.planted.found, row.planted.precise));
    }
    return failures;
}

/// Runs one machine's runs; an error of any of them is an error of all.
class Batch {
public:
    Batch(const Machine& machine, double effect, std::uint64_t seed, std::size_t runs)
        : machine_(machine), effect_(effect), seed_(seed), results_(runs) {}

    void work() {
        for (std::size_t run = next_++; run < results_.size(); run = next_++) {
            auto result = simulate(machine_, effect_, seed_ + run);
            if (result) {
                results_[run] = *result;
                continue;
            }
            const std::scoped_lock lock(mutex_);
            error_ = result.error();
            return;
        }
    }
    [[nodiscard]] const std::vector<RunResult>& results() const { return results_; }
    [[nodiscard]] const std::optional<lab::Error>& error() const { return error_; }

private:
    const Machine& machine_;
    double effect_;
    std::uint64_t seed_;
    std::atomic<std::size_t> next_ = 0;
    std::vector<RunResult> results_;
    std::mutex mutex_;
    std::optional<lab::Error> error_;
};

lab::Result<Tally> tally_runs(const Machine& machine, double effect, std::uint64_t seed,
                              std::size_t runs, unsigned threads) {
    Batch batch(machine, effect, seed, runs);
    {
        std::vector<std::jthread> workers;
        workers.reserve(threads);
        for (unsigned worker = 0; worker < threads; ++worker) {
            workers.emplace_back([&batch] { batch.work(); });
        }
    }
    if (const auto& error = batch.error()) {
        return std::unexpected(*error);
    }
    return count_up(batch.results(), effect);
}

std::string percent(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.1f}", 100 * value);
}

}  // namespace

std::size_t least_covered(std::size_t runs, Standard standard) {
    const double required = required_coverage(standard);
    const boost::math::binomial expected(static_cast<double>(runs), required);
    std::size_t least = 0;
    while (boost::math::cdf(expected, static_cast<double>(least)) < 0.001) {
        ++least;
    }
    return least;
}

lab::Result<std::vector<Row>> study(std::span<const Machine> all, std::size_t runs,
                                    std::uint64_t seed, unsigned threads, std::string_view only) {
    std::vector<Row> rows;
    std::uint64_t first = seed;
    for (const Machine& machine : all) {
        // Far apart, so that no two runs of the study share a seed.
        first += 2'000'000'000;
        if (!machine.name.starts_with(only)) {
            continue;
        }
        const auto same = tally_runs(machine, 0, first, runs, threads);
        const auto planted =
            tally_runs(machine, planted_effect, first + 1'000'000'000, runs, threads);
        if (!same || !planted) {
            return std::unexpected(same ? planted.error() : same.error());
        }
        Row row{machine, *same, *planted, {}};
        row.failures = judge(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string render(const std::vector<Row>& rows) {
    std::string text =
        "| machine | covers (A/A) | covers (1 %) | A/A differs | A/A equivalent | 1 % found | "
        "stopped on precision | replicates | half-width | untrusted |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : rows) {
        const Tally& same = row.same;
        const Tally& planted = row.planted;
        text += fmt::format(
            "| {}{} | {} | {} | {:.2f} | {} | {} | {} | {:.0f} | ±{:.2f} % | {:.2f} |\n",
            row.machine.name, row.machine.standard == Standard::independent ? "" : " ¹",
            percent(share(same.covered, same.runs)), percent(share(planted.covered, planted.runs)),
            100 * share(same.differs, same.runs), percent(share(same.equivalent, same.runs)),
            percent(share(planted.found, planted.precise)), percent(share(same.precise, same.runs)),
            same.mean_replicates, 100 * same.median_half_width,
            100 * share(same.untrusted, same.runs));
    }
    text +=
        "\nAll in percent of runs. \"1 % found\" is of the runs that stopped on precision. "
        "¹ Held to 90 % coverage (related replicates), all others to 94 %.\n";
    return text;
}

}  // namespace kerntoll::bench
