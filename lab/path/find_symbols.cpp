// SPDX-License-Identifier: MIT
#include "lab/path/find_symbols.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>
#include <vector>

#include "lab/path/fit.hpp"
#include "lab/path/symbols_elf.hpp"

namespace kerntoll::lab::path {
namespace {

namespace fs = std::filesystem;

bool is_elf(const fs::path& file) {
    std::string start(4, '\0');
    std::ifstream(file, std::ios::binary).read(start.data(), std::ssize(start));
    return ElfFile::is_elf(start);
}

/// Files that may hold an image's symbols, the surest first.
std::vector<fs::path> places_of(const ImageFacts& image) {
    std::vector<fs::path> places;
    if (image.file.empty()) {
        return places;
    }
    if (is_elf(image.file)) {
        places.push_back(image.file);
    }
    std::vector<std::string> names{"vmlinux"};
    if (!image.release.empty()) {
        names.push_back("System.map-" + image.release);
    }
    names.emplace_back("System.map");
    for (const std::string& name : names) {
        const fs::path place = image.file.parent_path() / name;
        std::error_code ignored;
        if (place != image.file && fs::is_regular_file(place, ignored)) {
            places.push_back(place);
        }
    }
    return places;
}

Result<void> check_build_id(const Symbols& symbols, const ImageFacts& image) {
    if (symbols.build_id().empty() || image.build_id.empty() ||
        symbols.build_id() == image.build_id) {
        return {};
    }
    return fail(Fault::usage,
                fmt::format("{} is of another kernel: its build id is {}, and the image's {}; give "
                            "the one that was built with the image",
                            symbols.origin(), symbols.build_id(), image.build_id));
}

}  // namespace

Result<std::unique_ptr<Symbols>> read_symbols(const fs::path& file, const ImageFacts& image) {
    auto symbols = Symbols::read(file);
    if (!symbols) {
        return std::unexpected(symbols.error());
    }
    if (auto same = check_build_id(*symbols, image); !same) {
        return std::unexpected(same.error());
    }
    return std::make_unique<Symbols>(*std::move(symbols));
}

Result<FoundSymbols> find_symbols(const ImageFacts& image, const Trace& trace, const Path& path,
                                  Arch arch, const AskSymbols& ask) {
    FoundSymbols found;
    for (const fs::path& place : places_of(image)) {
        auto symbols = Symbols::read(place);
        if (!symbols) {
            continue;  // a stub, as Debian's own System.map is
        }
        auto same = check_build_id(*symbols, image);
        if (same) {
            same = fit_symbols(*symbols, trace, path, arch);
        }
        if (same) {
            found.symbols = std::make_unique<Symbols>(*std::move(symbols));
            return found;
        }
        found.remarks.push_back(fmt::format("Left out: {}.", same.error().message));
    }
    auto asked = ask(trace, path);
    if (!asked && asked.error().fault == Fault::environment) {
        found.why_none = asked.error().message;
        return found;
    }
    if (!asked) {
        return std::unexpected(asked.error());
    }
    if (auto same = fit_symbols(*asked, trace, path, arch); !same) {
        return std::unexpected(same.error());
    }
    found.symbols = std::make_unique<Symbols>(*std::move(asked));
    found.remarks.push_back(
        fmt::format("Names of functions are those of {}.", found.symbols->origin()));
    return found;
}

}  // namespace kerntoll::lab::path
