// SPDX-License-Identifier: MIT
#include "lab/target/initramfs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace kerntoll::lab {
namespace {

using testing::HasSubstr;

struct Unpacked {
    unsigned mode = 0;
    unsigned major = 0;
    unsigned minor = 0;
    unsigned mtime = 0;
    std::string content;
};

/// An archive as the kernel's unpacker reads it (init/initramfs.c): fixed fields of eight hex
/// digits, names and contents padded to four bytes, parents before children.
std::map<std::string, Unpacked> unpack(std::string_view archive) {
    std::map<std::string, Unpacked> files;
    std::set<unsigned> inodes;
    std::size_t at = 0;
    for (;;) {
        EXPECT_EQ(at % 4, 0U);
        EXPECT_EQ(archive.substr(at, 6), "070701");
        const auto field = [&](std::size_t index) {
            unsigned value = 0;
            const char* start = archive.data() + at + 6 + 8 * index;
            EXPECT_EQ(std::from_chars(start, start + 8, value, 16).ptr, start + 8);
            return value;
        };
        const std::size_t name_size = field(11);
        const std::size_t size = field(6);
        const std::string name(archive.substr(at + 110, name_size - 1));
        EXPECT_EQ(archive[at + 110 + name_size - 1], '\0');
        std::size_t content = at + 110 + name_size;
        content += (4 - content % 4) % 4;
        if (name == "TRAILER!!!") {
            EXPECT_EQ(content, archive.size());
            return files;
        }
        EXPECT_TRUE(inodes.insert(field(0)).second) << "two files share an inode: hard links";
        const std::size_t slash = name.rfind('/');
        if (slash != std::string::npos) {
            EXPECT_TRUE(files.contains(name.substr(0, slash))) << name << " before its folder";
        }
        files[name] = {field(1), field(9), field(10), field(5),
                       std::string(archive.substr(content, size))};
        at = content + size;
        at += (4 - at % 4) % 4;
        if (at >= archive.size()) {
            ADD_FAILURE() << "no trailer";
            return files;
        }
    }
}

std::map<std::string, Unpacked> unpacked(const std::vector<std::string>& files = {}) {
    const auto archive = make_initramfs(std::string_view("agent"), files);
    EXPECT_TRUE(archive);
    return archive ? unpack(*archive) : std::map<std::string, Unpacked>{};
}

TEST(Initramfs, HoldsTheAgentAsAnExecutableInit) {
    const auto files = unpacked();
    ASSERT_TRUE(files.contains("init"));
    EXPECT_EQ(files.at("init").mode, S_IFREG | 0755U);
    EXPECT_EQ(files.at("init").content, "agent");
}

TEST(Initramfs, HoldsTheDevicesThatTheAgentOpens) {
    const auto files = unpacked();
    struct Device {
        const char* path;
        unsigned major;
        unsigned minor;
    };
    for (const Device& device :
         {Device{"dev/console", 5, 1}, Device{"dev/null", 1, 3}, Device{"dev/zero", 1, 5}}) {
        ASSERT_TRUE(files.contains(device.path));
        EXPECT_EQ(files.at(device.path).mode & S_IFMT, S_IFCHR + 0U);
        EXPECT_EQ(files.at(device.path).major, device.major);
        EXPECT_EQ(files.at(device.path).minor, device.minor);
    }
}

TEST(Initramfs, HoldsFoldersAndTheFileThatWorkloadsUse) {
    const auto files = unpacked();
    for (const char* folder : {"dev", "proc", "tmp", "usr", "usr/include", "usr/include/linux"}) {
        ASSERT_TRUE(files.contains(folder)) << folder;
        EXPECT_EQ(files.at(folder).mode & S_IFMT, S_IFDIR + 0U) << folder;
    }
    EXPECT_EQ(files.at("usr/include/linux/types.h").mode, S_IFREG | 0644U);
    EXPECT_FALSE(files.at("usr/include/linux/types.h").content.empty());
}

TEST(Initramfs, HoldsTheFileThatATargetNamesWithItsFolders) {
    const auto files = unpacked({"/a/b/c"});
    EXPECT_EQ(files.at("a").mode & S_IFMT, S_IFDIR + 0U);
    EXPECT_EQ(files.at("a/b").mode & S_IFMT, S_IFDIR + 0U);
    EXPECT_EQ(files.at("a/b/c").mode & S_IFMT, S_IFREG + 0U);
}

TEST(Initramfs, LeavesAFileAloneThatIsThereAlready) {
    const auto files = unpacked({"/init", "/dev/zero"});
    EXPECT_EQ(files.at("init").content, "agent");
    EXPECT_EQ(files.at("dev/zero").mode & S_IFMT, S_IFCHR + 0U);
}

TEST(Initramfs, IsTheSameEveryTime) {
    const auto first = make_initramfs(std::string_view("agent"), {"/x"});
    const auto second = make_initramfs(std::string_view("agent"), {"/x"});
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first, *second);
    for (const auto& [path, file] : unpack(*first)) {
        EXPECT_EQ(file.mtime, 0U) << path;
    }
}

TEST(Initramfs, RefusesPathsThatAreNoPlainPlace) {
    for (const char* path : {"", "/", "relative", "/a/../b", "/a/./b", "/a//b", "/a/", "/.."}) {
        const auto archive = make_initramfs(std::string_view("agent"), {path});
        ASSERT_FALSE(archive) << path;
        EXPECT_EQ(archive.error().fault, Fault::usage);
        EXPECT_THAT(archive.error().message, HasSubstr("give an absolute path"));
    }
}

TEST(Initramfs, RefusesAFolderThatIsAFile) {
    EXPECT_FALSE(make_initramfs(std::string_view("agent"), {"/init/x"}));
    EXPECT_FALSE(make_initramfs(std::string_view("agent"), {"/a", "/a/b"}));
}

}  // namespace
}  // namespace kerntoll::lab
