// SPDX-License-Identifier: MIT
#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace kerntoll::cli {
namespace {

constexpr std::size_t usual_columns = 100;

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
}

}  // namespace

bool is_terminal(int descriptor) {
    return isatty(descriptor) == 1 && environment("TERM") != "dumb";
}

bool may_colour(int descriptor) {
    return is_terminal(descriptor) && environment("NO_COLOR").empty();
}

std::size_t columns(int descriptor) {
    winsize size{};
    if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return usual_columns;
}

}  // namespace kerntoll::cli
