// SPDX-License-Identifier: MIT
#include "lab/kernel/make.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "lab/base/interrupt.hpp"
#include "lab/base/subprocess.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/environment.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

/// A large configuration on a small and busy machine.
constexpr std::chrono::hours longest{6};

/// Lines around an error that help to understand it.
constexpr std::size_t shown_lines = 6;

/// Kept of the output in memory: more than that is in the log.
constexpr std::size_t most_kept = 16U << 20U;

constexpr std::array<std::string_view, 5> reproducible{
    "KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 2026", "KBUILD_BUILD_USER=kerntoll",
    "KBUILD_BUILD_HOST=kerntoll", "KBUILD_BUILD_VERSION=1", "LOCALVERSION="};

std::vector<std::string> command_of(const MakeCall& call) {
    std::vector<std::string> argv = in_own_environment();
    // Scripts of the build leave nothing compiled beside them, in the sources.
    argv.insert(argv.end(), {"PYTHONDONTWRITEBYTECODE=1", "make", "-C", call.source.string(),
                             "O=" + call.objects.string(), fmt::format("-j{}", call.jobs)});
    argv.insert(argv.end(), reproducible.begin(), reproducible.end());
    argv.insert(argv.end(), call.words.begin(), call.words.end());
    return argv;
}

/// Kbuild announces a step as two spaces, a word in capitals, spaces and a file.
bool announces(std::string_view line, std::string& step) {
    if (!line.starts_with("  ") || line.size() < 4 || std::isupper(line[2]) == 0) {
        return false;
    }
    line.remove_prefix(2);
    const auto space = line.find(' ');
    if (space == std::string_view::npos) {
        return false;
    }
    const auto file = line.find_first_not_of(' ', space);
    if (file == std::string_view::npos) {
        return false;
    }
    step = fmt::format("{} {}", line.substr(0, space), line.substr(file));
    return true;
}

/// Bytes that are left on a disk that nothing can be built on.
constexpr std::uintmax_t nearly_full = 1U << 20U;

/// How gcc's driver, clang's, collect2, and make say that a program got SIGKILL.
constexpr std::array<std::string_view, 5> signs_of_a_kill{
    "Killed signal terminated program", "unable to execute command: Killed",
    "terminated with signal 9", "] Killed", "] Error 137"};

/// How a shell says that a program is missing.
constexpr std::string_view not_found = ": not found";

bool says_error(std::string_view line) {
    return line.contains(": error: ") || line.contains(": fatal error: ") ||
           line.contains(": Error: ") || line.contains("undefined reference to") ||
           line.contains("undefined symbol: ") || line.contains("relocation truncated to fit") ||
           line.contains("multiple definition of") || line.ends_with(not_found) ||
           line.contains("***");
}

/// Reads what make prints, as it prints it.
class Watch {
public:
    explicit Watch(const MakeCall& call) : call_(call), log_(call.log, std::ios::app) {}

    void take(std::string_view text) {
        log_ << text;
        if (output_.size() < most_kept) {
            output_ += text;
        }
        for (const char c : text) {
            if (c != '\n') {
                line_ += c;
                continue;
            }
            if (announces(line_, at_.step)) {
                ++at_.steps;
                if (call_.progress) {
                    call_.progress(at_);
                }
            }
            line_.clear();
        }
    }
    [[nodiscard]] std::size_t steps() const { return at_.steps; }

