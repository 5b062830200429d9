// SPDX-License-Identifier: MIT
#include "cli/try.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/results.hpp"
#include "cli/session.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/report/notes.hpp"
#include "lab/report/path_words.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::cli {
namespace {

using lab::kernel::Outcome;
using lab::kernel::PortOutcome;
using lab::store::Role;

constexpr const char* footer = R"(
What happens: the tree's commit (or the unpacked tree) is copied into the cache folder, built
there by the kernel's own Kbuild, out of tree, and built once more with the patch on, from the
same objects. Instructions are counted, which is exact and takes a second or two for each kernel;
the path of the call is recorded and explained; then the time is compared, under emulation unless
KVM works. Placebos are the base with its code at other addresses: they show what layout alone
does to the time.

Several patches, or a series file, are a ladder: base, +1, +1+2, ... in one table. Without a patch,
what is changed in a git tree and not committed is tried.

Examples:
  cd linux; kerntoll try 0001-entry-inline-exit.patch
  kerntoll try --tree /usr/src/linux-source-6.12 --arch riscv64,s390x patches/series
  kerntoll try --against v6.12 --arch all --cc both --no-time
  kerntoll try --append-b mitigations=off --arch x86_64
  kerntoll try --config-b no-stack-offset.config --arch arm64 --format markdown
  kerntoll try 1.patch --arch loongarch64 --cc clang --qemu loongarch64=/opt/qemu-system-loongarch64

The first kernel of a tree takes minutes, the next patch on it seconds: kernels are kept in
$XDG_CACHE_HOME/kerntoll (~/.cache/kerntoll), copies of trees for two weeks after their last use.
Building needs Debian's flex, bison, bc, libelf-dev and libssl-dev, and the compilers.
)";

/// Emulated time is the weaker half of the answer; a patch author waits for the other one.
constexpr double default_seconds = 40;
constexpr std::uint32_t usual_placebos = 2;
constexpr std::uint32_t most_placebos = 20;

enum class Timing { on, off };

struct Options {
    KernelOptions kernels;
    ChangeOptions changes;
    std::optional<std::uint32_t> placebos;  ///< none: two where time is measured
    Timing timing = Timing::on;
    MeasureOptions measure;
    std::optional<std::string> save;
    OutputOptions output;
    StoreOptions store;
};

/// Builds a port's sides. What fails stands in the port; Fault::usage and an interruption end all.
/// Of a ladder the rungs below one that fails are measured; those above it, whose steps would be
/// two patches', are not built.
lab::Result<void> build_port(PortOutcome& outcome, const Port& port, const Options& options,
                             const Changes& changes, lab::kernel::Sources& sources,
                             ProgressLine& line) {
    auto plan = plan_of(port, options.kernels, line);
    if (!plan) {
        return std::unexpected(plan.error());
    }
    const auto config = read_config(options.kernels);
    if (!config) {
        return std::unexpected(config.error());
    }
    lab::kernel::Builder builder(sources, *std::move(plan));
    const auto whole = std::ranges::max_element(
        changes.sides, {}, [](const TrySide& side) { return side.side.patches.size(); });
    if (auto applies = builder.check_applies(whole->side); !applies) {
        if (applies.error().fault != lab::Fault::environment) {
            return applies;
        }
        outcome.error = applies.error();
        return {};
    }
    for (const TrySide& side : changes.sides) {
        if (outcome.error && side.role == Role::change) {
            continue;
        }
        auto built = builder.build(side.side);
        if (built) {
            std::string target = target_of(*built, port, options.kernels, side.append);
            outcome.sides.push_back(
                {side.side.name, side.role, *std::move(built), std::move(target)});
            add_remarks(outcome, *config);
            continue;
        }
        const lab::Error& error = built.error();
        if (error.fault == lab::Fault::usage || error.fault == lab::Fault::interrupted) {
            return std::unexpected(error);
        }
        if (side.role == Role::placebo) {
            outcome.notes.push_back(fmt::format("Without {}: {}.", side.side.name, error.message));
            continue;
        }
        outcome.error = error;
        if (side.role == Role::base) {
            return {};
        }
    }
    return {};
}

/// Whether there is anything to be held against the base.
bool has_change(const PortOutcome& port) {
    return std::ranges::any_of(port.sides,
                               [](const auto& side) { return side.role == Role::change; });
}

