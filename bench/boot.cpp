// SPDX-License-Identifier: MIT
// How long it takes from QEMU's start until the agent in nano has given its first answer, port by
// port. A time: to be held against the criterion on a machine that does nothing else.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

constexpr double at_most = 0.15;

/// Seconds of one boot: QEMU is started, nano boots, the agent says what it is.
lab::Result<double> boot(lab::Target& target, int cpu) {
    const auto begin = std::chrono::steady_clock::now();
    auto machine = target.launch({.cpu = cpu});
    if (!machine) {
        return std::unexpected(machine.error());
    }
    if (const auto ready = (*machine)->wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int run(unsigned boots, const std::string& compiler) {
    print_heading(fmt::format(
        "Seconds from QEMU's start to the agent's first answer in nano ({}), of {} boots", compiler,
        boots));
    Criteria criteria;
    std::vector<std::vector<std::string>> table{{"port", "best", "median", "worst", "at most"}};
    for (const lab::Arch arch : {lab::Arch::x86_64, lab::Arch::arm64, lab::Arch::riscv64,
                                 lab::Arch::s390x, lab::Arch::loongarch64}) {
        if (compiler == "gcc" && arch == lab::Arch::loongarch64) {
            continue;  // Debian has none
        }
        const auto target = lab::open_target(fmt::format("nano:{},cc={}", name(arch), compiler));
        if (!target) {
            return give_up(target.error());
        }
        std::vector<double> seconds;
        for (unsigned i = 0; i < boots; ++i) {
            const auto one = boot(**target, last_cpu());
            if (!one) {
                return give_up(one.error());
            }
            seconds.push_back(*one);
        }
        std::ranges::sort(seconds);
        const double median = seconds[seconds.size() / 2];
        table.push_back({std::string(name(arch)), fmt::format("{:.3f}", seconds.front()),
                         fmt::format("{:.3f}", median), fmt::format("{:.3f}", seconds.back()),
                         fmt::format("{:.3f}", at_most)});
        criteria.add(fmt::format("{}: first answer in < {} s (median)", name(arch), at_most),
                     fmt::format("{:.3f} s", median), median < at_most);
    }
    print_table(table);
    return criteria.conclude();
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    CLI::App app{
        "Times nano's boots and holds them to what they must reach. Exit code 1 where one does "
        "not."};
    unsigned boots = 21;
    std::string compiler = "clang";
    app.add_option("--boots", boots, "of each port")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1000U));
    app.add_option("--cc", compiler, "clang or gcc")
        ->capture_default_str()
        ->check(CLI::IsMember({"clang", "gcc"}));
    CLI11_PARSE(app, argc, argv);
    return kerntoll::bench::run(boots, compiler);
}