    [[nodiscard]] Error failure(const ExitStatus& status) const {
        if (output_.contains("No space left on device") ||
            output_.contains("Disk quota exceeded")) {
            return disk_error();
        }
        if (const auto killed = std::ranges::find_if(
                signs_of_a_kill, [&](std::string_view sign) { return output_.contains(sign); });
            killed != signs_of_a_kill.end()) {
            return {
                Fault::environment,
                fmt::format("{} cannot be built: a compiler or linker was killed, as Linux does "
                            "where memory runs out; give it more memory, or fewer jobs (-j1); "
                            "the whole log is {}",
                            call_.what, call_.log.string()),
                {}};
        }
        if (status.code == 127) {
            return {Fault::environment, "make is not installed; install Debian's package make", {}};
        }
        const std::string output = without_folder(output_);
        const std::string error = first_error(output);
        Error told{
            Fault::measurement,
            fmt::format("{} does not build: {}; the whole log is {}", call_.what,
                        error.empty() ? "make " + status.sentence() : error, call_.log.string()),
            {}};
        if (error.ends_with(not_found)) {
            told.fault = Fault::environment;
            told.message +=
                "; Linux's build needs Debian's packages flex, bison, bc, libelf-dev "
                "and libssl-dev";
        }
        const auto at = error.empty() ? std::string::npos : output.find(error);
        for (std::size_t begin = at; begin < output.size() && told.console.size() < shown_lines;) {
            const auto end = std::min(output.find('\n', begin), output.size());
            told.console.push_back(output.substr(begin, end - begin));
            begin = end + 1;
        }
        return told;
    }

private:
    /// Compilers take their temporary files away, so that a disk that was full need not be any
    /// more.
    [[nodiscard]] Error disk_error() const {
        std::error_code unknown;
        Error told = file_error("cannot build in", call_.objects,
                                std::make_error_code(std::errc::no_space_on_device));
        const fs::path temporary = fs::temp_directory_path(unknown);
        if (!unknown && fs::space(call_.objects, unknown).available >= nearly_full && !unknown) {
            told.message += fmt::format(
                "; there is space now, so it may be {}, where compilers put their files (TMPDIR)",
                temporary.string());
        }
        return told;
    }

    /// What make prints, with the files named as in the tree: the copy's path tells nobody
    /// anything.
    [[nodiscard]] std::string without_folder(std::string text) const {
        const std::string folder = call_.source.string() + "/";
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
            text.erase(at, folder.size());
        }
        return text;
    }

    const MakeCall& call_;
    std::ofstream log_;
    std::string output_;
    std::string line_;
    MakeProgress at_;
};

}  // namespace

std::string first_error(std::string_view output) {
    std::string_view by_shell;
    std::string_view by_make;
    while (!output.empty()) {
        const auto end = output.find('\n');
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
        if (!says_error(line)) {
            continue;
        }
        // make's own line comes after the compiler's, unless another job's came first; and a shell
        // also misses programs that the build can do without.
        if (line.starts_with("make")) {
            by_make = by_make.empty() ? line : by_make;
        } else if (line.ends_with(not_found)) {
            by_shell = by_shell.empty() ? line : by_shell;
        } else {
            return std::string(line);
        }
    }
    return std::string(by_shell.empty() ? by_make : by_shell);
}

std::span<const std::string_view> reproducible_variables() {
    return reproducible;
}

Result<std::size_t> run_make(const MakeCall& call) {
    auto pipe = make_pipe();
    if (!pipe) {
        return std::unexpected(pipe.error());
    }
    SpawnPlan plan;
    plan.argv = command_of(call);
    plan.standard_output = pipe->second.get();
    plan.standard_error = pipe->second.get();
    if (call.lock >= 0) {
        plan.inherited = {call.lock};
    }
    const Deadline deadline = Clock::now() + longest;
    auto child = Subprocess::spawn(plan);
    if (!child) {
        return std::unexpected(child.error());
    }
    pipe->second.reset();
    Watch watch(call);
    // What ends this loop early ends make, and with it its whole process group.
    for (;;) {
        std::array watched{pollfd{pipe->first.get(), POLLIN, 0}};
        auto ready = wait_for_events(watched, deadline);
        if (!ready) {
            return std::unexpected(ready.error());
        }
        if (*ready == 0) {
            return fail(Fault::measurement, fmt::format("{} was not built within {} hours",
                                                        call.what, longest.count()));
        }
        std::array<char, 65536> part{};
        const ssize_t got = read(pipe->first.get(), part.data(), part.size());
        if (got <= 0) {
            break;
        }
        watch.take({part.data(), static_cast<std::size_t>(got)});
    }
    auto status =
        child->wait(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    if (!status) {
        return std::unexpected(status.error());
    }
    const ExitStatus ended = status->value_or(ExitStatus{});
    if (ended.code != 0) {
        return std::unexpected(watch.failure(ended));
    }
    return watch.steps();
}

}  // namespace kerntoll::lab::kernel
