// SPDX-License-Identifier: MIT
// The one way in which lab code fails: a value that carries a sentence for the user.
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace kerntoll::lab {

/// What kind of trouble an Error is; decides the exit code and nothing else.
enum class Fault {
    usage,        ///< the user asked for something that cannot be: exit 2
    environment,  ///< the machine lacks something that the request needs: exit 2
    measurement,  ///< a target failed while it was brought up or measured: exit 3
    store,        ///< the results file cannot be read or written: exit 3 while measuring, else 2
    interrupted,  ///< Ctrl-C, SIGTERM, SIGHUP: exit 3, everything measured so far is kept
};

/// One fault: a clear sentence (what was given, what was expected, what to do), and the last lines
/// of the target's console where there is one.
struct Error {
    Fault fault = Fault::measurement;
    std::string message;
    std::vector<std::string> console = {};
};

template <class T>
using Result = std::expected<T, Error>;

/// Shorthand for `return fail(Fault::usage, "...")`.
[[nodiscard]] inline std::unexpected<Error> fail(Fault fault, std::string message) {
    return std::unexpected(Error{fault, std::move(message), {}});
}

}  // namespace kerntoll::lab
