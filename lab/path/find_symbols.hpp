// SPDX-License-Identifier: MIT
// Where the symbols of a recorded kernel are looked for (docs/path.md has the order).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "lab/path/choice.hpp"
#include "lab/path/symbols.hpp"

namespace kerntoll::lab::path {

/// The image that was booted, as far as it tells which symbols are its own.
struct ImageFacts {
    std::filesystem::path file;
    std::string release;   ///< "6.12.0"; empty where unknown
    std::string build_id;  ///< hexadecimal digits; empty where unknown
};

/// Reads the symbols that were given with an image. Fails as Symbols::read() does, and with
/// Fault::usage where their build id is not the image's.
[[nodiscard]] Result<std::unique_ptr<Symbols>> read_symbols(const std::filesystem::path& file,
                                                            const ImageFacts& image);

/// Asks the kernel that executed a path for the names of its functions. Fault::environment, in a
/// sentence, where it cannot be asked.
using AskSymbols = std::function<Result<Symbols>(const Trace&, const Path&)>;

/// Looks in the image where it is a vmlinux, beside it, and asks the guest at last. What lies there
/// and is another kernel's is left out, and a remark names it. Fails as `ask` does, unless that is
/// Fault::environment, and where the guest's own do not fit.
[[nodiscard]] Result<FoundSymbols> find_symbols(const ImageFacts& image, const Trace& trace,
                                                const Path& path, Arch arch, const AskSymbols& ask);

}  // namespace kerntoll::lab::path
