// SPDX-License-Identifier: MIT
#include "lab/target/files.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <iterator>

#include "lab/target/agent_path.hpp"

namespace kerntoll::lab {

Result<std::string> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file || bytes.empty()) {
        return fail(Fault::environment, fmt::format("cannot read {}, or it is empty",
                                                    path.string()));
    }
    return bytes;
}

Result<std::string> read_agent(Arch arch) {
    const auto agent = agent_path(arch);
    return agent ? read_file(*agent) : std::unexpected(agent.error());
}

std::string sha256_of(std::span<const std::byte> bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
        text += fmt::format("{:02x}", digest[i]);
    }
    return text;
}

}  // namespace kerntoll::lab
