// SPDX-License-Identifier: MIT
#include "cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kerntoll::cli {

lab::Result<void> print_answer(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        return lab::fail(
            lab::Fault::environment,
            fmt::format("the answer could not be written to the output: {}", std::strerror(errno)));
    }
    return {};
}

void print_error(const lab::Error& error) {
    fmt::print(stderr, "kerntoll: {}\n", error.message);
    if (!error.console.empty()) {
        fmt::print(stderr, "kerntoll: the last lines of its console:\n");
        for (const std::string& line : error.console) {
            fmt::print(stderr, "  | {}\n", line);
        }
    }
}

void print_note(std::string_view text) {
    fmt::print(stderr, "kerntoll: {}\n", text);
}

}  // namespace kerntoll::cli
