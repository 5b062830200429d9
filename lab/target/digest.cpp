// SPDX-License-Identifier: MIT
#include "lab/target/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace kerntoll::lab {

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