TargetTexts texts_of(const PortOutcome& port) {
    TargetTexts texts;
    for (const auto& side : port.sides) {
        if (side.role == Role::base) {
            texts.base = side.target;
        } else {
            (side.role == Role::placebo ? texts.placebos : texts.changes).push_back(side.target);
        }
    }
    return texts;
}

/// Says why paths are missing. Base and change mostly lack theirs for one reason, which is told
/// once and without their long targets.
void add_path_notes(PortOutcome& port, const std::vector<lab::store::EventRecord>& events) {
    for (const auto& event : events) {
        if (event.kind != "path") {
            continue;
        }
        std::string note = event.text + ".";
        for (const auto& side : port.sides) {
            const std::string target = side.target + ": ";
            if (const auto at = note.find(target); at != std::string::npos) {
                note.erase(at, target.size());
            }
        }
        if (std::ranges::find(port.notes, note) == port.notes.end()) {
            port.notes.push_back(std::move(note));
        }
    }
}

/// Says why what is built was not run, and where it lies.
void not_run(PortOutcome& port, const lab::Error& error) {
    port.error = error;
    port.cannot_be_run = error.fault == lab::Fault::environment;
    port.notes.push_back(fmt::format("The kernels are built, the base is {}.",
                                     port.sides.front().built.image.string()));
}

/// Counts, records and measures what was built of a port. `command` repeats it.
void measure_port(PortOutcome& port, const Options& options,
                  const std::vector<std::string>& command) {
    if (auto runs = check_qemu(port.arch, options.kernels); !runs) {
        not_run(port, runs.error());
        return;
    }
    MeasureOptions how = options.measure;
    how.recording = PathRecording::on;
    how.limits.max_seconds = how.limits.max_seconds.value_or(default_seconds);
    auto session = begin_session(options.timing == Timing::on ? "compare" : "count", command,
                                 texts_of(port), how, options.store);
    if (!session) {
        not_run(port, session.error());
        return;
    }
    print_note(
        fmt::format("{}, {}: counting, recording{}", lab::name(port.arch), port.toolchain.version,
                    options.timing == Timing::on
                        ? fmt::format(", timing for at most {:.0f} s", *how.limits.max_seconds)
                        : ""));
    const auto state = measure(*session);
    if (!state) {
        port.error = state.error();
        port.cannot_be_run = state.error().fault == lab::Fault::environment;
    } else if (*state == lab::store::RunState::interrupted) {
        port.error = lab::Error{lab::Fault::interrupted, "interrupted", {}};
    }
    if (auto report = lab::report::analyse(session->store, session->id);
        report && !report->run.counts.empty()) {
        if (port.error && port.error->fault == lab::Fault::interrupted) {
            port.notes.push_back("Interrupted; the measurement goes on with: " +
                                 lab::report::resume_command(report->run));
        }
        add_path_notes(port, report->run.events);
        port.report = *std::move(report);
    }
}

lab::Result<void> print(const Outcome& outcome, Format format) {
    switch (format) {
        case Format::markdown:
            return print_answer(to_markdown(outcome));
        case Format::json:
            return print_answer(to_json(outcome));
        case Format::text:
            break;
    }
    return print_answer(to_text(outcome, terminal_style()));
}

lab::Result<void> build_all(Outcome& outcome, const Options& options, const Changes& changes,
                            const Ports& ports) {
    ProgressLine line;
    lab::kernel::Sources sources(changes.tree);
    for (const Port& port : ports.there) {
        line.say(fmt::format("{}, {}: building {}", lab::name(port.arch), port.toolchain.version,
                             lab::report::plural(changes.sides.size(), "kernel")));
        outcome.ports.push_back({.arch = port.arch, .toolchain = port.toolchain});
        if (auto built = build_port(outcome.ports.back(), port, options, changes, sources, line);
            !built) {
            return built;
        }
    }
    return {};
}

/// Looks at what is needed when the kernels are built, which takes minutes.
lab::Result<void> check_what_comes_later(const Options& options) {
    if (auto known = check_workloads(options.measure.workloads); !known) {
        return known;
    }
    if (auto config = read_config(options.kernels); !config) {
        return std::unexpected(config.error());
    }
    auto store = open_store(options.store, lab::store::OpenMode::write);
    return store ? lab::Result<void>{} : std::unexpected(store.error());
}

