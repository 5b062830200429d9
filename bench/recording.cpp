// SPDX-License-Identifier: MIT
// What paths cost: the boot that is recorded against a plain one, recording itself, the explanation
// of two recorded paths, and whether a trace is the same when it is taken again.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/support.hpp"
#include "lab/base/random.hpp"
#include "lab/path/explain_json.hpp"
#include "lab/path/record.hpp"
#include "lab/stats/stats.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

using lab::Result;
using Target = std::unique_ptr<lab::Target>;

constexpr double most_boots = 1.5;
constexpr double least_instructions_per_second = 2e6;
constexpr double most_seconds_to_explain = 1.0;

struct Options {
    Form form = Form::full;
    std::string image;
    std::string change = R"(append="mitigations=off")";
    std::uint64_t seed = std::random_device()();
};

/// How often each thing is measured.
struct Limits {
    std::size_t boots;       ///< pairs of them
    std::size_t recordings;  ///< pairs of them
    std::uint64_t rounds;    ///< round trips that the longer recording has more
    std::size_t explanations;
};
constexpr Limits full_limits{20, 5, 10000, 5};
constexpr Limits brief_limits{6, 1, 5000, 1};

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Seconds that this process and the machines that it had and that ended have spent on a processor.
/// On a machine that does nothing else the clock shows the same, since a virtual machine of one CPU
/// keeps one processor busy until it is there; on any other, this repeats and the clock does not.
double spent() {
    double sum = 0;
    for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        getrusage(whose, &usage);
        sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    }
    return sum;
}

/// What something took: processor seconds, which the criteria are about, and those of the clock.
struct Took {
    double processor = 0;
    double clock = 0;
};

class Watch {
public:
    [[nodiscard]] Took took() const {
        return {spent() - processor_,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count()};
    }

private:
    double processor_ = spent();
    std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
};

/// The medians of one of the two.
double median_of(const std::vector<Took>& all, double Took::* which) {
    std::vector<double> values;
    for (const Took& each : all) {
        values.push_back(each.*which);
    }
    return lab::stats::median(values);
}

/// What a machine takes that only boots, until its agent has answered.
Result<Took> boot(lab::Target& target) {
    const Watch watch;
    {
        auto machine = target.launch({});
        if (!machine) {
            return std::unexpected(machine.error());
        }
        if (auto ready = (*machine)->wait_ready(); !ready) {
            return std::unexpected(ready.error());
        }
    }
    return watch.took();
}

/// What it takes from a target to the path of its getpid.
Result<Took> trace(lab::Target& target) {
    const Watch watch;
    if (auto path = lab::path::record_path(target, {}); !path) {
        return std::unexpected(path.error());
    }
    return watch.took();
}

/// A trace, and what it took from the start of the machine.
struct Taken {
    std::string bytes;
    Took took;
    std::uint64_t instructions = 0;  ///< of all round trips
};

Result<Taken> take(lab::Target& target, const lab::path::Wanted& wanted) {
    const Watch watch;
    auto bytes = lab::path::record_trace(target, wanted);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    Taken taken{*std::move(bytes), watch.took(), 0};
    const auto trace = lab::path::read_trace(taken.bytes);
    if (!trace) {
        return std::unexpected(trace.error());
    }
    for (const lab::path::Variant& variant : trace->variants) {
        taken.instructions += variant.rounds * variant.path.steps.size();
    }
    return taken;
}

/// The ratio of what was traced to what only booted, by pairs.
lab::stats::Estimate ratios_of(const std::vector<Took>& plain, const std::vector<Took>& traced,
                               double Took::* which) {
    std::vector<double> of_plain;
    std::vector<double> of_traced;
    for (std::size_t pair = 0; pair < plain.size(); ++pair) {
        of_plain.push_back(plain[pair].*which);
        of_traced.push_back(traced[pair].*which);
    }
    return lab::stats::estimate(log_ratios(of_plain, of_traced));
}

class Benchmark {
public:
    Benchmark(const Options& options, Target base, Target change)
        : options_(options),
          limits_(options.form == Form::full ? full_limits : brief_limits),
          base_(std::move(base)),
          change_(std::move(change)) {}

    Result<void> boots();
    Result<void> speed();
    Result<void> explanation();
    Result<void> repetition();
    [[nodiscard]] int conclude() const { return criteria_.conclude(); }

private:
    const Options& options_;
    Limits limits_;
    Target base_;
    Target change_;
    Criteria criteria_;
};

Result<void> Benchmark::boots() {
    std::vector<Took> plain;
    std::vector<Took> traced;
    for (std::uint32_t pair = 0; pair < limits_.boots; ++pair) {
        std::array first_plain{true, false};
        lab::Random(options_.seed, pair, 0).shuffle(std::span<bool>(first_plain));
        for (const bool is_plain : first_plain) {
            const auto took = is_plain ? boot(*base_) : trace(*base_);
            if (!took) {
                return std::unexpected(took.error());
            }
            (is_plain ? plain : traced).push_back(*took);
        }
    }
    const auto processor = ratios_of(plain, traced, &Took::processor);
    const auto clock = ratios_of(plain, traced, &Took::clock);
    const auto seconds = [](const std::vector<Took>& all, double Took::* which) {
        return fmt::format("{:.2f}", median_of(all, which));
    };
    print_table({{"machine", "median CPU s", "/ plain boot's", "median clock s", "/ plain boot's"},
                 {"boots", seconds(plain, &Took::processor), "", seconds(plain, &Took::clock), ""},
                 {"is traced", seconds(traced, &Took::processor), ratio(processor),
                  seconds(traced, &Took::clock), ratio(clock)}});
    criteria_.add(
        fmt::format("tracing getpid / plain boot, in processor seconds <= {}", most_boots),
        fmt::format("{} (by the clock {})", ratio(processor), ratio(clock)),
        processor.interval95.high <= std::log(most_boots));
    return {};
}

