// SPDX-License-Identifier: MIT
#include "lab/kernel/patched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "lab/kernel/content.hpp"
#include "lab/kernel/git.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

/// Saved originals lie under files/, and the list names all that is changed, new files too, with a
/// NUL behind each: a file's name may have any other character in it.
fs::path list_of(const fs::path& saved) {
    return saved / "list";
}
fs::path original(const fs::path& saved, const std::string& file) {
    return saved / "files" / file;
}

std::vector<std::string> listed(const fs::path& saved) {
    std::vector<std::string> files;
    std::ifstream list(list_of(saved), std::ios::binary);
    for (std::string file; std::getline(list, file, '\0');) {
        files.push_back(file);
    }
    return files;
}

/// Whether there is anything but a folder, whose files are listed each by itself.
bool is_file(const fs::path& path) {
    std::error_code ignored;
    const auto status = fs::symlink_status(path, ignored);
    return fs::exists(status) && !fs::is_directory(status);
}

/// Copies a file or link with its time.
Result<void> copy_with_time(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::create_directories(to.parent_path(), failed);
    fs::copy(from, to, fs::copy_options::copy_symlinks, failed);
    if (!failed && !fs::is_symlink(fs::symlink_status(from))) {
        fs::last_write_time(to, fs::last_write_time(from, failed), failed);
    }
    return failed ? Result<void>(std::unexpected(file_error("cannot copy to", to, failed)))
                  : Result<void>{};
}

Result<void> save(const fs::path& source, const fs::path& saved, const std::string& file) {
    if (is_file(source / file)) {
        if (auto kept = copy_with_time(source / file, original(saved, file)); !kept) {
            return kept;
        }
    }
    std::ofstream list(list_of(saved), std::ios::app);
    list << file << '\0';
    list.flush();
    return list ? Result<void>{} : std::unexpected(file_error("cannot write", list_of(saved)));
}

/// Outside any repository, in whose subfolder git would pass over what the patch names.
GitCall apply_call(const fs::path& source, std::vector<std::string> options, const fs::path& file) {
    options.insert(options.begin(), "apply");
    options.push_back(file.string());
    return {.folder = source,
            .words = std::move(options),
            .environment = {"GIT_CEILING_DIRECTORIES=" + source.parent_path().string()}};
}

/// From `git apply --numstat -z`: "added\tdeleted\tname\0", whose name may have tabs in it too.
void add_names(std::vector<std::string>& files, const std::string& numstat) {
    std::size_t at = 0;
    while (at < numstat.size()) {
        const std::size_t end = std::min(numstat.find('\0', at), numstat.size());
        const std::string record = numstat.substr(at, end - at);
        const auto tab = record.find('\t', record.find('\t') + 1);
        std::string name = tab == std::string::npos ? record : record.substr(tab + 1);
        if (!name.empty()) {
            files.push_back(std::move(name));
        }
        at = end + 1;
    }
}

bool is_outside(const fs::path& name) {
    return name.is_absolute() || std::ranges::find(name, "..") != name.end();
}

/// No kernel file has such a name, and no Makefile could say it.
bool has_control_characters(std::string_view name) {
    return std::ranges::any_of(name, [](unsigned char c) { return std::iscntrl(c) != 0; });
}

/// The files that a patch changes, once it is sure that it applies and that none of them lies
/// outside the folder or behind a symbolic link: what is named here is moved about.
Result<std::vector<std::string>> named_in(const fs::path& source, const fs::path& patch) {
    std::vector<std::string> files;
    // Of what is renamed git lists the new name; read backwards, the old one.
    for (const auto& options : {std::vector<std::string>{"--numstat", "-z"},
                                std::vector<std::string>{"--numstat", "-z", "-R"}}) {
        const auto numstat = git(apply_call(source, options, patch));
        if (!numstat) {
            return std::unexpected(numstat.error());
        }
        add_names(files, *numstat);
    }
    if (const auto outside = std::ranges::find_if(files, is_outside); outside != files.end()) {
        return fail(Fault::usage, fmt::format("it changes {}, outside the tree", *outside));
    }
    if (std::ranges::any_of(files, has_control_characters)) {
        return fail(Fault::usage,
                    "it changes a file with a line break, a tab or another control character in "
                    "its name, which no kernel has");
    }
    if (const auto checked = git(apply_call(source, {"--check"}, patch)); !checked) {
        return std::unexpected(checked.error());
    }
    std::ranges::sort(files);
    const auto twice = std::ranges::unique(files);
    files.erase(twice.begin(), twice.end());
    return files;
}