lab::Result<Exit> run_try(const Options& options, const CLI::App& command,
                          const std::vector<std::string>& argv) {
    if (auto installed = lab::install_interrupt_handlers(); !installed) {
        return std::unexpected(installed.error());
    }
    const std::uint32_t placebos =
        options.placebos.value_or(options.timing == Timing::on ? usual_placebos : 0);
    const auto changes = read_changes(options.kernels, options.changes, placebos, options.save);
    if (!changes) {
        return std::unexpected(changes.error());
    }
    if (options.save) {
        if (auto made = make_save_folder(*options.save); !made) {
            return std::unexpected(made.error());
        }
    }
    const auto ports = choose_ports(options.kernels);
    if (!ports) {
        return std::unexpected(ports.error());
    }
    if (ports->there.empty()) {
        return std::unexpected(ports->missing.front());
    }
    if (auto sound = check_what_comes_later(options); !sound) {
        return std::unexpected(sound.error());
    }
    for (const lab::Error& error : ports->missing) {
        print_note(error.message);
    }
    for (const std::string& remark : changes->remarks) {
        print_note(remark);
    }
    std::error_code ignored;
    Outcome outcome{.tree = changes->tree,
                    .configuration = configuration_text(options.kernels),
                    .changes = changes->identities,
                    .command = repeating_command(argv, command, changes->tree.commit),
                    .folder = std::filesystem::current_path(ignored).string(),
                    .head = changes->head,
                    .version = KERNTOLL_VERSION};
    const auto built = build_all(outcome, options, *changes, *ports);
    tidy();
    if (!built) {
        return std::unexpected(built.error());
    }
    for (PortOutcome& port : outcome.ports) {
        if (has_change(port) && !lab::interrupt_requested()) {
            measure_port(port, options, outcome.command);
        }
        if (options.save && !lab::interrupt_requested()) {
            save_port(port, *options.save);
        }
    }
    Exit exit = exit_of_trial(
        outcome, names_architectures(options.kernels) ? Asked::by_name : Asked::whatever_is_there,
        ports->missing);
    if (options.save) {
        if (auto saved = save_outcome(outcome, *options.save); !saved) {
            print_error(saved.error());
            exit = std::max(exit, exit_of(saved.error().fault, Stage::measuring));
        } else {
            print_note(fmt::format("kept in {}", *options.save));
        }
    }
    if (auto printed = print(outcome, options.output.format); !printed) {
        return std::unexpected(printed.error());
    }
    return exit;
}

void add_change_options(CLI::App& command, ChangeOptions& options) {
    command
        .add_option("PATCH", options.patches,
                    "Patches, each on top of those before it, or a file that lists them (series)")
        ->type_name("FILE");
    command
        .add_option("--against", options.against,
                    "Compare this commit (the base) with HEAD, of a git tree")
        ->type_name("COMMIT");
    command
        .add_option("--append-b", options.append_b,
                    "Compare the kernel with itself under more words of its command line")
        ->type_name("WORDS");
    command
        .add_option("--config-b", options.config_b,
                    "Compare the kernel with one that has these options too: lines CONFIG_X=y")
        ->type_name("FILE");
}

void add_measuring(CLI::App& command, Options& options) {
    command
        .add_option_function<std::string>(
            "--placebos",
            [&options](const std::string& text) {
                options.placebos = whole<std::uint32_t>("--placebos", text, 0, most_placebos);
            },
            "Kernels with the base's instructions at other addresses, the yardstick of time "
            "(default: "
            "2, and none with --no-time)")
        ->type_name("N");
    command.add_flag_callback(
        "--no-time", [&options] { options.timing = Timing::off; }, "Count and explain only");
    add_measure_options(command, options.measure);
    command.remove_option(command.get_option(no_count_option));
    command.get_option("--max-time")
        ->description("Time each architecture and compiler for about this long (default: 40s)");
    command
        .add_option("--save", options.save,
                    "Keep images, System.maps, traces, pictures (SVG) and the report in all forms "
                    "in this folder")
        ->type_name("DIR");
}

}  // namespace

void add_try(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand(
        "try", "Build a Linux tree with and without a patch, and tell what the patch costs");
    add_change_options(command, options->changes);
    add_kernel_options(command, options->kernels, Architectures::several);
    add_measuring(command, *options);
    add_output_options(command, options->output);
    add_store_options(command, options->store);
    command.footer(footer);
    command.callback([options, &command, &invocation] {
        invocation.action = [options, &command, &invocation] {
            return run_try(*options, command, invocation.argv);
        };
    });
}

}  // namespace kerntoll::cli
