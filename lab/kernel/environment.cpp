// SPDX-License-Identifier: MIT
#include "lab/kernel/environment.hpp"

#include <cstdlib>

namespace kerntoll::lab::kernel {

std::vector<std::string> in_own_environment() {
    std::vector<std::string> words{"env", "-i"};
    for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
        if (const char* value = std::getenv(name)) {
            words.push_back(std::string(name) + "=" + value);
        }
    }
    words.emplace_back("LC_ALL=C");
    return words;
}

}  // namespace kerntoll::lab::kernel
