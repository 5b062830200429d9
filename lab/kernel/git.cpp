// SPDX-License-Identifier: MIT
#include "lab/kernel/git.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "lab/base/subprocess.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/environment.hpp"
#include "lab/kernel/source.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// Checking a kernel out on a slow and busy disk.
constexpr std::chrono::minutes longest{30};

Result<Fd> memory(const char* name) {
    Fd file(memfd_create(name, MFD_CLOEXEC));
    if (!file) {
        return fail(Fault::environment,
                    fmt::format("cannot hold git's answer: {}", strerror(errno)));
    }
    return above_standard(std::move(file));
}

std::string contents(const Fd& file) {
    std::string text;
    std::array<char, 65536> part{};
    off_t at = 0;
    for (ssize_t size = 0; (size = pread(file.get(), part.data(), part.size(), at)) > 0;
         at += size) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
}

/// git's words without its own marks, on one line.
std::string one_line(const std::string& text) {
    std::string all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        for (const std::string_view mark : {"error: ", "fatal: "}) {
            if (line.starts_with(mark)) {
                line.erase(0, mark.size());
            }
        }
        all += (all.empty() ? "" : "; ") + line;
    }
    return all;
}

}  // namespace

Result<std::string> git(const GitCall& call) {
    auto output = memory("output");
    auto errors = memory("errors");
    if (!output || !errors) {
        return std::unexpected((output ? errors : output).error());
    }
    if (!call.standard_output.empty()) {
        Fd file(open(call.standard_output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!file) {
            return fail(
                Fault::environment,
                fmt::format("cannot write {}: {}", call.standard_output.string(), strerror(errno)));
        }
        output = above_standard(std::move(file));
        if (!output) {
            return std::unexpected(output.error());
        }
    }
    // The tree may belong to somebody else, and is only read. GIT_NO_LAZY_FETCH came with 2.44;
    // before that it is the lack of any protocol that keeps git from fetching.
    SpawnPlan plan;
    plan.argv = in_own_environment();
    plan.argv.insert(plan.argv.end(), {"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
                                       "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1"});
    if (call.settings == GitSettings::ours) {
        plan.argv.insert(plan.argv.end(), {"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
                                           "GIT_ATTR_NOSYSTEM=1"});
    } else if (const char* folder = std::getenv("XDG_CONFIG_HOME")) {
        plan.argv.push_back(std::string("XDG_CONFIG_HOME=") + folder);
    }
    plan.argv.insert(plan.argv.end(), call.environment.begin(), call.environment.end());
    plan.argv.insert(plan.argv.end(),
                     {"git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c",
                      "core.hooksPath=/dev/null", "-C", call.folder.string()});
    plan.argv.insert(plan.argv.end(), call.words.begin(), call.words.end());
    plan.standard_output = output->get();
    plan.standard_error = errors->get();
    auto child = Subprocess::spawn(plan);
    if (!child) {
        return std::unexpected(child.error());
    }
    auto status = child->wait(longest);
    if (!status) {
        return std::unexpected(status.error());
    }
    const std::string said = one_line(contents(*errors));
    if (!*status) {
        return fail(Fault::environment, fmt::format("git {} did not end within {} minutes",
                                                    call.words.front(), longest.count()));
    }
    if ((*status)->code == 127) {
        return fail(Fault::environment, "git is not installed; install Debian's package git");
    }
    if ((*status)->code != 0) {
        if (said.contains("No space left") || said.contains("Disk quota exceeded")) {
            return std::unexpected(
                file_error(fmt::format("git {} cannot write into", call.words.front()),
                           kernels_folder(), std::make_error_code(std::errc::no_space_on_device)));
        }
        return fail(Fault::usage, said.empty() ? fmt::format("git {} {}", call.words.front(),
                                                             (*status)->sentence())
                                               : said);
    }
    return call.standard_output.empty() ? contents(*output) : std::string{};
}

}  // namespace kerntoll::lab::kernel
