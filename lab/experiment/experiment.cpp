// SPDX-License-Identifier: MIT
#include "lab/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "lab/base/interrupt.hpp"
#include "lab/experiment/replicate.hpp"

namespace kerntoll::lab::experiment {
namespace {

using std::chrono::duration;

/// So many replicates in a row that fail end the experiment: what fails like this will not heal.
constexpr std::uint32_t most_failures_in_a_row = 3;

/// The next look at the widths comes after this part more replicates: looks get rarer as they get
/// dearer, and rare looks stop less by luck.
constexpr std::size_t look_part = 20;

/// The rows whose precision decides when to stop: each workload of each change; where there is no
/// change (absolute figures), the base's own time, whose logarithm has a relative half-width.
std::vector<stats::Estimate> deciding_estimates(const Plan& plan, const stats::Series& series) {
    std::vector<stats::Estimate> estimates;
    for (std::uint32_t workload = 0; workload < plan.record.workloads.size(); ++workload) {
        for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
            if (plan.arms[arm].role == store::Role::change) {
                estimates.push_back(stats::estimate(series.effects(arm, workload)));
            }
        }
        if (plan.arms.size() == 1) {
            auto times = series.times(0, workload);
            std::ranges::transform(times, times.begin(), [](double ns) { return std::log(ns); });
            estimates.push_back(stats::estimate(times));
        }
    }
    return estimates;
}

double widest(const std::vector<stats::Estimate>& estimates) {
    double width = 0;
    for (const auto& estimate : estimates) {
        width = std::max(width, estimate.interval95.half_width());
    }
    return width;
}

/// One experiment under way.
class Experiment {
public:
    Experiment(const Plan& plan, stats::Series& series, store::Sink& sink,
               const std::function<void(const Progress&)>& progress)
        : plan_(plan),
          series_(series),
          sink_(sink),
          progress_(progress),
          sizes_(plan.record.workloads.size(), 0),
          started_(plan.now()) {}

    Result<Outcome> run();

private:
    [[nodiscard]] double seconds() const {
        return plan_.seconds_before + duration<double>(plan_.now() - started_).count();
    }
    /// Why to stop before another replicate, empty to go on.
    [[nodiscard]] std::string reason_to_stop();
    Result<void> complete(std::uint32_t number, const Timing& timing);
    /// Handles a failed replicate; an error ends the experiment.
    Result<void> fail_replicate(std::uint32_t number, const Failure& failure);
    Result<Outcome> end(store::RunState state, const std::string& why);
    /// Ends it with what went wrong.
    Result<Outcome> give_up(const Error& error);
    void report() const;

