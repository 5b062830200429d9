// SPDX-License-Identifier: MIT
// What a getpid costs in instructions on nano, variant by variant, beside what it has to reach and
// what Linux takes: the tables of docs/entry-cost.md, and whether what stands there by hand adds
// up. Exact counts: the same on every machine, however busy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/posts/cost_tables.hpp"
#include "bench/posts/page.hpp"
#include "lab/base/side_by_side.hpp"
#include "lab/experiment/count.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::bench {
namespace {

/// Instructions per op, the user's loop included: what Linux 6.12 (tinyconfig, gcc; loongarch64:
/// clang) was measured to take, and what a port's variants must not exceed.
struct Port {
    lab::Arch arch;
    long linux_612;
    long linux_loop;  ///< of which that loop is so many
    long full;
    long lazy;
    bool decodes_class;  ///< in software: the axis `vector`
    /// Of every round trip QEMU's counter leaves out so many, on Linux too.
    long not_counted;
};
constexpr std::array ports{
    Port{lab::Arch::x86_64, 207, 4, 110, 85, false, 0},
    Port{lab::Arch::arm64, 293, 4, 125, 90, true, 0},
    Port{lab::Arch::riscv64, 214, 4, 165, 110, true, 0},
    Port{lab::Arch::s390x, 201, 3, 65, 65, false, 0},
    Port{lab::Arch::loongarch64, 229, 3, 165, 110, false, 1},
};
/// What looking at the work words may cost while there is no work.
constexpr long most_for_work = 9;

/// One variant by one compiler, with work=full and with work=none.
struct Row {
    const Port* port;
    std::string_view compiler;
    std::string choices;
    long most;
    long full = 0;
    long floor = 0;
    long loop = 0;  ///< of the user's, in both
    [[nodiscard]] bool is_default() const { return choices.empty() && compiler == "clang"; }
    [[nodiscard]] bool is_lazy() const { return choices.starts_with("frame=lazy"); }
};

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const Port& port : ports) {
        for (const std::string_view compiler : {"gcc", "clang"}) {
            if (compiler == "gcc" && port.arch == lab::Arch::loongarch64) {
                continue;  // Debian has none
            }
            rows.push_back({.port = &port, .compiler = compiler, .choices = "", .most = port.full});
            if (port.decodes_class) {
                for (const char* vector : {"vector=likely", "vector=table"}) {
                    rows.push_back(
                        {.port = &port,
                         .compiler = compiler,
                         .choices = vector,
                         // The table is one of the posts, and no part of the goal.
                         .most = vector == std::string_view("vector=table") ? 0 : port.full});
                }
            }
            // Where software finds the class of a trap, a lazy frame does so first.
            rows.push_back(
                {.port = &port,
                 .compiler = compiler,
                 .choices = port.decodes_class ? "frame=lazy,vector=likely" : "frame=lazy",
                 .most = port.lazy});
        }
    }
    return rows;
}

struct Counted {
    long all = 0;
    long loop = 0;
};

lab::Result<Counted> count_getpid(const std::string& text) {
    auto target = lab::open_target(text);
    if (!target) {
        return std::unexpected(target.error());
    }
    const auto counts = lab::experiment::count_instructions(**target, {"getpid"});
    if (!counts) {
        return std::unexpected(counts.error());
    }
    if (!counts->front().exact) {
        return lab::fail(lab::Fault::measurement,
                         fmt::format("the batches of {} do not agree on one count", text));
    }
    return Counted{std::lround(counts->front().instructions_per_op),
                   std::lround(counts->front().loop_instructions)};
}

/// Counts all of them, as many at a time as there are CPUs.
lab::Result<void> count_rows(std::vector<Row>& rows) {
    std::vector<lab::Result<void>> ends(rows.size());
    std::vector<std::function<void()>> jobs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        jobs.emplace_back([&row = rows[i], &end = ends[i]] {
            std::string text = fmt::format("nano:{},cc={}", name(row.port->arch), row.compiler);
            if (!row.choices.empty()) {
                text += "," + row.choices;
            }
            const auto full = count_getpid(text);
            const auto floor = count_getpid(text + ",work=none");
            if (!full || !floor) {
                end = std::unexpected(full ? floor.error() : full.error());
                return;
            }
            row.full = full->all;
            row.loop = full->loop;
            row.floor = floor->all;
        });
    }
    lab::side_by_side(jobs);
    for (const auto& end : ends) {
        if (!end) {
            return end;
        }
    }
    return {};
}

