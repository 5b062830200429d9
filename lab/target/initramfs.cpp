// SPDX-License-Identifier: MIT
#include "lab/target/initramfs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <string_view>

#include "lab/target/wire_text.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {
namespace {

struct Entry {
    mode_t mode = 0;
    unsigned major = 0;
    unsigned minor = 0;
    std::span<const char> content = {};
};

/// By path without the leading slash: in this order every directory stands before what is in it,
/// which the kernel's unpacker needs.
using Tree = std::map<std::string, Entry>;

// What a workload reads of the file does not matter, but an empty file would make every read an
// end of file.
constexpr std::string_view workload_file_content = "/* opened and read by workloads */\n";

void pad(std::string& archive) {
    archive.append((4 - archive.size() % 4) % 4, '\0');
}

void write_entry(std::string& archive, unsigned inode, const std::string& path,
                 const Entry& entry) {
    const bool is_directory = (entry.mode & S_IFMT) == S_IFDIR;
    // Magic, then: inode, mode, uid, gid, links, mtime, size, major, minor of the file's device,
    // major, minor of the device that it is, name's size with its zero, checksum.
    archive += fmt::format(
        "070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}"
        "{:08x}{:08x}{:08x}",
        inode, entry.mode, 0, 0, is_directory ? 2 : 1, 0, entry.content.size(), 0, 0, entry.major,
        entry.minor, path.size() + 1, 0);
    archive += path;
    archive += '\0';
    pad(archive);
    archive.append(entry.content.data(), entry.content.size());
    pad(archive);
}

bool is_plain_absolute(std::string_view path) {
    return path.size() > 1 && path.front() == '/' && path.back() != '/' &&
           path.find('\0') == path.npos && path.find("//") == path.npos &&
           (std::string(path) + "/").find("/../") == std::string::npos &&
           (std::string(path) + "/").find("/./") == std::string::npos;
}

/// Adds a file and the folders it lies in; false where one of these is no folder.
bool add_file(Tree& tree, std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != path.npos;
         slash = path.find('/', slash + 1)) {
        const auto [parent, added] =
            tree.try_emplace(std::string(path.substr(0, slash)), Entry{S_IFDIR | 0755});
        if (!S_ISDIR(parent->second.mode)) {
            return false;
        }
    }
    tree.try_emplace(std::string(path), Entry{S_IFREG | 0644, 0, 0, workload_file_content});
    return true;
}

}  // namespace

Result<std::string> make_initramfs(std::span<const char> agent,
                                   const std::vector<std::string>& files, std::string_view script) {
    Tree tree{
        {"dev", {S_IFDIR | 0755}},
        {"dev/console", {S_IFCHR | 0600, 5, 1}},
        {"dev/null", {S_IFCHR | 0666, 1, 3}},
        {"dev/zero", {S_IFCHR | 0666, 1, 5}},
        {"init", {S_IFREG | 0755, 0, 0, agent}},
        {"proc", {S_IFDIR | 0555}},
        {"tmp", {S_IFDIR | 01777}},
    };
    add_file(tree, std::string_view(default_workload_file).substr(1));
    for (const std::string& file : files) {
        if (!is_plain_absolute(file) || !add_file(tree, std::string_view(file).substr(1))) {
            return fail(
                Fault::usage,
                fmt::format("file=\"{}\" cannot be made in the guest; give an absolute path "
                            "without \".\", \"..\" or a slash at its end, in folders that "
                            "are no files",
                            file));
        }
    }
    if (!script.empty()) {
        tree.try_emplace(std::string(as_view(wire::script_path)).substr(1),
                         Entry{S_IFREG | 0444, 0, 0, script});
    }
    std::string archive;
    unsigned inode = 1;
    for (const auto& [path, entry] : tree) {
        write_entry(archive, inode++, path, entry);
    }
    write_entry(archive, 0, "TRAILER!!!", {});
    return archive;
}

}  // namespace kerntoll::lab
