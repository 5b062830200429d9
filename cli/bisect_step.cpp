// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "cli/bisect.hpp"
#include "cli/commands.hpp"
#include "cli/kernels.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/experiment/count.hpp"
#include "lab/kernel/bisection.hpp"
#include "lab/kernel/tree.hpp"
#include "lab/report/numbers.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/report.hpp"

namespace kerntoll::cli {
namespace {

using lab::stats::Verdict;

constexpr const char* footer = R"(
Ends with 0 where HEAD costs what the good commit costs, with 1 where it costs more, with 125
where that cannot be told (HEAD does not build, or the time is undecided): what `git bisect run`
wants to know.
What no other commit would be free of (a wrong option, a missing compiler, Ctrl-C) ends the
bisection.

--threshold 3 counts: HEAD is bad from three instructions per call more than the good commit on.
This is exact, and takes a second or two beside the build. A negative number looks for where it
became cheaper.
--threshold 0.5% measures: HEAD is bad where it is slower by the rule of 'kerntoll compare' with a
margin of 0.5 %, placebos and all.

Example, in a Linux tree:
  git bisect start v6.13 v6.12
  git bisect run kerntoll bisect-step --good v6.12 --arch riscv64 --threshold 1
)";

/// What makes a commit bad: so many instructions, or so much time.
struct Threshold {
    std::int64_t instructions = 1;
    std::optional<double> margin = {};  ///< log-ratio of time; none: instructions count
};

struct Options {
    KernelOptions kernels;
    std::string good;
    std::string workload = "getpid";
    Threshold threshold;
    std::optional<double> max_seconds;
    StoreOptions store;
};

/// The two that are compared, as sentences call them.
struct Names {
    std::string good;  ///< "v6.12 (0123456789ab)"
    std::string head = "HEAD";
};

/// A good one, a bad one, or one of which neither can be said, with the sentence that says so.
struct Judgement {
    Exit exit = Exit::cannot_tell;
    std::string sentence;
};

lab::Result<Threshold> parse_threshold(const std::string& text) {
    if (text.ends_with('%')) {
        const auto margin = parse_percent(text);
        if (!margin) {
            return std::unexpected(margin.error());
        }
        return Threshold{.margin = *margin};
    }
    const bool cheaper = text.starts_with('-');
    constexpr std::uint64_t most = 1'000'000;
    const auto number = parse_whole(text.substr(cheaper ? 1 : 0), 1, most);
    if (!number) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("'{}' is neither a number of instructions (3, -3) nor a "
                                     "percentage of time (0.5%)",
                                     text));
    }
    const auto instructions = static_cast<std::int64_t>(*number);
    return Threshold{.instructions = cheaper ? -instructions : instructions};
}

lab::Result<lab::experiment::Count> count(const std::string& text, const std::string& workload) {
    auto target = lab::open_target(text);
    if (!target) {
        return std::unexpected(target.error());
    }
    const auto counts = lab::experiment::count_instructions(**target, {workload});
    if (!counts) {
        return std::unexpected(counts.error());
    }
    return counts->front();
}

lab::Result<Judgement> judge_counts(const Options& options, const Names& names,
                                    const std::string& good, const std::string& head) {
    const auto before = count(good, options.workload);
    if (!before) {
        return std::unexpected(before.error());
    }
    const auto after = count(head, options.workload);
    if (!after) {
        // The good commit ran: it is this kernel that does not.
        if (after.error().fault == lab::Fault::measurement) {
            return Judgement{Exit::cannot_tell, after.error().message};
        }
        return std::unexpected(after.error());
    }
    for (const auto& [counted, commit] : {std::pair(&*before, names.good), {&*after, names.head}}) {
        if (!counted->exact) {
            return Judgement{Exit::cannot_tell,
                             fmt::format("cannot tell: {} has no single count on {}, its path "
                                         "differs from call to call; --threshold 0.5% measures",
                                         options.workload, commit)};
        }
    }
    const std::int64_t limit = options.threshold.instructions;
    const double difference = after->instructions_per_op - before->instructions_per_op;
    const bool bad = limit > 0 ? difference >= static_cast<double>(limit)
                               : difference <= static_cast<double>(limit);
    return Judgement{
        bad ? Exit::condition_holds : Exit::done,
        fmt::format("{}: {}: {} instructions, {} at {}: {}", bad ? "bad" : "good", options.workload,
                    lab::report::count_text(after->instructions_per_op),
                    lab::report::count_text(before->instructions_per_op), names.good,
                    lab::report::count_difference_text(before->instructions_per_op,
                                                       after->instructions_per_op))};
}