std::unexpected<Error> does_not_apply(const Patch& patch, const Error& error) {
    return fail(error.fault, error.fault == Fault::usage
                                 ? fmt::format("{} does not apply: {}", patch.name, error.message)
                                 : error.message);
}

Result<void> put_one_on(const fs::path& source, const fs::path& saved, const Patch& patch) {
    const fs::path file = saved / "patch";
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << patch.text;
    stream.close();
    if (!stream) {
        return std::unexpected(file_error("cannot write", file));
    }
    const auto names = named_in(source, file);
    if (!names) {
        return does_not_apply(patch, names.error());
    }
    const auto listed_before = listed(saved);
    const std::set<std::string_view> known(listed_before.begin(), listed_before.end());
    for (const std::string& name : *names) {
        if (known.contains(name)) {
            continue;
        }
        if (auto kept = save(source, saved, name); !kept) {
            return kept;
        }
    }
    auto applied = git(apply_call(source, {"--whitespace=nowarn"}, file));
    return applied ? Result<void>{} : does_not_apply(patch, applied.error());
}

Result<void> begin(const fs::path& saved) {
    std::error_code failed;
    fs::create_directories(saved, failed);
    return failed ? Result<void>(std::unexpected(file_error("cannot make", saved, failed)))
                  : Result<void>{};
}

}  // namespace

Result<ChangedFiles> put_on(const fs::path& source, const fs::path& saved,
                            std::span<const Patch> patches) {
    if (auto begun = begin(saved); !begun) {
        return std::unexpected(begun.error());
    }
    for (const Patch& patch : patches) {
        if (auto on = put_one_on(source, saved, patch); !on) {
            if (auto off = take_off(source, saved); !off) {
                return std::unexpected(off.error());
            }
            return std::unexpected(on.error());
        }
    }
    return listed(saved);
}

Result<void> append_to(const fs::path& source, const fs::path& saved, const std::string& file,
                       const std::string& text) {
    if (auto begun = begin(saved); !begun) {
        return begun;
    }
    if (auto kept = save(source, saved, file); !kept) {
        return kept;
    }
    std::ofstream stream(source / file, std::ios::binary | std::ios::app);
    stream << text;
    stream.flush();
    return stream ? Result<void>{} : std::unexpected(file_error("cannot write", source / file));
}

ChangedFiles added_by(const fs::path& saved, const ChangedFiles& changed) {
    ChangedFiles added;
    std::ranges::copy_if(changed, std::back_inserter(added),
                         [&](const std::string& file) { return !is_file(original(saved, file)); });
    return added;
}

Result<void> take_off(const fs::path& source, const fs::path& saved) {
    std::error_code failed;
    // Folders before what lies in them: where a patch has put a symbolic link in a folder's place,
    // nothing is to be removed behind it.
    auto files = listed(saved);
    std::ranges::sort(files);
    // Whatever wrote the list: nothing outside the copy is touched.
    if (const auto outside = std::ranges::find_if(files, is_outside); outside != files.end()) {
        return fail(Fault::environment,
                    fmt::format("{} names '{}', outside the copy of the tree; remove the folder {}",
                                list_of(saved).string(), *outside, saved.parent_path().string()));
    }
    for (const std::string& file : files) {
        if (is_file(source / file)) {
            fs::remove(source / file, failed);
        }
        if (failed) {
            return std::unexpected(file_error("cannot put back", source / file, failed));
        }
    }
    for (const std::string& file : files) {
        // By a copy: who is killed here finds the originals where they were, and begins anew.
        if (!is_file(original(saved, file))) {
            continue;
        }
        fs::remove_all(source / file, failed);  // a folder that a patch put in its place
        if (auto back = copy_with_time(original(saved, file), source / file); !back) {
            return back;
        }
    }
    if (fs::exists(saved)) {
        const fs::path done = saved.string() + ".done";
        fs::remove_all(done, failed);
        fs::rename(saved, done, failed);
        if (failed) {
            return std::unexpected(file_error("cannot put away", saved, failed));
        }
        fs::remove_all(done, failed);
    }
    return {};
}

}  // namespace kerntoll::lab::kernel
