// SPDX-License-Identifier: MIT
#include "lab/path/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lab/path/align.hpp"
#include "lab/path/find_symbols.hpp"
#include "lab/path/guest_symbols.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::path {
namespace {

// A machine that runs from one breakpoint to the next does a few hundred ops a second, and some ten
// thousand single steps.
constexpr std::uint64_t plugin_warm_up = 1000;
constexpr std::uint64_t step_warm_up = 50;
constexpr std::uint64_t plugin_rounds = 100;
constexpr std::uint64_t step_rounds = 20;

std::string fact(const Target& target, std::string_view key) {
    for (const auto& [name, value] : target.provenance()) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

/// What another process wrote to a file that this one made.
std::string content(int fd) {
    std::string bytes;
    std::array<char, 65536> part{};
    ssize_t got = 0;
    while ((got = pread(fd, part.data(), part.size(), static_cast<off_t>(bytes.size()))) > 0) {
        bytes.append(part.data(), static_cast<std::size_t>(got));
    }
    return bytes;  // what could not be read is found missing by its reader
}

ImageFacts image_of(const Target& target) {
    return {.file = fact(target, "image"),
            .release = fact(target, "kernel_release"),
            .build_id = fact(target, "kernel_build_id")};
}

/// Those of `symbols=FILE`; null without.
Result<std::unique_ptr<Symbols>> given_symbols(const Target& target) {
    const auto given = target.spec().option("symbols");
    return given ? read_symbols(*given, image_of(target)) : nullptr;
}

/// Who records; a remark says where that is not the plugin.
RecordedBy choose(const Target& target, Recorder wanted, std::vector<std::string>& remarks) {
    if (wanted == Recorder::plugin) {
        return RecordedBy::plugin;
    }
    constexpr std::string_view what =
        "Recorded by single steps, which show no accesses to memory: loads, stores and data lines "
        "are not counted";
    if (wanted == Recorder::gdb) {
        remarks.push_back(fmt::format("{}.", what));
        return RecordedBy::single_steps;
    }
    const auto loads = target.check_recorder();
    if (loads) {
        return RecordedBy::plugin;
    }
    remarks.push_back(fmt::format("{}; {}.", what, loads.error().message));
    return RecordedBy::single_steps;
}

/// What kept a machine from being recorded; asked of one that the recorder did not end.
Error trouble_of(Machine& machine, const Recording& recording) {
    if (auto ready = machine.wait_ready(); !ready) {
        return ready.error();
    }
    if (auto ran = machine.run({.workload = recording.workload}, recording.ops()); !ran) {
        return ran.error();
    }
    return {Fault::measurement,
            fmt::format("{} ops of {} were run, and the recorder saw fewer than {} of them; there "
                        "is no path to record",
                        recording.ops(), recording.workload, recording.rounds),
            machine.console_tail()};
}

/// What kept a machine from being recorded, where the recorder saw it in the middle of a call: a
/// call that executes something comes to the recorder's limit long before anybody loses patience.
Error waiting(const Error& trouble, const Trace& trace, const Target& target,
              const Recording& recording) {
    const auto& steps = trace.unfinished.steps;
    const Instruction& last = trace.instructions[steps.back()];
    return {Fault::measurement,
            fmt::format("a call of {} on {} does not return: it waits, {} instructions after the "
                        "trap (the last is '{}' at {:#x}), and nothing in the guest wakes it. A "
                        "call that waits has no path; record another --workload, or find out in "
                        "the guest what this one waits for",
                        recording.workload, target.spec().text, steps.size() - 1, disassembly(last),
                        last.address),
            trouble.console};
}

/// Has the plugin write the trace, in a machine that came with what it has to do.
Result<std::string> record_by_plugin(std::unique_ptr<Machine> machine, const Target& target,
                                     const Recording& recording) {
    const Error trouble = trouble_of(*machine, recording);
    machine.reset();  // where nothing has ended the recorder, this does
    std::string bytes = content(recording.fd);
    const auto trace = read_trace(bytes);
    if (bytes.empty() || (trace && trace->end == trace_format::End::guest_ended)) {
        const bool in_a_call = trace && !trace->unfinished.steps.empty();
        return std::unexpected(in_a_call && trouble.fault == Fault::measurement
                                   ? waiting(trouble, *trace, target, recording)
                                   : trouble);
    }
    return bytes;
}

/// Has the machine stepped through the workload.
Result<std::string> record_by_steps(Machine& machine, const Recording& recording) {
    if (auto ready = machine.wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    if (auto ran = machine.run({.workload = recording.workload}, recording.ops()); !ran) {
        return std::unexpected(ran.error());
    }
    return content(recording.fd);
}

Result<std::string> record_by(RecordedBy by, Target& target, const Wanted& wanted) {
    if (!can_record(target)) {
        return fail(Fault::usage,
                    fmt::format("the path of {} cannot be recorded: only emulated and hosted "
                                "targets can, such as nano:ARCH, linux:IMAGE,accel=tcg and hosted:",
                                target.spec().text));
    }
    auto file = MemoryFile::create("trace");
    if (!file) {
        return std::unexpected(file.error());
    }
    const bool steps = by == RecordedBy::single_steps;
    const Recording recording{.workload = wanted.workload,
                              .warm_up = steps ? step_warm_up : plugin_warm_up,
                              .rounds = wanted.rounds.value_or(steps ? step_rounds : plugin_rounds),
                              .fd = file->fd(),
                              .by = by,
                              .progress = wanted.progress};
    if (wanted.booting) {
        wanted.booting();
    }
    auto machine = target.launch({.recording = &recording});
    if (!machine) {
        return std::unexpected(machine.error());
    }
    return steps ? record_by_steps(**machine, recording)
                 : record_by_plugin(*std::move(machine), target, recording);
}

/// Boots the kernel once more, with its code where it was, and asks it.
Result<Symbols> symbols_of_guest(Target& target, const Trace& trace, const Path& path) {
    auto machine = target.launch({.fixed_addresses = true});
    if (!machine) {
        return std::unexpected(machine.error());
    }
    if (auto ready = (*machine)->wait_ready(); !ready) {
        return std::unexpected(ready.error());
    }
    if (const auto read = (*machine)->read_symbols(); !read) {
        return std::unexpected(read.error());
    }
    return ask_symbols(**machine, trace, path);
}

Result<RecordedPath> path_from(Target& target, std::string_view bytes,
                               std::unique_ptr<Symbols> symbols, const Wanted& wanted) {
    auto trace = read_trace(bytes);
    if (!trace) {
        return std::unexpected(trace.error());
    }
    return choose_path(
        *std::move(trace), std::move(symbols), wanted, target.spec().text,
        [&target](const Trace& recorded, const Path& path, Arch arch) {
            return find_symbols(image_of(target), recorded, path, arch,
                                [&target](const Trace& asked, const Path& about) {
                                    return symbols_of_guest(target, asked, about);
                                });
        },
        target.entrance());
}

}  // namespace

bool can_record(const Target& target) {
    return target.can_count() && target.grade() != Grade::simulated;
}

Result<std::string> record_trace(Target& target, const Wanted& wanted) {
    std::vector<std::string> remarks;
    return record_by(choose(target, wanted.recorder, remarks), target, wanted);
}

Result<RecordedPath> path_of_trace(Target& target, std::string_view bytes, const Wanted& wanted) {
    auto symbols = given_symbols(target);
    if (!symbols) {
        return std::unexpected(symbols.error());
    }
    return path_from(target, bytes, *std::move(symbols), wanted);
}

Result<RecordedPath> record_path(Target& target, const Wanted& wanted) {
    // First, since what is wrong with them shall not cost a boot.
    auto symbols = given_symbols(target);
    if (!symbols) {
        return std::unexpected(symbols.error());
    }
    std::vector<std::string> remarks;
    const RecordedBy by = choose(target, wanted.recorder, remarks);
    const auto bytes = record_by(by, target, wanted);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    auto path = path_from(target, *bytes, *std::move(symbols), wanted);
    if (path) {
        path->by = by;
        path->traced.remarks.insert(path->traced.remarks.begin(), remarks.begin(), remarks.end());
    }
    return path;
}

void record_alike(std::span<Result<RecordedPath>* const> paths,
                  const std::function<Result<RecordedPath>(std::size_t)>& by_steps) {
    const auto is_by = [](const Result<RecordedPath>* path, RecordedBy by) {
        return path->has_value() && (*path)->by == by;
    };
    if (std::ranges::none_of(paths, [&](const Result<RecordedPath>* path) {
            return is_by(path, RecordedBy::single_steps);
        })) {
        return;
    }
    for (std::size_t at = 0; at < paths.size(); ++at) {
        if (is_by(paths[at], RecordedBy::plugin)) {
            *paths[at] = by_steps(at);
        }
    }
}

}  // namespace kerntoll::lab::path
