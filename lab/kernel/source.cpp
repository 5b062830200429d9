// SPDX-License-Identifier: MIT
#include "lab/kernel/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <string_view>

#include "lab/base/cache.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/git.hpp"
#include "lab/kernel/patched.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t enough_digits = 24;
/// Bytes left on a disk that is full: git says that it cannot write a file, and not why.
constexpr std::uintmax_t next_to_nothing = 1U << 20U;

/// Whether make(1) and a shell take a name as it is.
bool is_plain(std::string_view name) {
    return std::ranges::all_of(name, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_./+=,@~-").contains(c);
    });
}

/// Whether a descriptor is still of the file that has this name.
bool is_still(const Fd& file, const fs::path& path) {
    struct stat opened{};
    struct stat named{};
    return fstat(file.get(), &opened) == 0 && stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Result<Fd> wait_for_lock(const fs::path& path, const Say& say) {
    Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file) {
        return std::unexpected(file_error("cannot write", path));
    }
    auto above = above_standard(std::move(file));
    while (above && flock(above->get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return fail(Fault::environment,
                        fmt::format("cannot lock {} ({}), and without that two kerntolls would "
                                    "build in one place; point XDG_CACHE_HOME at a folder of a "
                                    "local file system",
                                    path.string(), std::strerror(errno)));
        }
        say("waiting for another kerntoll that builds from the same tree");
        using namespace std::chrono_literals;
        if (auto waited = wait_for_events({}, Clock::now() + 200ms); !waited) {
            return std::unexpected(waited.error());
        }
    }
    return above;
}

/// The home, made where it is not there, for this program alone.
Result<Fd> take_home(const fs::path& home, const Say& say) {
    for (;;) {
        std::error_code failed;
        fs::create_directories(home / "objects", failed);
        if (failed) {
            return std::unexpected(file_error("cannot make", home, failed));
        }
        auto locked = wait_for_lock(home / "lock", say);
        // Whoever had it may have removed the home, and this file with it.
        if (locked && !is_still(*locked, home / "lock")) {
            continue;
        }
        if (locked) {
            futimens(locked->get(), nullptr);  // how long ago it was used is read from this file
        }
        return locked;
    }
}

