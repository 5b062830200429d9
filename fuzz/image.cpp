// SPDX-License-Identifier: MIT
// Kernel images that lie: the input picks one of the forms and overwrites what it likes of its
// first pages, or is the image itself. No fault, an answer in any case, and an image that is taken
// has something to boot.
#include "lab/target/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/expect.hpp"
#include "tests/target/images.hpp"

namespace {

using namespace kerntoll::lab;
using kerntoll::fuzz::expect;

std::vector<std::string> make_seeds() {
    const std::string content = images::kernel_content().substr(0, 4000);
    const std::string packed = images::pack(Packing::zstd, content);
    const std::string flat = images::arm64_image(content);
    const std::string pvh = images::note("Xen", 18, std::string("\0\0\0\1", 4));
    return {
        images::x86_bzimage(packed, images::banner),
        flat,
        images::riscv_image(content),
        images::loongarch_image(content),
        images::s390x_bzimage(packed, images::banner),
        images::zboot(images::pack(Packing::gzip, flat), "gzip"),
        images::pack(Packing::gzip, flat),
        images::pack(Packing::zstd, flat),
        images::pack(Packing::xz, flat),
        images::elf({.segments = {{1, 0x1000000, content}, {4, 0, pvh}}}),
        images::elf({.machine = 243, .segments = {{1, 0x1000000, images::riscv_image(content)}}}),
    };
}

/// Overwrites bytes as the input says: two bytes of place, one of value, over and over. Places in
/// the first 4 KiB and, for s390x, in the 4 KiB from 0x10000 on.
void overwrite(std::string& image, std::string_view input) {
    for (std::size_t i = 0; i + 3 <= input.size(); i += 3) {
        const auto low = static_cast<unsigned char>(input[i]);
        const auto high = static_cast<unsigned char>(input[i + 1]);
        std::size_t place = low | (high & 0x0fU) << 8U;
        place += (high & 0x80U) != 0 ? 0x10000 : 0;
        if (place < image.size()) {
            image[place] = input[i + 2];
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::string> seeds = make_seeds();
    if (size == 0) {
        return 0;
    }
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::string bytes(input);
    if (data[0] % (seeds.size() + 1) < seeds.size()) {
        bytes = seeds[data[0] % (seeds.size() + 1)];
        overwrite(bytes, input);
    }
    const auto image = images::read_bytes(bytes);
    if (!image) {
        expect(!image.error().message.empty(), "a refusal has a sentence");
        return 0;
    }
    expect(image->kernel && image->kernel->size() > 0, "a kernel that is taken can be booted");
    expect(image->as_is() == (images::bytes_of(*image->kernel) == bytes),
           "a kernel is the file itself, or was unpacked");
    for (const char character : image->banner + image->release + image->build_id) {
        expect(character >= 0x20 && character <= 0x7e, "facts are printable");
    }
    return 0;
}
