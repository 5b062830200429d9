// SPDX-License-Identifier: MIT
// What is no kernel, or lies about itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "lab/target/image.hpp"
#include "tests/target/images.hpp"

namespace kerntoll::lab {
namespace {

using images::bytes_of;
using images::complaint;
using testing::HasSubstr;
using namespace std::string_literals;

/// A file or folder of its own for each test, gone afterwards.
class OnDisk : public testing::Test {
protected:
    OnDisk() {
        std::string name = std::filesystem::temp_directory_path() / "kerntoll-image-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~OnDisk() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    void write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
    }

private:
    std::filesystem::path folder_;
};

struct Stranger {
    std::string name;
    std::string bytes;
    std::string found;
};

std::vector<Stranger> strangers() {
    std::string old_x86 = images::x86_bzimage("payload", "2.6.32");
    images::put(old_x86, 0x206, 0x20a, 2);
    std::string x86_32 = images::x86_bzimage("payload", "6.1");
    images::put(x86_32, 0x236, 0, 2);
    std::string big_arm64 = images::arm64_image("content");
    images::put(big_arm64, 24, 1, 8);
    std::string riscv32 = images::riscv_image("content");
    images::put(riscv32, 0x44, 0x5032, 2);
    std::string hollow_arm64 = images::arm64_image("content");
    images::put(hollow_arm64, 16, 1U << 30U, 8);
    std::string elf_32 = images::elf({});
    images::put(elf_32, 4, 1, 1);
    const images::ElfSegment code{1, 0x400000, "code"};
    return {
        {"script", "#!/bin/sh\n", "is a script"},
        {"text", "hello\n", "is a text file"},
        {"debian_package", "!<arch>\ndebian-binary   ", "is a Debian package; unpack it"},
        {"cpio", "070701000", "is a cpio archive"},
        {"windows_program", "MZ" + std::string(200, 'x'), "without a Linux boot header"},
        {"anything", "\x01\x02\x03\x04", "unknown kind (it begins with 01 02 03 04)"},
        {"program", images::elf({.entry = 0x401000, .segments = {code}}),
         "is an ELF program for x86-64, not a kernel"},
        {"dynamic_program", images::elf({.segments = {code, {3, 0, "/lib/ld.so"}}}),
         "is an ELF program for x86-64, not a kernel"},
        {"module", images::elf({.kind = 1, .machine = 183}),
         "is an object file or kernel module for arm64"},
        {"other_machine", images::elf({.machine = 21, .segments = {code}}),
         "is a kernel for 64-bit PowerPC"},
        {"elf_32", elf_32, "is a 32-bit ELF file"},
        {"x86_vmlinux_without_pvh", images::elf({.segments = {code}}), "CONFIG_PVH"},
        {"s390x_vmlinux",
         images::elf({.machine = 22,
                      .order = images::Order::big,
                      .segments = {{1, 0x100000, "Linux version 6.1\n"}}}),
         "give the bzImage"},
        {"old_x86", old_x86, "older than Linux 3.8"},
        {"x86_32", x86_32, "32-bit x86 kernel"},
        {"big_endian_arm64", big_arm64, "big-endian"},
        {"riscv32", riscv32, "32-bit riscv"},
        {"hollow_arm64", hollow_arm64, "is truncated: its header announces 1073741824 bytes"},
        {"bzip2", "BZh91AY", "packed with bzip2"},
        {"lzo_zboot", images::zboot("\x89LZO\0\r\n\x1a\n"s, "lzo"), "packed with EFI zboot (lzo)"},
        {"lz4_frame", "\x04\x22\x4d\x18", "is an lz4 file in a frame"},
        {"unknown_zboot", images::zboot("abcd", "brotli"), "packed with \"brotli\""},
        {"vmlinux_without_image",
         images::elf({.machine = 243, .segments = {{1, 0x80000000, "\1\2\3\4\5"}}}),
         "an ELF vmlinux whose content is of an unknown kind"},
    };
}

class StrangeFile : public testing::TestWithParam<Stranger> {};

TEST_P(StrangeFile, IsNamedForWhatItIs) {
    const std::string message = complaint(GetParam().bytes);
    EXPECT_THAT(message, HasSubstr(GetParam().found));
    EXPECT_THAT(message, HasSubstr("\"given\""));
    EXPECT_THAT(message, HasSubstr("expected a Linux kernel"));
}

INSTANTIATE_TEST_SUITE_P(Strangers, StrangeFile, testing::ValuesIn(strangers()),
                         [](const auto& each) { return each.param.name; });

TEST(LyingHeader, OfZbootIsNotBelieved) {
    std::string bytes = images::zboot("payload", "gzip");
    images::put(bytes, 8, 0xffffffff, 4);
    images::put(bytes, 12, 0xffffffff, 4);
    EXPECT_THAT(complaint(bytes), HasSubstr("announces 8589934590 bytes"));
}

TEST(LyingHeader, OfElfIsNotBelieved) {
    for (const std::size_t field : {32U, 40U}) {  // places of the program and section headers
        std::string bytes = images::elf({.segments = {{1, 0, "code"}}});
        images::put(bytes, field, 0xfffffffffffffff0, 8);
        images::put(bytes, 60, 0xffff, 2);
        EXPECT_THAT(complaint(bytes), HasSubstr("truncated"));
    }
}

TEST(LyingHeader, OfASegmentFarAwayIsNotFollowed) {
    const std::string bytes = images::elf(
        {.machine = 243, .segments = {{1, 0, "start"}, {1, 0x7fffffffffff0000, "end"}}});
    EXPECT_THAT(complaint(bytes), HasSubstr("more than 256 MiB"));
}

TEST(LyingHeader, OfManySegmentsOverTheSameBytesIsNotFollowed) {
    images::ElfPlan plan{.machine = 243, .segments = {{1, 0, images::noise(100'000)}}};
    for (int i = 1; i < 20'000; ++i) {
        plan.segments.push_back({1, 0, "x"});
    }
    std::string bytes = images::elf(plan);
    for (std::size_t i = 1; i < plan.segments.size(); ++i) {
        images::put(bytes, 64 + 56 * i + 8, 64, 8);
        images::put(bytes, 64 + 56 * i + 32, 1'000'000, 8);
    }
    EXPECT_THAT(complaint(bytes), HasSubstr("more than 256 MiB"));
}

TEST(LyingHeader, OfAPeSectionIsNotBelieved) {
    std::string bytes = images::riscv_image(images::kernel_content());
    images::put(bytes, 0x40 + 24 + 16, 0xffffffff, 4);
    EXPECT_THAT(complaint(bytes), HasSubstr("truncated"));
}

TEST(ReadImage, GivesUpOnEndlessWrapping) {
    std::string bytes = images::arm64_image("content");
    for (int i = 0; i < 6; ++i) {
        bytes = images::pack(Packing::gzip, bytes);
    }
    EXPECT_THAT(complaint(bytes), HasSubstr("packed again and again"));
}

TEST_F(OnDisk, AMissingFileIsNamed) {
    const auto image = read_image(path("absent"));
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().fault, Fault::usage);
    EXPECT_THAT(image.error().message, HasSubstr("absent\" cannot be read (No such file"));
}

TEST_F(OnDisk, AnEmptyFileIsNamed) {
    write("empty", "");
    EXPECT_THAT(read_image(path("empty")).error().message, HasSubstr("is empty"));
}

TEST_F(OnDisk, ADirectoryIsNamed) {
    EXPECT_THAT(read_image(path("")).error().message, HasSubstr("is a directory"));
}

TEST_F(OnDisk, APipeWithoutAWriterDoesNotHangTheLab) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_THAT(read_image(path("pipe")).error().message, HasSubstr("is a pipe"));
}

TEST_F(OnDisk, ADeviceIsNotReadToItsEnd) {
    EXPECT_THAT(read_image("/dev/zero").error().message, HasSubstr("is a device"));
}

TEST_F(OnDisk, WhatWasReadStaysWhenTheFileIsRebuilt) {
    const std::string first = images::arm64_image(images::kernel_content());
    write("Image", first);
    const auto image = read_image(path("Image"));
    ASSERT_TRUE(image) << image.error().message;
    write("Image", "another build");
    EXPECT_EQ(bytes_of(*image->kernel), first);
    // Nor can a program that has it open write into it.
    std::ofstream again(MemoryFile::path(image->kernel->fd()), std::ios::in | std::ios::out);
    again << "overwritten" << std::flush;
    EXPECT_FALSE(again.good());
    EXPECT_EQ(bytes_of(*image->kernel), first);
}

}  // namespace
}  // namespace kerntoll::lab
