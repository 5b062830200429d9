// SPDX-License-Identifier: MIT
// What different tools make of two pairs: `host` against itself, where nothing differs, and pad=0
// against pad=40, where 40 dependent instructions per op do. Every round asks kerntoll, repeated
// `perf bench` and hyperfine, one after the other, so that all meet the same phases of the machine;
// a long measurement of the second pair, in the middle of the rounds, says what the answer is.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/target.hpp"
#include "wire/frame.hpp"

namespace kerntoll::bench {
namespace {

using lab::stats::Interval;
using std::chrono::milliseconds;

constexpr double time_limit = 60;  ///< seconds in which A/A must end
constexpr double margin_percent = 0.5;
/// Runs of each of the two series that are compared, as a careful user of a rival would make.
constexpr int series_length = 10;
constexpr std::uint64_t calls_per_run = 1'000'000;

struct Options {
    int runs = 10;
    double reference_seconds = 600;
    int cpu = last_cpu();
};

/// One tool's answer on one pair, once.
struct Answer {
    std::string word;   ///< kerntoll's verdict; "different" or "same" of the others
    double effect = 0;  ///< log-ratio
    Interval interval95;
    double seconds = 0;
};

double log_ratio(double percent) {
    return std::log1p(percent / 100);
}

lab::Result<Answer> ask_kerntoll(const std::vector<std::string>& arguments,
                                 const std::filesystem::path& database) {
    Command command{.argv = {kerntoll_program().string(), "compare"},
                    .at_most = std::chrono::hours(2)};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    for (const std::string& word :
         {std::string("--workload"), std::string("getpid"), std::string("--format"),
          std::string("json"), std::string("--db"), database.string()}) {
        command.argv.push_back(word);
    }
    const auto run = run_well(command);
    if (!run) {
        return std::unexpected(run.error());
    }
    const auto json = nlohmann::json::parse(run->output, nullptr, false);
    if (json.is_discarded() || !json.contains("rows") || json["rows"].size() != 1) {
        return lab::fail(lab::Fault::environment, "kerntoll printed no JSON report of one row");
    }
    const auto& row = json["rows"][0];
    if (row["effect_percent"].is_null() || row["interval_percent"][0].is_null()) {
        return lab::fail(lab::Fault::environment,
                         "kerntoll measured too few replicates for an interval");
    }
    return Answer{row["verdict"],
                  log_ratio(row["effect_percent"]),
                  {log_ratio(row["interval_percent"][0]), log_ratio(row["interval_percent"][1])},
                  run->seconds};
}

Answer conclude(const Welch& welch, double seconds) {
    return {welch.excludes_zero() ? "different" : "same", welch.effect, welch.interval95, seconds};
}

/// Two series of runs of the same thing, called A and B.
lab::Result<Answer> ask_perf(int cpu) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<double> series[2];
    for (auto& times : series) {
        for (int run = 0; run < series_length; ++run) {
            const auto ns = perf_bench_ns(calls_per_run, cpu);
            if (!ns) {
                return std::unexpected(ns.error());
            }
            times.push_back(*ns);
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return conclude(welch(series[0], series[1]), took.count());
}

/// Hyperfine on a command that makes the agent do a fixed number of ops.
class Hyperfine {
public:
    Hyperfine(std::filesystem::path agent, std::filesystem::path directory, int cpu)
        : agent_(std::move(agent)), directory_(std::move(directory)), cpu_(cpu) {}

    /// Compares the agents that these `setup` requests make ("" for none).
    lab::Result<Answer> ask(const std::string& base, const std::string& change);

private:
    [[nodiscard]] std::string command(const std::string& name, const std::string& setup) const;

    std::filesystem::path agent_;
    std::filesystem::path directory_;
    int cpu_;
};

std::string Hyperfine::command(const std::string& name, const std::string& setup) const {
    const auto requests = directory_ / name;
    std::ofstream file(requests);
    std::uint32_t sequence = 0;
    for (const std::string& payload :
         {setup, fmt::format("run workload=getpid n={}", calls_per_run), std::string("quit")}) {
        char frame[wire::max_frame];
        const auto length = wire::encode(wire::Direction::request, ++sequence,
                                         {payload.data(), payload.size()}, frame);
        file.write(frame, static_cast<std::streamsize>(length));
    }
    return fmt::format("'{}' < '{}'", agent_.string(), requests.string());
}

lab::Result<Answer> Hyperfine::ask(const std::string& base, const std::string& change) {
    const auto report = directory_ / "hyperfine.json";
    const auto run =
        run_well({.argv = {"hyperfine", "--style", "none", "--warmup", "1", "--runs",
                           std::to_string(series_length), "--export-json", report.string(),
                           command("base", base), command("change", change)},
                  .at_most = std::chrono::minutes(10),
                  .cpu = cpu_});
    if (!run) {
        return std::unexpected(run.error());
    }
    std::ifstream file(report);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded() || !json.contains("results") || json["results"].size() != 2) {
        return lab::fail(lab::Fault::environment, "hyperfine exported no results of two commands");
    }
    std::vector<double> series[2];
    for (std::size_t side = 0; side < 2; ++side) {
        series[side] = json["results"][side]["times"].get<std::vector<double>>();
    }
    return conclude(welch(series[0], series[1]), run->seconds);
}

bool covers(const Answer& answer, double truth) {
    return answer.interval95.low <= truth && truth <= answer.interval95.high;
}

template <class Predicate>
std::string count_of(const std::vector<Answer>& answers, Predicate predicate) {
    return fmt::format("{} of {}", std::ranges::count_if(answers, predicate), answers.size());
}

bool says_different(const Answer& answer) {
    return answer.word == "different" || answer.word == "faster" || answer.word == "slower";
}

/// One line of the table: what a tool made of a pair whose true effect is known.
std::vector<std::string> line(const std::string& pair, const std::string& tool,
                              const std::vector<Answer>& answers, double truth) {
    std::vector<double> effects;
    std::vector<double> seconds;
    for (const Answer& answer : answers) {
        effects.push_back(answer.effect);
        seconds.push_back(answer.seconds);
    }
    const double margin = log_ratio(margin_percent);
    return {pair,
            tool,
            count_of(answers, says_different),
            percent(Interval{std::ranges::min(effects), std::ranges::max(effects)}),
            count_of(answers,
                     [&](const Answer& each) { return std::abs(each.effect - truth) > margin; }),
            count_of(answers, [&](const Answer& each) { return covers(each, truth); }),
            fmt::format("{:.0f} s", lab::stats::median(seconds))};
}

/// Everything that the rounds brought.
struct Evidence {
    std::vector<Answer> same_kerntoll;
    std::vector<Answer> same_perf;
    std::vector<Answer> same_hyperfine;
    std::vector<Answer> pad_kerntoll;
    std::vector<Answer> pad_hyperfine;
    Answer reference;
};

/// Takes an answer in, or hands the error on.
lab::Result<void> keep(std::vector<Answer>& answers, lab::Result<Answer> answer) {
    if (!answer) {
        return std::unexpected(answer.error());
    }
    answers.push_back(*std::move(answer));
    return {};
}

lab::Result<void> one_round(Evidence& evidence, Hyperfine& hyperfine,
                            const std::filesystem::path& database, int cpu) {
    if (auto kept = keep(evidence.same_kerntoll, ask_kerntoll({"host", "host"}, database)); !kept) {
        return kept;
    }
    if (auto kept =
            keep(evidence.pad_kerntoll, ask_kerntoll({"host,pad=0", "host,pad=40"}, database));
        !kept) {
        return kept;
    }
    if (auto kept = keep(evidence.same_perf, ask_perf(cpu)); !kept) {
        return kept;
    }
    if (auto kept = keep(evidence.same_hyperfine, hyperfine.ask("setup pad=0", "setup pad=0"));
        !kept) {
        return kept;
    }
    return keep(evidence.pad_hyperfine, hyperfine.ask("setup pad=0", "setup pad=40"));
}

lab::Result<Evidence> gather(const Options& options) {
    const TemporaryDirectory directory;
    const auto arch = lab::host_arch();
    const auto agent = arch ? lab::agent_path(*arch)
                            : lab::fail(lab::Fault::environment,
                                        "kerntoll has no agent for this machine's architecture");
    if (!agent) {
        return std::unexpected(agent.error());
    }
    const auto database = directory.path() / "results.db";
    Hyperfine hyperfine(*agent, directory.path(), options.cpu);
    Evidence evidence;
    for (int round = 0; round < options.runs; ++round) {
        if (round == options.runs / 2) {
            // Six times narrower than what a run must reach, if the time is enough for it.
            auto reference =
                ask_kerntoll({"host,pad=0", "host,pad=40", "--precision", "0.03", "--max-time",
                              fmt::format("{}s", options.reference_seconds)},
                             database);
            if (!reference) {
                return std::unexpected(reference.error());
            }
            evidence.reference = *std::move(reference);
        }
        if (auto done = one_round(evidence, hyperfine, database, options.cpu); !done) {
            return std::unexpected(done.error());
        }
        const Answer& same = evidence.same_kerntoll.back();
        const Answer& pad = evidence.pad_kerntoll.back();
        fmt::print("round {}: host/host {} {} {} in {:.0f} s; pad=40 {} {} {} in {:.0f} s\n",
                   round + 1, same.word, percent(same.effect), percent(same.interval95),
                   same.seconds, pad.word, percent(pad.effect), percent(pad.interval95),
                   pad.seconds);
        (void)std::fflush(stdout);
    }
    return evidence;
}

/// So many of these 95 % intervals must hold the truth: right ones are fewer in 2 of 100 benchmarks
/// at most (binomial). Nine of ten would be asked too much: right ones fail that in 9 of 100.
std::ptrdiff_t least_coverage(std::ptrdiff_t runs) {
    const boost::math::binomial covered(static_cast<double>(runs), 0.95);
    std::ptrdiff_t least = 0;
    while (least < runs && boost::math::cdf(covered, static_cast<double>(least)) <= 0.02) {
        ++least;
    }
    return least;
}

int judge(const Evidence& evidence) {
    const double truth = evidence.reference.effect;
    fmt::print(
        "\nThe reference of pad=40 against pad=0 is {} {}, measured for "
        "{:.0f} s\n\n",
        percent(truth), percent(evidence.reference.interval95), evidence.reference.seconds);
    print_table(
        {{"pair", "tool", "called different", "effects, least and greatest",
          fmt::format("off by > {} %", margin_percent), "95 % interval holds the truth", "time"},
         line("host, host", "kerntoll", evidence.same_kerntoll, 0),
         line("host, host", "perf bench", evidence.same_perf, 0),
         line("host, host", "hyperfine", evidence.same_hyperfine, 0),
         line("pad=0, pad=40", "kerntoll", evidence.pad_kerntoll, truth),
         {"pad=0, pad=40", "perf bench", "cannot be asked: its loop has no such option"},
         line("pad=0, pad=40", "hyperfine", evidence.pad_hyperfine, truth)});
    fmt::print(
        "\nperf bench and hyperfine: two series of {} runs of {} ops each; 'different' where "
        "Welch's\n95 % interval of the ratio excludes 1.\n",
        series_length, calls_per_run);

    const auto runs = static_cast<std::ptrdiff_t>(evidence.same_kerntoll.size());
    const auto nine_of_ten = (9 * runs + 9) / 10;
    const auto in_time = std::ranges::count_if(evidence.same_kerntoll, [](const Answer& answer) {
        return answer.word == "equivalent" && answer.seconds <= time_limit;
    });
    const auto found = std::ranges::count_if(evidence.pad_kerntoll, says_different);
    const auto covered = std::ranges::count_if(
        evidence.pad_kerntoll, [&](const Answer& answer) { return covers(answer, truth); });
    Criteria criteria;
    criteria.add(fmt::format("compare host host is equivalent within {} s in >= {} of {} runs",
                             time_limit, nine_of_ten, runs),
                 fmt::format("{}", in_time), in_time >= nine_of_ten);
    criteria.add(fmt::format("pad=40 is found in {} of {} runs", runs, runs),
                 fmt::format("{}", found), found == runs);
    const auto least_covered = least_coverage(runs);
    criteria.add(
        fmt::format("its interval covers the reference in >= {} of {} runs", least_covered, runs),
        fmt::format("{}", covered), covered >= least_covered);
    return criteria.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    namespace bench = kerntoll::bench;
    bench::Options options;
    CLI::App app("What kerntoll, perf bench and hyperfine make of the same pairs.", "verdicts");
    app.add_flag_callback(
        "--short",
        [&options] {
            options.runs = 2;
            options.reference_seconds = 60;
        },
        "Two runs and a short reference: shows that it works");
    app.add_option("--runs", options.runs, "Rounds (default: 10)")->check(CLI::PositiveNumber);
    app.add_option("--reference", options.reference_seconds,
                   "Seconds that the reference may take (default: 600)")
        ->check(CLI::PositiveNumber);
    app.add_option("--cpu", options.cpu,
                   "CPU that the rivals run on (default: the last one, as kerntoll does)");
    CLI11_PARSE(app, argc, argv);
    bench::print_heading(fmt::format("verdicts: getpid, {} rounds", options.runs));
    const auto evidence = bench::gather(options);
    return evidence ? bench::judge(*evidence) : bench::give_up(evidence.error());
}
