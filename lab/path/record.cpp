// SPDX-License-Identifier: MIT
#include "lab/path/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::path {
namespace {

namespace fs = std::filesystem;

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

/// Symbols are looked for in `symbols=FILE`, else beside the image.
Result<std::unique_ptr<Symbols>> find_symbols(const Target& target) {
    const auto given = target.spec().option("symbols");
    std::vector<fs::path> places;
    if (given) {
        places.emplace_back(*given);
    } else {
        const fs::path folder = fs::path(fact(target, "image")).parent_path();
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

/// What kept a machine from being recorded; asked of one that the recorder did not end.
Error trouble_of(Machine& machine, const Recording& recording) {
    if (auto ready = machine.wait_ready(); !ready) {
        return ready.error();
    }
    if (auto ran = machine.run({.workload = recording.workload}, recording.ops()); !ran) {
        return ran.error();
    }
    return {Fault::measurement,
            fmt::format("{} ops of {} make fewer than {} round trips; there is no path to record",
                        recording.ops(), recording.workload, recording.rounds),
            machine.console_tail()};
}

Result<RecordedPath> path_from(const Target& target, std::string_view bytes,
                               std::unique_ptr<Symbols> symbols, const Wanted& wanted) {
    auto trace = read_trace(bytes);
    if (!trace) {
        return std::unexpected(trace.error());
    }
    return choose_path(*std::move(trace), std::move(symbols), wanted, target.spec().text);
}

}  // namespace

Result<std::string> record_trace(Target& target, const Wanted& wanted) {
    if (!target.can_count()) {
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
    const Recording recording{
        .workload = wanted.workload, .rounds = wanted.rounds, .fd = file->fd()};
    auto machine = target.launch({.recording = &recording});
    if (!machine) {
        return std::unexpected(machine.error());
    }
    const Error trouble = trouble_of(**machine, recording);
    std::string bytes = content(file->fd());
    const auto trace = read_trace(bytes);
    if (bytes.empty() || (trace && trace->end == trace_format::End::guest_ended)) {
        return std::unexpected(trouble);
    }
    return bytes;
}

Result<RecordedPath> path_of_trace(const Target& target, std::string_view bytes,
                                   const Wanted& wanted) {
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
    const auto bytes = record_trace(target, wanted);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    return path_from(target, *bytes, *std::move(symbols), wanted);
}

}  // namespace kerntoll::lab::path
