// SPDX-License-Identifier: MIT
#include "lab/path/symbols.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <utility>

#include "lab/base/fd.hpp"
#include "lab/path/symbols_dwarf.hpp"
#include "lab/path/symbols_elf.hpp"
#include "lab/path/symbols_table.hpp"
#include "lab/path/symbols_text.hpp"

namespace kerntoll::lab::path {
namespace {

/// What is wrong with a file, to be put behind its name.
template <class T>
using OrTrouble = std::expected<T, std::string>;

// kallsyms of a distribution's kernel, with many modules, has 15 MiB.
constexpr std::size_t largest_text = 64U << 20U;

/// All that a file says of symbols.
struct Content {
    Table table;
    std::string build_id;
    store::ImageSizes image;
    std::optional<ElfFile> elf;
    std::optional<DebugInfo> debug;  ///< of `elf`
};

OrTrouble<Content> content_of(OrTrouble<std::vector<Label>> labels) {
    if (!labels) {
        return std::unexpected(labels.error());
    }
    Content content;
    content.image.labels = size_between(*labels);
    content.table = arrange(*std::move(labels));
    if (content.table.functions.empty()) {
        return std::unexpected("holds no symbol of code");
    }
    return content;
}

OrTrouble<Content> content_of(OrTrouble<ElfFile> elf) {
    if (!elf) {
        return std::unexpected(elf.error());
    }
    auto content = content_of(elf->labels());
    if (content) {
        content->build_id = elf->build_id();
        content->image = elf->sizes();
        content->debug.emplace(elf->handle());
        content->elf = *std::move(elf);
    }
    return content;
}

/// At most `size` bytes from where the file stands.
OrTrouble<std::string> read_bytes(const Fd& fd, std::size_t size) {
    std::string bytes;
    std::array<char, 1U << 16U> buffer{};
    while (bytes.size() < size) {
        const ssize_t count =
            ::read(fd.get(), buffer.data(), std::min(buffer.size(), size - bytes.size()));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return std::unexpected(fmt::format("cannot be read ({})", std::strerror(errno)));
        }
        if (count == 0) {
            break;
        }
        bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return bytes;
}

OrTrouble<Content> read_content(const std::filesystem::path& file) {
    // O_NONBLOCK: a pipe without a writer must not hang the lab. It changes nothing for files.
    Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!fd || fstat(fd.get(), &status) != 0) {
        return std::unexpected(fmt::format("cannot be read ({})", std::strerror(errno)));
    }
    if (!S_ISREG(status.st_mode)) {
        return std::unexpected(S_ISDIR(status.st_mode) ? "is a directory" : "is no regular file");
    }
    std::array<char, 4> start{};
    const ssize_t count = pread(fd.get(), start.data(), start.size(), 0);
    if (count == ssize_t{start.size()} && ElfFile::is_elf({start.data(), start.size()})) {
        return content_of(ElfFile::map(std::move(fd)));
    }
    const auto bytes = read_bytes(fd, largest_text + 1);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    if (bytes->size() > largest_text) {
        return std::unexpected("holds no symbols: it is larger than 64 MiB and no ELF file");
    }
    return content_of(read_text(*bytes));
}

std::unexpected<Error> fail_usage(std::string_view name, std::string_view trouble) {
    return fail(Fault::usage, fmt::format("\"{}\" {}; expected a kernel's System.map, its vmlinux "
                                          "or what root reads from /proc/kallsyms",
                                          name, trouble));
}

}  // namespace

struct Symbols::Data {
    Content content;
    std::uint64_t slide = 0;
};

Symbols::Symbols(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Symbols::Symbols(Symbols&&) noexcept = default;
Symbols& Symbols::operator=(Symbols&&) noexcept = default;
Symbols::~Symbols() = default;

Result<Symbols> Symbols::read(const std::filesystem::path& file) {
    auto content = read_content(file);
    if (!content) {
        return fail_usage(file.string(), content.error());
    }
    return Symbols(std::make_unique<Data>(*std::move(content)));
}

Result<Symbols> Symbols::parse(std::string_view bytes, std::string_view name) {
    auto content =
        ElfFile::is_elf(bytes) ? content_of(ElfFile::copy(bytes)) : content_of(read_text(bytes));
    if (!content) {
        return fail_usage(name, content.error());
    }
    return Symbols(std::make_unique<Data>(*std::move(content)));
}

Symbols Symbols::of(std::vector<Label> labels) {
    auto data = std::make_unique<Data>();
    data->content.table = arrange(std::move(labels));
    return Symbols(std::move(data));
}

void Symbols::slide(std::uint64_t by) {
    data_->slide = by;
}

std::uint64_t Symbols::slide() const {
    return data_->slide;
}

const Function* Symbols::function_at(std::uint64_t address) const {
    const std::uint64_t linked = address - data_->slide;
    const auto behind = std::ranges::upper_bound(functions(), linked, {}, &Function::start);
    if (behind == functions().begin() || std::prev(behind)->end <= linked) {
        return nullptr;
    }
    return &*std::prev(behind);
}

std::optional<Place> Symbols::at(std::uint64_t address) const {
    const std::uint64_t linked = address - data_->slide;
    const Function* const function = function_at(address);
    if (function == nullptr) {
        return std::nullopt;
    }
    Place place;
    place.function = function;
    if (std::optional<DebugInfo>& debug = data_->content.debug) {
        DebugInfo::Found found = debug->at(linked);
        place.inlined = std::move(found.inlined);
        place.source = std::move(found.source);
    }
    return place;
}

const Function* Symbols::find(std::string_view name) const {
    const auto& names = data_->content.table.names;
    const auto found = names.find(name);
    return found != names.end() ? &functions()[found->second] : nullptr;
}

const std::string& Symbols::build_id() const {
    return data_->content.build_id;
}

std::span<const Function> Symbols::functions() const {
    return data_->content.table.functions;
}

const store::ImageSizes& Symbols::image() const {
    return data_->content.image;
}

}  // namespace kerntoll::lab::path
