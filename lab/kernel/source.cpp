// SPDX-License-Identifier: MIT
#include "lab/kernel/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <span>

#include "lab/base/cache.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/git.hpp"
#include "lab/kernel/patched.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t enough_digits = 24;
/// A copy and its objects that nobody has used for so long are not missed.
constexpr std::chrono::hours kept{24 * 14};

Result<Fd> lock(const fs::path& home, const Say& say) {
    const fs::path path = home / "lock";
    Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) {
        return std::unexpected(file_error("cannot write", path));
    }
    auto above = above_standard(std::move(file));
    bool told = false;
    while (above && flock(above->get(), LOCK_EX | LOCK_NB) != 0) {
        if (!told) {
            say("waiting for another kerntoll that builds from the same tree");
            told = true;
        }
        using namespace std::chrono_literals;
        if (auto waited = wait_for_events({}, Clock::now() + 200ms); !waited) {
            return std::unexpected(waited.error());
        }
    }
    // How long ago it was used is read from this file.
    if (above) {
        futimens(above->get(), nullptr);
    }
    return above;
}

Result<void> check_out(const Tree& tree, const fs::path& to) {
    const fs::path index = to.string() + ".index";
    const GitCall read{.folder = tree.path,
                       .words = {"read-tree", tree.commit},
                       .environment = {"GIT_INDEX_FILE=" + index.string()}};
    const GitCall write{.folder = tree.path,
                        .words = {"checkout-index", "--all", "--prefix=" + to.string() + "/"},
                        .environment = read.environment};
    std::error_code ignored;
    fs::remove(index, ignored);
    auto done = git(read);
    if (done) {
        done = git(write);
    }
    fs::remove(index, ignored);
    if (done) {
        return {};
    }
    if (done.error().message.contains("No space left")) {
        return std::unexpected(
            file_error("cannot copy to", to, std::make_error_code(std::errc::no_space_on_device)));
    }
    return fail(done.error().fault,
                fmt::format("{} cannot be copied: {}", tree.path.string(), done.error().message));
}

Result<void> copy_plain(const Tree& tree, const fs::path& to) {
    const auto files = list_sources(tree.path);
    return files ? copy_sources(tree.path, *files, to) : std::unexpected(files.error());
}

/// Under another name first: a copy that was cut short must not be taken for one.
Result<void> make_copy(const Tree& tree, const fs::path& to) {
    const fs::path part = to.string() + ".part";
    std::error_code failed;
    fs::remove_all(part, failed);
    if (auto copied = tree.is_git() ? check_out(tree, part) : copy_plain(tree, part); !copied) {
        fs::remove_all(part, failed);
        return copied;
    }
    fs::rename(part, to, failed);
    return failed ? Result<void>(std::unexpected(file_error("cannot copy to", to, failed)))
                  : Result<void>{};
}

/// Copies of trees that nobody asks for any more.
void forget_old(const fs::path& work, const fs::path& mine) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(work, ignored)) {
        const fs::path file = entry.path() / "lock";
        const auto used = fs::last_write_time(file, ignored);
        if (ignored || entry.path() == mine || fs::file_time_type::clock::now() - used < kept) {
            continue;
        }
        const Fd held(open(file.c_str(), O_RDWR | O_CLOEXEC));
        if (held && flock(held.get(), LOCK_EX | LOCK_NB) == 0) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace

fs::path kernels_folder() {
    return cache_folder() / "kernels";
}

Result<Source> Source::open(const Tree& tree, const Say& say) {
    const fs::path work = kernels_folder() / "work";
    fs::path home = work / tree.content.substr(0, enough_digits);
    std::error_code failed;
    fs::create_directories(home / "objects", failed);
    if (failed) {
        return std::unexpected(file_error("cannot make", home, failed));
    }
    auto locked = lock(home, say);
    if (!locked) {
        return std::unexpected(locked.error());
    }
    forget_old(work, home);
    Source source(std::move(home), *std::move(locked));
    if (!fs::exists(source.folder())) {
        say("copying the sources");
        if (auto copied = make_copy(tree, source.folder()); !copied) {
            return std::unexpected(copied.error());
        }
    }
    if (auto clean = take_off(source.folder(), source.saved()); !clean) {
        return std::unexpected(clean.error());
    }
    return source;
}

}  // namespace kerntoll::lab::kernel
