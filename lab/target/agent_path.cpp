// SPDX-License-Identifier: MIT
#include "lab/target/agent_path.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <vector>

namespace kerntoll::lab {

namespace {

std::vector<std::filesystem::path> agent_directories() {
    if (const char* given = std::getenv("KERNTOLL_AGENT_DIR"); given != nullptr && *given != '\0') {
        return {given};
    }
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    // The build tree's programs lie one (cli/) or two (tests/target/) folders below its root.
    return {here, here.parent_path() / "libexec" / "kerntoll", here / "agent",
            here.parent_path() / "agent", here.parent_path().parent_path() / "agent"};
}

}  // namespace

Result<std::filesystem::path> agent_path(Arch arch) {
    const std::string file = fmt::format("kerntoll-agent-{}", name(arch));
    const auto directories = agent_directories();
    for (const auto& directory : directories) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(directory / file, ignored)) {
            return directory / file;
        }
    }
    return fail(Fault::environment,
                fmt::format("the agent {} is missing (looked in {} and other places); build it, or "
                            "set KERNTOLL_AGENT_DIR to the folder that holds it",
                            file, directories.front().string()));
}

std::optional<Arch> host_arch() {
    utsname system{};
    return uname(&system) == 0 ? arch_from_name(system.machine) : std::nullopt;
}

}  // namespace kerntoll::lab