/// Two recordings differ in their number of round trips alone, so the time that the longer one
/// takes more was spent recording.
Result<void> Benchmark::speed() {
    for (const std::string workload : {"open", "mix"}) {
        std::vector<double> speeds;
        std::vector<double> by_clock;
        for (std::size_t pair = 0; pair < limits_.recordings; ++pair) {
            constexpr std::uint64_t few = 100;
            const auto shorter = take(*base_, {.workload = workload, .rounds = few});
            // A call of mix has far fewer instructions than one of open.
            const std::uint64_t more = (workload == "mix" ? 4 : 1) * limits_.rounds;
            const auto longer = take(*base_, {.workload = workload, .rounds = few + more});
            for (const auto* taken : {&shorter, &longer}) {
                if (!*taken) {
                    return std::unexpected(taken->error());
                }
            }
            const auto recorded = static_cast<double>(longer->instructions - shorter->instructions);
            speeds.push_back(recorded / (longer->took.processor - shorter->took.processor));
            by_clock.push_back(recorded / (longer->took.clock - shorter->took.clock));
        }
        const double speed = lab::stats::median(speeds);
        criteria_.add(
            fmt::format("{}: recorded >= {:.0f} million instructions per processor second",
                        workload, least_instructions_per_second / 1e6),
            fmt::format("{:.1f} million (by the clock {:.1f})", speed / 1e6,
                        lab::stats::median(by_clock) / 1e6),
            speed >= least_instructions_per_second);
    }
    return {};
}

/// From the bytes of two traces to all that is said of them.
Result<void> Benchmark::explanation() {
    const lab::path::Wanted wanted{.workload = "open"};
    const auto base = take(*base_, wanted);
    const auto change = take(*change_, wanted);
    for (const auto* taken : {&base, &change}) {
        if (!*taken) {
            return std::unexpected(taken->error());
        }
    }
    std::vector<Took> times;
    std::string what;
    for (std::size_t turn = 0; turn < limits_.explanations; ++turn) {
        const Watch watch;
        std::vector<lab::path::RecordedPath> paths;
        for (const auto& [taken, target] :
             {std::pair{&*base, base_.get()}, std::pair{&*change, change_.get()}}) {
            auto path = lab::path::path_of_trace(*target, taken->bytes, wanted);
            if (!path) {
                return std::unexpected(path.error());
            }
            paths.push_back(*std::move(path));
        }
        const auto explained =
            lab::path::explain(std::move(paths[0].traced), std::move(paths[1].traced));
        const auto written = lab::path::to_json(explained).size();
        times.push_back(watch.took());
        what = fmt::format("{}; {} bytes of JSON", lab::path::total_text(explained), written);
    }
    const double seconds = median_of(times, &Took::processor);
    criteria_.add(
        fmt::format("explain of two open paths < {} processor s", most_seconds_to_explain),
        fmt::format("{:.3f} s, by the clock {:.3f} ({})", seconds, median_of(times, &Took::clock),
                    what),
        seconds < most_seconds_to_explain);
    return {};
}

Result<void> Benchmark::repetition() {
    for (const char* workload : {"getpid", "open"}) {
        const lab::path::Wanted wanted{.workload = workload, .rounds = 500};
        const auto once = take(*base_, wanted);
        const auto again = take(*base_, wanted);
        for (const auto* taken : {&once, &again}) {
            if (!*taken) {
                return std::unexpected(taken->error());
            }
        }
        const bool same = once->bytes == again->bytes;
        criteria_.add(fmt::format("{}: the same trace twice is byte-identical", workload),
                      fmt::format("{} bytes, {}", once->bytes.size(), same ? "equal" : "different"),
                      same);
    }
    return {};
}

int run(const Options& options) {
    const std::string base = "linux:" + options.image + ",accel=tcg";
    auto target = lab::open_target(base);
    if (!target) {
        return give_up(target.error());
    }
    auto change = lab::open_target(base + "," + options.change);
    if (!change) {
        return give_up(change.error());
    }
    print_heading(
        fmt::format("recording: {} against {}, seed {}", base, options.change, options.seed));
    Benchmark benchmark(options, *std::move(target), *std::move(change));
    for (const auto part :
         {&Benchmark::boots, &Benchmark::speed, &Benchmark::explanation, &Benchmark::repetition}) {
        if (auto done = (benchmark.*part)(); !done) {
            return give_up(done.error());
        }
    }
    return benchmark.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    namespace bench = kerntoll::bench;
    bench::Options options;
    CLI::App app("What it costs to record paths and to explain them.", "recording");
    app.add_flag_callback(
        "--short", [&options] { options.form = bench::Form::brief; },
        "Few repetitions: shows that it works");
    app.add_option("--image", options.image, "A Linux kernel image")->required();
    app.add_option("--change", options.change,
                   "Options of the same image whose paths are explained against it");
    app.add_option("--seed", options.seed, "Of the random orders (default: drawn)");
    CLI11_PARSE(app, argc, argv);
    return bench::run(options);
}