lab::Result<Judgement> judge_time(const Options& options, const Names& names,
                                  const TargetTexts& texts, const std::vector<std::string>& argv) {
    MeasureOptions how;
    how.workloads = {options.workload};
    how.margin = options.threshold.margin.value_or(how.margin);
    how.limits.max_seconds = options.max_seconds;
    auto session = begin_session("compare", argv, texts, how, options.store);
    if (!session) {
        return std::unexpected(session.error());
    }
    const auto state = measure(*session);
    if (!state) {
        if (state.error().fault == lab::Fault::measurement) {
            return Judgement{Exit::cannot_tell, state.error().message};
        }
        return std::unexpected(state.error());
    }
    if (*state != lab::store::RunState::finished) {
        return lab::fail(lab::Fault::interrupted, "interrupted");
    }
    const auto report = lab::report::analyse(session->store, session->id);
    if (!report) {
        return std::unexpected(report.error());
    }
    const auto& row = report->rows.front();
    const Verdict verdict = row.decision.verdict;
    const Exit exit = bisect_exit(verdict);
    return Judgement{
        exit, fmt::format("{}: {}: {} against {} is {}, {}",
                          exit == Exit::done              ? "good"
                          : exit == Exit::condition_holds ? "bad"
                                                          : "cannot tell",
                          options.workload, names.head, names.good, lab::stats::name(verdict),
                          lab::report::effect_and_interval_text(row.estimate))};
}

/// The kernels, as targets.
struct Kernels {
    TargetTexts texts;
    Names names;
    bool same = false;  ///< HEAD is the good commit, as far as the sources go
    std::vector<lab::kernel::Built> built = {};  ///< held, so that no other kerntoll tidies them up
};

Names names_of(const Options& options, const lab::kernel::Tree& tree) {
    const std::string hash = lab::kernel::short_hash(tree.commit);
    Names names{.good = tree.commit.starts_with(options.good)
                            ? hash
                            : fmt::format("{} ({})", options.good, hash)};
    const auto left = lab::kernel::difference(tree, "HEAD", "");
    if (left && !left->empty()) {
        names.head = "HEAD with what is not committed";
        print_note(
            fmt::format("{} has changes that are not committed; they are part of what is "
                        "held against {}",
                        tree.path.string(), names.good));
    }
    return names;
}

lab::Result<Kernels> build(const Options& options, const Port& port) {
    const auto tree = lab::kernel::read_tree(options.kernels.tree, options.good);
    if (!tree) {
        return std::unexpected(tree.error());
    }
    if (auto fixed = lab::kernel::check_good(*tree, options.good); !fixed) {
        return std::unexpected(fixed.error());
    }
    // git-bisect(1) has commits that do not build mended before the test, without a commit.
    const auto patch = lab::kernel::difference(*tree, tree->commit, "");
    if (!patch) {
        return std::unexpected(patch.error());
    }
    const Names names = names_of(options, *tree);
    ProgressLine line;
    auto plan = plan_of(port, options.kernels, line);
    if (!plan) {
        return std::unexpected(plan.error());
    }
    lab::kernel::Sources sources(*tree);
    lab::kernel::Builder builder(sources, *std::move(plan));
    std::vector<lab::kernel::Side> sides{{.name = names.good}};
    if (!patch->empty()) {
        sides.push_back({.name = names.head, .patches = {{names.head, *patch}}});
    }
    if (options.threshold.margin) {
        for (std::uint32_t seed = 1; seed <= 2; ++seed) {
            sides.push_back({.name = fmt::format("placebo {}", seed), .padding = seed});
        }
    }
    Kernels kernels{.texts = {}, .names = names, .same = patch->empty()};
    for (const lab::kernel::Side& side : sides) {
        auto built = builder.build(side);
        if (!built) {
            lab::Error error = built.error();
            // Every commit is held against the good one: without it none can be told.
            if (side.patches.empty() && error.fault == lab::Fault::measurement) {
                error.fault = lab::Fault::environment;
            }
            return std::unexpected(std::move(error));
        }
        std::string text = target_of(*built, port, options.kernels, "");
        kernels.built.push_back(*std::move(built));
        (side.is_base() ? kernels.texts.base
         : side.padding ? kernels.texts.placebos.emplace_back()
                        : kernels.texts.changes.emplace_back()) = std::move(text);
    }
    return kernels;
}

