// SPDX-License-Identifier: MIT
#include "lab/kernel/cached.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "lab/kernel/content.hpp"
#include "lab/kernel/source.hpp"
#include "lab/path/symbols_elf.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* config_file = "config";
constexpr const char* vmlinux = "vmlinux";

fs::path folder_of(const std::string& key) {
    return kernels_folder() / "images" / key;
}

std::string digest(const fs::path& file) {
    const std::string bytes = contents(file);
    return sha256_of(std::as_bytes(std::span(bytes)));
}

std::uint64_t code_bytes(const fs::path& file) {
    Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    const auto elf = path::ElfFile::map(std::move(fd));
    return elf ? elf->code_bytes() : 0;
}

/// Says that a kernel is used; nothing where it is not there or being taken away.
std::shared_ptr<const Fd> use(const fs::path& folder) {
    const fs::path file = folder / facts_file;
    Fd facts(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!facts || (flock(facts.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)) {
        return nullptr;
    }
    futimens(facts.get(), nullptr);
    // Between the two calls above it may have been taken away.
    std::error_code gone;
    return fs::exists(file, gone) ? std::make_shared<const Fd>(std::move(facts)) : nullptr;
}

}  // namespace

std::optional<Built> find_built(const std::string& key) {
    const fs::path folder = folder_of(key);
    auto in_use = use(folder);
    if (!in_use) {
        return std::nullopt;
    }
    const json facts = json::parse(contents(folder / facts_file), nullptr, false);
    if (!facts.is_object()) {
        return std::nullopt;
    }
    const auto digests = facts.value("sha256", std::map<std::string, std::string>{});
    const std::string image = facts.value("image", "");
    if (!digests.contains(image) || !digests.contains(config_file)) {
        return std::nullopt;
    }
    // A disk that was full, a hand that tidied up: what is not as it was is built again.
    for (const auto& [name, sha256] : digests) {
        if (digest(folder / name) != sha256) {
            return std::nullopt;
        }
    }
    return Built{.image = folder / image,
                 .image_sha256 = digests.at(image),
                 .code_bytes = facts.value("code_bytes", std::uint64_t{0}),
                 .config_sha256 = digests.at(config_file),
                 .steps = facts.value("steps", std::size_t{0}),
                 .remarks = facts.value("remarks", std::vector<std::string>{}),
                 .cached = true,
                 .in_use = std::move(in_use)};
}

Result<Built> keep_built(const std::string& key, const fs::path& objects, const fs::path& image,
                         const Built& facts) {
    const fs::path folder = folder_of(key);
    if (auto known = find_built(key)) {
        known->cached = false;
        return *std::move(known);
    }
    const fs::path part = fmt::format("{}.{}.part", folder.string(), getpid());
    std::error_code failed;
    fs::remove_all(part, failed);
    fs::create_directories(part, failed);
    Built built = facts;
    built.image = folder / image.filename();
    const std::array<std::pair<fs::path, fs::path>, 4> taken{{{image, image.filename()},
                                                              {vmlinux, vmlinux},
                                                              {"System.map", "System.map"},
                                                              {".config", config_file}}};
    std::map<std::string, std::string> digests;
    for (const auto& [from, to] : taken) {
        if (!failed && (from == image || fs::exists(objects / from))) {
            fs::copy_file(objects / from, part / to, fs::copy_options::overwrite_existing, failed);
            digests[to.string()] = digest(part / to);
        }
    }
    if (!failed) {
        built.image_sha256 = digests[image.filename().string()];
        built.config_sha256 = digests[config_file];
        built.code_bytes = code_bytes(part / vmlinux);
        std::ofstream stream(part / facts_file);
        stream << json{{"image", image.filename().string()},
                       {"sha256", digests},
                       {"code_bytes", built.code_bytes},
                       {"steps", built.steps},
                       {"remarks", built.remarks}}
                      .dump(2)
               << '\n';
        stream.close();
        failed = stream ? std::error_code{} : std::make_error_code(std::errc::no_space_on_device);
    }
    if (!failed) {
        fs::remove_all(folder, failed);
        fs::rename(part, folder, failed);
        built.in_use = use(folder);
    }
    if (failed) {
        std::error_code ignored;
        fs::remove_all(part, ignored);
        return std::unexpected(file_error("cannot keep the kernel in", folder, failed));
    }
    return built;
}

}  // namespace kerntoll::lab::kernel
