// SPDX-License-Identifier: MIT
#include "lab/target/files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "lab/target/agent_path.hpp"

namespace kerntoll::lab {

Result<std::string> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file || bytes.empty()) {
        return fail(Fault::environment,
                    fmt::format("cannot read {}, or it is empty", path.string()));
    }
    return bytes;
}

Result<std::string> read_agent(Arch arch) {
    const auto agent = agent_path(arch);
    return agent ? read_file(*agent) : std::unexpected(agent.error());
}

}  // namespace kerntoll::lab