std::string shown(const Row& row) {
    return fmt::format("{}, {}, `{}`", name(row.port->arch), row.compiler,
                       row.choices.empty() ? "defaults" : row.choices);
}

PageTable variants_table(const std::vector<Row>& rows, std::vector<std::string>& complaints) {
    std::string text =
        "| port | compiler | choices | `work=full` | at most | `work=none` | looking at the words "
        "| "
        "at most | of all, the loop |\n|---|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : rows) {
        const long work = row.full - row.floor;
        text +=
            fmt::format("| {} | {} | `{}` | {} | {} | {} | {} | {} | {} |\n", name(row.port->arch),
                        row.compiler, row.choices.empty() ? "defaults" : row.choices, row.full,
                        row.most == 0 ? "-" : fmt::to_string(row.most), row.floor, work,
                        most_for_work, row.loop);
        if (row.most != 0 && row.full > row.most) {
            complaints.push_back(fmt::format("{} takes {} instructions; it must take at most {}",
                                             shown(row), row.full, row.most));
        }
        if (work > most_for_work) {
            complaints.push_back(
                fmt::format("{}: looking at the work words takes {} instructions; it must take at "
                            "most {}",
                            shown(row), work, most_for_work));
        }
    }
    return {"variants", text};
}

/// The path alone, from behind the user's trap instruction to the user's next one.
long path_of(const Row& row) {
    return row.full - row.loop + row.port->not_counted;
}

void expect(std::vector<std::string>& complaints, const Port& port, std::string_view what,
            const std::optional<long>& says, long is) {
    if (says != is) {
        complaints.push_back(fmt::format(
            "{}: {} takes {} instructions, and the page {}", name(port.arch), what, is,
            says ? fmt::format("accounts for {}", *says) : std::string("does not account for it")));
    }
}

/// One line per port; the gap's parts are those that the page accounts for by hand.
PageTable summary_table(std::string_view page, const std::vector<Row>& rows,
                        std::vector<std::string>& complaints) {
    std::string text =
        "| port | Linux, its loop included | its loop | Linux | nano, its loop included | its loop "
        "| nano | gap | getpid itself | guards and features of Linux's | the same with less | only "
        "in nano | nano, `frame=lazy` |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Port& port : ports) {
        const auto row_of = [&](bool lazy) -> const Row& {
            return *std::ranges::find_if(rows, [&](const Row& row) {
                return row.port == &port && row.compiler == "clang" &&
                       (lazy ? row.is_lazy() : row.is_default());
            });
        };
        const Row& full = row_of(false);
        const long linux_path = port.linux_612 - port.linux_loop + port.not_counted;
        const long path = path_of(full);
        const long lazy = path_of(row_of(true));
        const PortByHand by_hand = read_port(page, name(port.arch), complaints);
        expect(complaints, port, "its path", by_hand.path, path);
        expect(complaints, port, "its path, where frame=lazy begins,", by_hand.full, path);
        expect(complaints, port, "frame=lazy", by_hand.lazy, lazy);
        Gap gap = by_hand.gap.value_or(Gap{});
        expect(complaints, port, "Linux's path, in the gap,", gap.linux, linux_path);
        expect(complaints, port, "its path, in the gap,", gap.nano, path);
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                            name(port.arch), port.linux_612, port.linux_loop, linux_path, full.full,
                            full.loop, path, linux_path - path, gap.by_kind["getpid"],
                            gap.by_kind["guard"] + gap.by_kind["feature"], gap.by_kind["less"],
                            gap.by_kind["nano"], lazy);
    }
    return {"summary", text};
}

lab::Result<Measured> measure(const std::string& page) {
    std::vector<Row> rows = all_rows();
    if (auto counted = count_rows(rows); !counted) {
        return std::unexpected(counted.error());
    }
    Measured measured;
    measured.tables.push_back(variants_table(rows, measured.complaints));
    if (!page.empty()) {
        measured.tables.push_back(summary_table(page, rows, measured.complaints));
    }
    return measured;
}

}  // namespace
}  // namespace kerntoll::bench

int main(int argc, char** argv) {
    return kerntoll::bench::run_page(argc, argv, "entry_cost",
                                     "Counts the instructions of a getpid on nano's ports, holds "
                                     "them to what they must reach, and "
                                     "prints the tables of docs/entry-cost.md.",
                                     kerntoll::bench::measure);
}
