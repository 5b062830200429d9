// SPDX-License-Identifier: MIT
// What a getpid costs in instructions on nano, variant by variant, beside what it has to reach.
// Exact counts: the same on every machine, however busy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support.hpp"
#include "lab/base/side_by_side.hpp"
#include "lab/experiment/count.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

/// Instructions per op, the agent's loop included, that a port's variants must not exceed; and what
/// Linux 6.12 (tinyconfig, gcc) was measured to take.
struct Goal {
    lab::Arch arch;
    unsigned linux_612;
    unsigned full;
    unsigned lazy;
};
constexpr std::array goals{
    Goal{lab::Arch::x86_64, 207, 110, 85},       Goal{lab::Arch::arm64, 293, 125, 90},
    Goal{lab::Arch::riscv64, 214, 165, 110},     Goal{lab::Arch::s390x, 201, 65, 65},
    Goal{lab::Arch::loongarch64, 229, 165, 110},
};
/// What looking at the work words may cost while there is no work.
constexpr double most_for_work = 9;

/// A port that finds the class of a trap in software does so first where the frame is lazy.
std::string lazy_options(lab::Arch arch) {
    const bool decodes = arch == lab::Arch::arm64 || arch == lab::Arch::riscv64;
    return decodes ? ",frame=lazy,vector=likely" : ",frame=lazy";
}

lab::Result<std::vector<double>> count_getpid(const std::vector<std::string>& texts) {
    std::vector<std::unique_ptr<lab::Target>> targets;
    for (const std::string& text : texts) {
        auto target = lab::open_target(text);
        if (!target) {
            return std::unexpected(target.error());
        }
        targets.push_back(*std::move(target));
    }
    std::vector<lab::Result<std::vector<lab::experiment::Count>>> results(targets.size());
    std::vector<std::function<void()>> jobs;
    for (std::size_t at = 0; at < targets.size(); ++at) {
        jobs.emplace_back([&, at] {
            results[at] = lab::experiment::count_instructions(*targets[at], {"getpid"});
        });
    }
    lab::side_by_side(jobs);
    std::vector<double> counts;
    for (const auto& result : results) {
        if (!result) {
            return std::unexpected(result.error());
        }
        counts.push_back(result->front().instructions_per_op);
    }
    return counts;
}

int run(const std::string& compiler) {
    print_heading(fmt::format("Instructions per getpid op on nano ({}), the agent's loop included",
                              compiler));
    Criteria criteria;
    std::vector<std::vector<std::string>> table{
        {"port", "Linux 6.12", "frame=full", "at most", "frame=lazy", "at most", "work=none"}};
    for (const Goal& goal : goals) {
        const std::string base = fmt::format("nano:{},cc={}", name(goal.arch), compiler);
        if (compiler == "gcc" && goal.arch == lab::Arch::loongarch64) {
            continue;  // Debian has none
        }
        const auto counts =
            count_getpid({base, base + lazy_options(goal.arch), base + ",work=none"});
        if (!counts) {
            return give_up(counts.error());
        }
        const auto [full, lazy, floor] = std::array{(*counts)[0], (*counts)[1], (*counts)[2]};
        table.push_back({std::string(name(goal.arch)), fmt::to_string(goal.linux_612),
                         fmt::format("{}", full), fmt::to_string(goal.full),
                         fmt::format("{}", lazy), fmt::to_string(goal.lazy),
                         fmt::format("{}", floor)});
        criteria.add(fmt::format("{}: frame=full takes <= {}", name(goal.arch), goal.full),
                     fmt::format("{}", full), full <= goal.full);
        criteria.add(fmt::format("{}: frame=lazy takes <= {}", name(goal.arch), goal.lazy),
                     fmt::format("{}", lazy), lazy <= goal.lazy);
        criteria.add(fmt::format("{}: work=full takes <= {} more than work=none", name(goal.arch),
                                 most_for_work),
                     fmt::format("{}", full - floor), full - floor <= most_for_work);
    }
    print_table(table);
    return criteria.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    CLI::App app{
        "Counts the instructions of a getpid on nano's ports and holds them to what they must "
        "reach. Exit code 1 where one is exceeded."};
    std::string compiler = "clang";
    app.add_option("--cc", compiler, "clang or gcc")
        ->capture_default_str()
        ->check(CLI::IsMember({"clang", "gcc"}));
    CLI11_PARSE(app, argc, argv);
    return kerntoll::bench::run(compiler);
}
