// SPDX-License-Identifier: MIT
// coverage: does the statistics hold what it promises, on machines whose truth is known?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "bench/coverage/estimators.hpp"
#include "bench/coverage/study.hpp"

int main(int argc, char** argv) {
    CLI::App app{
        "Runs the whole experiment, stopping rule included, many times on simulated machines and "
        "holds coverage, false alarms and findings to their criteria. Exit code 1 where one "
        "fails."};
    std::size_t runs = 2000;
    std::uint64_t seed = 1;
    unsigned threads = 2;
    app.add_option("--runs", runs, "runs per machine and effect")
        ->capture_default_str()
        ->check(CLI::Range(10, 1'000'000));
    app.add_option("--seed", seed, "of the first run")->capture_default_str();
    app.add_option("--threads", threads, "to run on")
        ->capture_default_str()
        ->check(CLI::Range(1, 64));
    std::string only;
    auto* named = app.add_option("--machine", only, "only machines whose name starts with this");
    std::string options;
    app.add_option("--sim", options,
                   "one machine with these options of `sim:` in their place, held as one with "
                   "related replicates; e.g. noise=1%,layout=0.3%,hold=20")
        ->excludes(named);
    bool brief = false;
    bool compare = false;
    app.add_flag("--short", brief, "100 runs, as in the tests");
    app.add_flag("--estimators", compare,
                 "compare estimators on a fixed number of replicates instead");
    CLI11_PARSE(app, argc, argv);
    if (brief) {
        runs = 100;
    }
    if (compare) {
        const auto table = kerntoll::bench::compare_estimators(runs, seed);
        if (!table) {
            fmt::print(stderr, "coverage: {}\n", table.error().message);
            return 3;
        }
        fmt::print("{}", *table);
        return 0;
    }
    const std::array given{
        kerntoll::bench::Machine{"as given", kerntoll::bench::Standard::related, options}};
    const auto machines = options.empty() ? kerntoll::bench::machines()
                                          : std::span<const kerntoll::bench::Machine>(given);
    const auto rows = kerntoll::bench::study(machines, runs, seed, threads, only);
    if (!rows) {
        fmt::print(stderr, "coverage: {}\n", rows.error().message);
        return 3;
    }
    fmt::print("{} runs per machine and effect, seed {}\n\n{}", runs, seed,
               kerntoll::bench::render(*rows));
    bool holds = true;
    for (const auto& row : *rows) {
        for (const auto& failure : row.failures) {
            fmt::print("FAILS: {}\n", failure);
            holds = false;
        }
    }
    fmt::print("{}\n", holds ? "All criteria hold." : "Not all criteria hold.");
    return holds ? 0 : 1;
}