/// Attempts of a program that was killed.
void forget_attempts(const fs::path& objects) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(objects, ignored)) {
        if (entry.path().extension() == ".part") {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

/// From a repository of kerntoll's own that borrows the user's objects: neither hooks, filters and
/// attributes nor anything else that is set there decides about the copy's bytes, which the hash of
/// the tree stands for.
Result<void> write_files(const Tree& tree, const fs::path& repository, const fs::path& to) {
    const auto in_tree = [&](std::vector<std::string> words) {
        return git({.folder = tree.path, .words = std::move(words)});
    };
    const auto objects = in_tree({"rev-parse", "--path-format=absolute", "--git-path", "objects"});
    const auto hashes = in_tree({"rev-parse", "--show-object-format"});
    if (!objects || !hashes) {
        return std::unexpected((objects ? hashes : objects).error());
    }
    const auto made =
        git({.folder = to,
             .words = {"init", "--quiet", "--bare",
                       "--template=", "--object-format=" + hashes->substr(0, hashes->find('\n')),
                       repository.string()}});
    if (!made) {
        return std::unexpected(made.error());
    }
    std::error_code failed;
    fs::create_directories(repository / "objects/info", failed);
    if (auto lent = write_file(repository / "objects/info/alternates", *objects, std::ios::trunc);
        !lent) {
        return lent;
    }
    for (const auto& words : {std::vector<std::string>{"read-tree", tree.commit},
                              std::vector<std::string>{"checkout-index", "--all"}}) {
        const auto done = git(
            {.folder = to,
             .words = words,
             .environment = {"GIT_DIR=" + repository.string(), "GIT_WORK_TREE=" + to.string()}});
        if (!done) {
            return std::unexpected(done.error());
        }
    }
    return {};
}

bool is_partial(const Tree& tree) {
    const auto promised = git(
        {.folder = tree.path, .words = {"config", "--get-regexp", R"(^remote\..*\.promisor$)"}});
    return promised && !promised->empty();
}

Result<void> check_out(const Tree& tree, const fs::path& to) {
    const fs::path repository = to.string() + ".git";
    std::error_code ignored;
    fs::remove_all(repository, ignored);
    fs::create_directories(to, ignored);
    auto done = write_files(tree, repository, to);
    fs::remove_all(repository, ignored);
    if (done || done.error().fault != Fault::usage) {
        return done ? Result<void>{} : std::unexpected(done.error());
    }
    std::error_code unknown;
    const fs::space_info space = fs::space(to.parent_path(), unknown);
    if (!unknown && space.available < next_to_nothing) {
        return std::unexpected(
            file_error("cannot copy to", to, std::make_error_code(std::errc::no_space_on_device)));
    }
    return fail(Fault::usage,
                fmt::format("{} cannot be copied: {}{}", tree.path.string(), done.error().message,
                            is_partial(tree)
                                ? fmt::format("; it is a partial clone, and 'git -C {} archive {} "
                                              ">/dev/null' fetches what is missing",
                                              tree.path.string(), tree.commit)
                                : ""));
}

Result<void> copy_plain(const Tree& tree, const fs::path& to) {
    const auto files = list_sources(tree.path, tree.left_out);
    return files ? copy_sources(tree.path, *files, to) : std::unexpected(files.error());
}

using State = std::map<std::string, std::string>;

/// Of a copy when it was made: name, text and NUL in turn.
fs::path state_file(const fs::path& source) {
    return source.string() + ".state";
}

Result<void> remember_state(const fs::path& of, const fs::path& source) {
    const auto state = state_of(of);
    if (!state) {
        return std::unexpected(state.error());
    }
    std::ofstream file(state_file(source), std::ios::binary | std::ios::trunc);
    for (const auto& [name, text] : *state) {
        file << name << '\0' << text << '\0';
    }
    file.close();
    return file ? Result<void>{} : std::unexpected(file_error("cannot write", state_file(source)));
}

State remembered_state(const fs::path& source) {
    State state;
    std::ifstream file(state_file(source), std::ios::binary);
    for (std::string name, text;
         std::getline(file, name, '\0') && std::getline(file, text, '\0');) {
        state.emplace(name, text);
    }
    return state;
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
    if (auto remembered = remember_state(part, to); !remembered) {
        return remembered;
    }
    fs::rename(part, to, failed);
    return failed ? Result<void>(std::unexpected(file_error("cannot copy to", to, failed)))
                  : Result<void>{};
}

}  // namespace

Source::~Source() {
    if (lock_) {
        flock(lock_.get(), LOCK_UN);
    }
}

fs::path kernels_folder() {
    return cache_folder() / "kernels";
}

Result<std::string> Source::written(std::span<const std::string> changed) const {
    auto now = state_of(folder());
    if (!now) {
        return std::unexpected(now.error());
    }
    State made = remembered_state(folder());
    for (const std::string& file : changed) {
        now->erase(file);
        made.erase(file);
    }
    for (const auto& [name, text] : *now) {
        const auto was = made.find(name);
        if (was == made.end() || was->second != text) {
            return name;
        }
    }
    for (const auto& entry : made) {
        if (!now->contains(entry.first)) {
            return entry.first;
        }
    }
    return "";
}

Result<void> Source::discard() const {
    for (const fs::path& what : {folder(), saved(), objects()}) {
        std::error_code failed;
        fs::remove_all(what, failed);
        if (failed) {
            return std::unexpected(file_error("cannot remove", what, failed));
        }
    }
    std::error_code failed;
    fs::create_directories(objects(), failed);
    return failed ? Result<void>(std::unexpected(file_error("cannot make", objects(), failed)))
                  : Result<void>{};
}

Result<Source> Source::open(const Tree& tree, const Say& say) {
    fs::path home = kernels_folder() / "work" / tree.content.substr(0, enough_digits);
    if (!is_plain(home.string())) {
        return fail(
            Fault::environment,
            fmt::format("{} has a character in its name that make(1) or a shell takes for its own "
                        "(a space, a colon, #, $ ...), and Linux's Kbuild works in no such folder; "
                        "point XDG_CACHE_HOME to another one",
                        kernels_folder().string()));
    }
    auto locked = take_home(home, say);
    if (!locked) {
        return std::unexpected(locked.error());
    }
    Source source(std::move(home), *std::move(locked));
    forget_attempts(source.objects());
    if (fs::exists(source.folder())) {
        auto clean = take_off(source.folder(), source.saved());
        if (!clean) {
            return std::unexpected(clean.error());
        }
        const auto written = source.written({});
        if (!written) {
            return std::unexpected(written.error());
        }
        if (!written->empty()) {
            say(fmt::format("{} of the copy is not as it was copied: beginning anew", *written));
            if (auto gone = source.discard(); !gone) {
                return std::unexpected(gone.error());
            }
        }
    }
    if (!fs::exists(source.folder())) {
        say("copying the sources");
        if (auto copied = make_copy(tree, source.folder()); !copied) {
            return std::unexpected(copied.error());
        }
    }
    return source;
}

}  // namespace kerntoll::lab::kernel
