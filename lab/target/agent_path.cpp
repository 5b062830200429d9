// SPDX-License-Identifier: MIT
#include "lab/target/agent_path.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <vector>

namespace kerntoll::lab {

namespace {

/// Where the files lie that kerntoll brings along: in the folder that `variable` names, else beside
/// the program, where it is installed, or in the build tree's `folder`.
std::vector<std::filesystem::path> directories(const char* variable, std::string_view folder) {
    if (const char* given = std::getenv(variable); given != nullptr && *given != '\0') {
        return {given};
    }
    std::error_code ignored;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    // The build tree's programs lie one (cli/) or two (tests/target/) folders below its root.
    return {here, here.parent_path() / "libexec" / "kerntoll", here / folder,
            here.parent_path() / folder, here.parent_path().parent_path() / folder};
}

Result<std::filesystem::path> companion(const std::string& file, std::string_view what,
                                        const char* variable, std::string_view folder) {
    const auto places = directories(variable, folder);
    for (const auto& directory : places) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(directory / file, ignored)) {
            return directory / file;
        }
    }
    return fail(Fault::environment,
                fmt::format("the {} {} is missing (looked in {} and other places); build it, or "
                            "set {} to the folder that holds it",
                            what, file, places.front().string(), variable));
}

}  // namespace

Result<std::filesystem::path> agent_path(Arch arch) {
    return companion(fmt::format("kerntoll-agent-{}", name(arch)), "agent", "KERNTOLL_AGENT_DIR",
                     "agent");
}

Result<std::filesystem::path> recorder_path(const QemuVersion& qemu) {
    constexpr QemuVersion second_interface{9, 0};
    return companion(fmt::format("kerntoll-recorder-v{}.so", qemu < second_interface ? 1 : 2),
                     "recorder", "KERNTOLL_RECORDER_DIR", "recorder");
}

Result<std::filesystem::path> nano_build_path() {
    return companion("nano/build", "program", "KERNTOLL_SOURCE_DIR", "source");
}

std::optional<Arch> host_arch() {
    utsname system{};
    return uname(&system) == 0 ? arch_from_name(system.machine) : std::nullopt;
}

}  // namespace kerntoll::lab
