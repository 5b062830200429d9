// SPDX-License-Identifier: MIT
#include "lab/target/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "lab/target/image_bytes.hpp"
#include "tests/target/images.hpp"

namespace kerntoll::lab {
namespace {

using images::bytes_of;
using images::complaint;
using images::read_bytes;
using testing::HasSubstr;
using namespace std::string_literals;

struct Known {
    std::string name;
    Arch arch;
    ImageForm form;
    std::string bytes;
};

std::vector<Known> known_images() {
    using images::Order;
    const std::string little = images::kernel_content();
    const std::string packed_big = images::pack(Packing::xz, images::kernel_content(Order::big));
    const std::string pvh = images::note("Xen", 18, "\0\0\0\1"s) + images::build_id_note('a');
    return {
        {"x86_bzimage", Arch::x86_64, ImageForm::x86_bzimage,
         images::x86_bzimage(images::pack(Packing::zstd, little), images::banner)},
        {"arm64_image", Arch::arm64, ImageForm::arm64_image, images::arm64_image(little)},
        {"riscv_image", Arch::riscv64, ImageForm::riscv_image, images::riscv_image(little)},
        {"loongarch_image", Arch::loongarch64, ImageForm::loongarch_image,
         images::loongarch_image(little)},
        {"s390x_bzimage", Arch::s390x, ImageForm::s390x_bzimage,
         images::s390x_bzimage(packed_big, images::banner)},
        {"x86_vmlinux", Arch::x86_64, ImageForm::elf,
         images::elf({.machine = 62, .segments = {{1, 0x1000000, little}, {4, 0x2000000, pvh}}})},
        {"loongarch_vmlinux", Arch::loongarch64, ImageForm::elf,
         images::elf(
             {.machine = 258,
              .segments = {{1, 0x200000, little}, {4, 0x900000, images::build_id_note('a')}}})},
    };
}

class KnownImage : public testing::TestWithParam<Known> {};
class KnownImageWithALength : public testing::TestWithParam<Known> {};

TEST_P(KnownImage, IsToldByContent) {
    const Known& known = GetParam();
    const auto image = read_bytes(known.bytes);
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->arch, known.arch);
    EXPECT_EQ(image->form, known.form);
    EXPECT_TRUE(image->as_is());
    EXPECT_EQ(image->release, "6.12.1-test");
    EXPECT_EQ(image->banner, images::banner);
    EXPECT_EQ(image->build_id, images::content_build_id);
    EXPECT_EQ(image->size, known.bytes.size());
    EXPECT_EQ(bytes_of(*image->kernel), known.bytes);
}

TEST_P(KnownImage, SurvivesBeingCutAnywhere) {
    const std::string& bytes = GetParam().bytes;
    for (std::size_t size = 1; size < bytes.size(); size += 1 + size / 3) {
        const auto image = read_bytes(std::string_view(bytes).substr(0, size));
        EXPECT_TRUE(image || !image.error().message.empty());
    }
}

TEST_P(KnownImageWithALength, IsRefusedWhenHalfOfItIsMissing) {
    const std::string& bytes = GetParam().bytes;
    EXPECT_THAT(complaint(std::string_view(bytes).substr(0, bytes.size() / 2 + 0x9000)),
                HasSubstr("truncated"));
}

TEST_P(KnownImage, SurvivesAnyDamageToItsHeaders) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = GetParam().bytes;
        for (int change = 0; change < 8; ++change) {
            const std::size_t reach = random() % 2 == 0 ? 0x80 : 0x400;
            bytes[random() % reach] = static_cast<char>(random() & 0xffU);
        }
        const auto image = read_bytes(bytes);
        EXPECT_TRUE(image || !image.error().message.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, KnownImage, testing::ValuesIn(known_images()),
                         [](const auto& each) { return each.param.name; });

/// An arm64 Image without a PE header says only how much memory it needs.
std::vector<Known> known_images_with_a_length() {
    std::vector<Known> known = known_images();
    std::erase_if(known, [](const Known& each) { return each.arch == Arch::arm64; });
    return known;
}

INSTANTIATE_TEST_SUITE_P(Forms, KnownImageWithALength,
                         testing::ValuesIn(known_images_with_a_length()),
                         [](const auto& each) { return each.param.name; });

class PackedImage : public testing::TestWithParam<Packing> {};

TEST_P(PackedImage, IsUnpackedForQemu) {
    const std::string inner = images::arm64_image(images::kernel_content());
    const std::string packed = images::pack(GetParam(), inner);
    const auto image = read_bytes(packed);
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->arch, Arch::arm64);
    EXPECT_FALSE(image->as_is());
    EXPECT_EQ(image->size, packed.size());
    EXPECT_EQ(bytes_of(*image->kernel), inner);
    EXPECT_EQ(image->description(), "arm64 Image in "s + std::string(name(GetParam())));
}

