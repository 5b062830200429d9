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
        if (errno == EPIPE) {
            return {};  // whoever reads it (head, a pager) has read enough
        }
        return lab::fail(
            lab::Fault::environment,
            fmt::format("the answer could not be written to the output: {}", std::strerror(errno)));
    }
    return {};
}

void tell(std::string_view text) {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

void print_error(const lab::Error& error) {
    print_note(error.message);
    if (!error.console.empty()) {
        print_note("the last lines of its console:");
        for (const std::string& line : error.console) {
            tell(fmt::format("  | {}\n", line));
        }
    }
}

void print_note(std::string_view text) {
    tell(fmt::format("kerntoll: {}\n", text));
}

}  // namespace kerntoll::cli
