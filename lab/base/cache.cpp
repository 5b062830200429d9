// SPDX-License-Identifier: MIT
#include "lab/base/cache.hpp"

#include <cstdlib>

namespace kerntoll::lab {

namespace fs = std::filesystem;

fs::path cache_folder() {
    if (const char* given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given == '/') {
        return fs::path(given) / "kerntoll";
    }
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr && *home == '/' ? home : "/tmp") / ".cache" / "kerntoll";
}

}  // namespace kerntoll::lab