TEST_P(PackedImage, IsUnpackedFromZboot) {
    const std::string inner = images::riscv_image(images::kernel_content());
    // What follows the stream (a signature, a size) is not its business.
    const auto image =
        read_bytes(images::zboot(images::pack(GetParam(), inner) + "tail", name(GetParam())));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->arch, Arch::riscv64);
    EXPECT_EQ(bytes_of(*image->kernel), inner);
    EXPECT_THAT(image->description(), HasSubstr("EFI zboot"));
}

TEST_P(PackedImage, IsCalledTruncatedWhenItIs) {
    const std::string packed =
        images::pack(GetParam(), images::arm64_image(images::kernel_content()));
    EXPECT_THAT(complaint(std::string_view(packed).substr(0, packed.size() / 2)),
                HasSubstr("truncated"));
}

TEST_P(PackedImage, IsCalledDamagedWhenItIs) {
    std::string packed = images::pack(GetParam(), images::arm64_image(images::kernel_content()));
    packed.replace(9, 64, std::string(64, '\xff'));
    EXPECT_THAT(complaint(packed), HasSubstr("damaged"));
}

TEST_P(PackedImage, NamesWhatItHoldsWhenThatIsNoKernel) {
    const std::string message = complaint(images::pack(GetParam(), "#!/bin/sh\necho hello\n"));
    EXPECT_THAT(message, HasSubstr("a "s + std::string(name(GetParam())) + " file"));
    EXPECT_THAT(message, HasSubstr("script"));
}

TEST_P(PackedImage, StopsAtTheLimitOfABomb) {
    const std::string bomb = images::pack(GetParam(), std::string(4U << 20U, '\0'));
    const Bytes bytes = std::as_bytes(std::span(bomb));
    const auto unpacked = unpack(bytes, GetParam(), 1U << 20U);
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().fault, UnpackFault::too_large);
    EXPECT_LE(unpacked.error().unpacked, 1U << 20U);
    EXPECT_TRUE(unpack(bytes, GetParam(), 4U << 20U));
}

INSTANTIATE_TEST_SUITE_P(Packings, PackedImage,
                         testing::Values(Packing::gzip, Packing::zstd, Packing::xz, Packing::lz4),
                         [](const auto& each) { return std::string(name(each.param)); });

TEST(ReadImage, BootsTheImageInsideAnElfVmlinux) {
    const std::string flat = images::riscv_image(images::kernel_content());
    const std::size_t cut = 0x8000;
    // The second segment first, and a hole between them that reads as zero.
    const std::string vmlinux =
        images::elf({.machine = 243,
                     .segments = {{1, 0x80000000 + cut, flat.substr(cut)},
                                  {1, 0x80000000, flat.substr(0, cut - 16)},
                                  {4, 0x90000000, images::build_id_note('b')}}});
    std::string expected = flat;
    expected.replace(cut - 16, 16, 16, '\0');
    const auto image = read_bytes(vmlinux);
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->arch, Arch::riscv64);
    EXPECT_EQ(image->description(), "riscv64 Image in ELF vmlinux");
    EXPECT_EQ(bytes_of(*image->kernel), expected);
}

TEST(ReadImage, TakesTheVersionFromTheHeaderWhereThePayloadIsUnreadable) {
    const auto image = read_bytes(images::x86_bzimage(images::noise(5000), "6.1.0-9 (x@y) #1"));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->release, "6.1.0-9");
    EXPECT_EQ(image->build_id, "");
}

TEST(ReadImage, PassesOverTheBuildIdOfAnEmbeddedVdso) {
    const std::string vdso =
        images::elf({.kind = 3, .segments = {{4, 0, images::build_id_note('v')}}});
    const auto image = read_bytes(images::arm64_image(vdso + images::kernel_content()));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->build_id, images::content_build_id);
}

TEST(ReadImage, TakesNoBuildIdWhereItCannotTellWhich) {
    const auto image =
        read_bytes(images::arm64_image(images::build_id_note('x') + images::kernel_content()));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->build_id, "");
}

TEST(ReadImage, KeepsControlCharactersOutOfTheVersion) {
    const auto image = read_bytes(images::arm64_image("Linux version 6.1\x1b[31m red\n"));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->banner, "6.1");
}

TEST(ReadImage, HashesTheFileAsGiven) {
    // sha256sum of the packed bytes, not of what is inside.
    const std::string bytes = images::arm64_image("");
    const auto plain = read_bytes(bytes);
    const auto packed = read_bytes(images::pack(Packing::zstd, bytes));
    ASSERT_TRUE(plain && packed);
    EXPECT_EQ(plain->sha256, "1f677705272d881427aae3505d3b145ed97bd76c5fdeea70f76deb05f90db5fc");
    EXPECT_NE(plain->sha256, packed->sha256);
    EXPECT_EQ(bytes_of(*plain->kernel), bytes_of(*packed->kernel));
}

}  // namespace
}  // namespace kerntoll::lab