lab::Result<Judgement> judge(const Options& options, const std::vector<std::string>& argv) {
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    KernelOptions kernels = options.kernels;
    if (kernels.archs.empty()) {
        kernels.archs = {"riscv64"};
    }
    if (kernels.archs.size() > 1 || kernels.archs.front() == "all") {
        return lab::fail(lab::Fault::usage, "--arch: one architecture at a time");
    }
    if (auto known = check_workloads({options.workload}); !known) {
        return std::unexpected(known.error());
    }
    const auto ports = choose_ports(kernels);
    if (!ports) {
        return std::unexpected(ports.error());
    }
    if (ports->there.empty()) {
        return std::unexpected(ports->missing.front());
    }
    if (auto runs = check_qemu(ports->there.front().arch, options.kernels); !runs) {
        return std::unexpected(runs.error());
    }
    const auto built = build(options, ports->there.front());
    tidy();
    if (!built) {
        if (built.error().fault == lab::Fault::measurement) {
            print_error(built.error());
            return Judgement{Exit::cannot_tell, "cannot tell: it does not build"};
        }
        return std::unexpected(built.error());
    }
    if (built->same) {
        return Judgement{Exit::done, fmt::format("good: {} has the sources of {}",
                                                 built->names.head, built->names.good)};
    }
    return options.threshold.margin ? judge_time(options, built->names, built->texts, argv)
                                    : judge_counts(options, built->names, built->texts.base,
                                                   built->texts.changes.front());
}

/// No error leaves as a number that git would take for a verdict.
Exit step(const Options& options, const std::vector<std::string>& argv) {
    lab::exit_when_asked_twice_with(static_cast<int>(Exit::ends_bisection));
    try {
        const auto judgement = judge(options, argv);
        if (!judgement) {
            print_error(judgement.error());
            return Exit::ends_bisection;
        }
        print_note(judgement->sentence);
        return judgement->exit;
    } catch (const std::exception& error) {  // a library's (memory)
        print_note(fmt::format("cannot go on: {}", error.what()));
        return Exit::ends_bisection;
    }
}

}  // namespace

Exit bisect_exit(Verdict verdict) {
    switch (verdict) {
        case Verdict::slower:
            return Exit::condition_holds;
        case Verdict::undecided:
        case Verdict::untrusted:
            return Exit::cannot_tell;
        case Verdict::faster:
        case Verdict::equivalent:
        case Verdict::layout_like:
            break;
    }
    return Exit::done;
}

void add_bisect_step(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "bisect-step", "Tell 'git bisect run' whether HEAD costs more than a good commit");
    command
        .add_option("--good", options->good,
                    "Commit that HEAD is held against: a tag or a hash, no name that moves")
        ->required()
        ->type_name("COMMIT");
    command
        .add_option_function<std::string>(
            "--threshold",
            [options](const std::string& text) {
                options->threshold = value_or_refuse("--threshold", parse_threshold(text));
            },
            "Bad is so many instructions per op more, or so many percent of time: 3, -3 or 0.5%")
        ->type_name("LIMIT")
        ->default_str("1");
    command.add_option("--workload", options->workload, "What the user program does per op")
        ->type_name("WORKLOAD")
        ->default_str("getpid");
    command
        .add_option_function<std::string>(
            "--max-time",
            [options](const std::string& text) {
                options->max_seconds = value_or_refuse("--max-time", parse_duration(text)).count();
            },
            "Measure time for about this long (default: 2m)")
        ->type_name("TIME");
    add_kernel_options(command, options->kernels, Architectures::one);
    add_store_options(command, options->store);
    command.footer(footer);
    command.callback([options, &invocation] {
        invocation.action = [options, &invocation] { return step(*options, invocation.argv); };
    });
}

}  // namespace kerntoll::cli