    const Plan& plan_;
    stats::Series& series_;
    store::Sink& sink_;
    const std::function<void(const Progress&)>& progress_;
    BatchSizes sizes_;
    std::chrono::nanoseconds started_;
    Outcome outcome_;
    double widest_ = std::numeric_limits<double>::infinity();
    double longest_replicate_ = 0;
    std::size_t next_look_ = 0;
    std::uint32_t failures_in_a_row_ = 0;
    std::optional<Error> latest_failure_;
};

void Experiment::report() const {
    if (progress_) {
        progress_({series_.replicates(), seconds(), widest_});
    }
}

std::string Experiment::reason_to_stop() {
    const auto& record = plan_.record;
    const std::size_t replicates = series_.replicates();
    if (record.most_replicates > 0 && replicates >= record.most_replicates) {
        return "the number of replicates asked for is reached";
    }
    if (replicates >= record.least_replicates && replicates >= next_look_) {
        const auto estimates = deciding_estimates(plan_, series_);
        widest_ = widest(estimates);
        next_look_ = replicates + std::max<std::size_t>(1, replicates / look_part);
        if (stats::precise_enough(estimates, record.precision, record.least_replicates)) {
            return "the precision asked for is reached";
        }
    }
    // A replicate of which more than half would lie past the limit is not begun; the first one
    // always is.
    if (seconds() >= record.max_seconds ||
        (replicates > 0 && seconds() + longest_replicate_ / 2 > record.max_seconds)) {
        return "the time is out";
    }
    return {};
}

Result<void> Experiment::complete(std::uint32_t number, const Timing& timing) {
    series_.complete(number);
    failures_in_a_row_ = 0;
    outcome_.seconds_up += timing.up;
    outcome_.seconds_in_batches += timing.in_batches;
    return sink_.replicate_done(number, seconds());
}

Result<void> Experiment::fail_replicate(std::uint32_t number, const Failure& failure) {
    series_.discard(number);
    const Error& error = failure.error;
    if (error.fault == Fault::store) {
        return std::unexpected(error);
    }
    if (error.fault == Fault::interrupted) {
        return sink_.event({number, failure.arm, "interrupted", error.message, {}});
    }
    if (auto kept = sink_.event({number, failure.arm, "fault", error.message, error.console});
        !kept) {
        return kept;
    }
    ++failures_in_a_row_;
    latest_failure_ = error;
    if (error.fault != Fault::measurement || failures_in_a_row_ >= most_failures_in_a_row) {
        return std::unexpected(error);
    }
    return {};
}

Result<Outcome> Experiment::end(store::RunState state, const std::string& why) {
    outcome_.state = state;
    outcome_.why = why;
    outcome_.replicates = series_.replicates();
    outcome_.seconds = seconds();
    if (auto finished = sink_.finish(state, why); !finished) {
        return std::unexpected(finished.error());
    }
    return outcome_;
}

Result<Outcome> Experiment::give_up(const Error& error) {
    if (error.fault != Fault::store) {
        // The machine's error is what the caller must see, even where the store fails now.
        (void)sink_.finish(store::RunState::failed, error.message);
    }
    return std::unexpected(error);
}

Result<Outcome> Experiment::run() {
    for (std::uint32_t number = plan_.first_replicate;; ++number) {
        if (auto reason = reason_to_stop(); !reason.empty()) {
            // Time that went by with nothing but failures is no measurement.
            return series_.replicates() == 0 && latest_failure_
                       ? give_up(*latest_failure_)
                       : end(store::RunState::finished, reason);
        }
        // Asked here too, since a machine that never has to be waited for never asks.
        if (auto asked = check_interrupt(); !asked) {
            return end(store::RunState::interrupted, asked.error().message);
        }
        report();
        const double before = seconds();
        auto timing = measure_replicate(plan_, number, sizes_, series_, sink_);
        longest_replicate_ = std::max(longest_replicate_, seconds() - before);
        if (timing) {
            if (auto kept = complete(number, *timing); !kept) {
                return std::unexpected(kept.error());
            }
            continue;
        }
        if (auto handled = fail_replicate(number, timing.error()); !handled) {
            return give_up(handled.error());
        }
        if (timing.error().error.fault == Fault::interrupted) {
            return end(store::RunState::interrupted, timing.error().error.message);
        }
    }
}

}  // namespace

std::vector<Arm> arrange(std::shared_ptr<Target> base, std::vector<std::shared_ptr<Target>> changes,
                         std::vector<std::shared_ptr<Target>> placebos) {
    std::vector<Arm> arms{{store::Role::base, base}};
    if (!changes.empty()) {
        arms.push_back({store::Role::control, base});
    }
    for (auto& change : changes) {
        arms.push_back({store::Role::change, std::move(change)});
    }
    for (auto& placebo : placebos) {
        arms.push_back({store::Role::placebo, std::move(placebo)});
    }
    return arms;
}

Result<Outcome> run_experiment(const Plan& plan, stats::Series& series, store::Sink& sink,
                               const std::function<void(const Progress&)>& progress) {
    return Experiment(plan, series, sink, progress).run();
}

}  // namespace kerntoll::lab::experiment
