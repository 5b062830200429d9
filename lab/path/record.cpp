// SPDX-License-Identifier: MIT
#include "lab/path/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "lab/path/align.hpp"
#include "lab/path/guest_symbols.hpp"
#include "lab/path/symbols_elf.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::path {
namespace {

namespace fs = std::filesystem;

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

bool is_elf(const fs::path& file) {
    std::string start(4, '\0');
    std::ifstream(file, std::ios::binary).read(start.data(), std::ssize(start));
    return ElfFile::is_elf(start);
}

/// Symbols are looked for in `symbols=FILE`, else in the image where it is a vmlinux, else beside
/// it.
Result<std::unique_ptr<Symbols>> find_symbols(const Target& target) {
    const auto given = target.spec().option("symbols");
    std::vector<fs::path> places;
    if (given) {
        places.emplace_back(*given);
    } else {
        const fs::path image = fact(target, "image");
        const fs::path folder = image.parent_path();
        if (is_elf(image)) {
            places.push_back(image);
        }
        for (const std::string& name : {std::string("vmlinux"), std::string("System.map"),
                                        "System.map-" + fact(target, "kernel_release")}) {
            std::error_code ignored;
            if (fs::is_regular_file(folder / name, ignored)) {
                places.push_back(folder / name);
            }
        }
    }
    const std::string build_id = fact(target, "kernel_build_id");
    for (const fs::path& place : places) {
        auto symbols = Symbols::read(place);
        if (!symbols) {
            if (given) {
                return std::unexpected(symbols.error());
            }
            continue;  // a stub, as Debian's own System.map is
        }
        if (!symbols->build_id().empty() && !build_id.empty() && symbols->build_id() != build_id) {
            if (given) {
                return fail(Fault::usage,
                            fmt::format("{} is of another kernel: its build id is {}, and the "
                                        "image's {}; give the one that was built with the image",
                                        place.string(), symbols->build_id(), build_id));
            }
            continue;
        }
        return std::make_unique<Symbols>(*std::move(symbols));
    }
    return nullptr;
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
        return fail(
            Fault::usage,
            fmt::format("the path of {} cannot be recorded: only emulated targets can, such "
                        "as linux:IMAGE,accel=tcg",
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
    return choose_path(*std::move(trace), std::move(symbols), wanted, target.spec().text,
                       [&target](const Trace& recorded, const Path& path) {
                           return symbols_of_guest(target, recorded, path);
                       });
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
    auto symbols = find_symbols(target);
    if (!symbols) {
        return std::unexpected(symbols.error());
    }
    return path_from(target, bytes, *std::move(symbols), wanted);
}

Result<RecordedPath> record_path(Target& target, const Wanted& wanted) {
    // First, since what is wrong with them shall not cost a boot.
    auto symbols = find_symbols(target);
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

}  // namespace kerntoll::lab::path
