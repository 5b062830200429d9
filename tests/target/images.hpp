// SPDX-License-Identifier: MIT
// Kernel images made of nothing but the headers that a reader looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/target/image.hpp"

namespace kerntoll::lab::images {

enum class Order { little, big };

/// Writes a number of `size` bytes at `offset`, making `bytes` longer where it must.
void put(std::string& bytes, std::size_t offset, std::uint64_t value, std::size_t size,
         Order order = Order::little);
/// Writes text at `offset`, making `bytes` longer where it must.
void put(std::string& bytes, std::size_t offset, std::string_view text);

/// Text that does not compress, so that a stream of it can be cut in the middle.
[[nodiscard]] std::string noise(std::size_t size);

[[nodiscard]] std::string pack(Packing packing, std::string_view content);

/// The GNU build id note of twenty bytes `digit`.
[[nodiscard]] std::string build_id_note(char digit, Order order = Order::little);
/// A note with any owner.
[[nodiscard]] std::string note(std::string_view owner, std::uint32_t type, std::string_view content,
                               Order order = Order::little);

struct ElfSegment {
    std::uint32_t type = 1;
    std::uint64_t physical = 0;
    std::string content;
};
struct ElfPlan {
    std::uint16_t kind = 2;
    std::uint16_t machine = 62;
    std::uint64_t entry = 0xffffffff80000000;
    Order order = Order::little;
    std::vector<ElfSegment> segments = {};
};
[[nodiscard]] std::string elf(const ElfPlan& plan);

/// A kernel's content: its banner and a note, in as many bytes as a real one would need at least.
[[nodiscard]] std::string kernel_content(Order order = Order::little);
inline constexpr const char* banner = "6.12.1-test (a@b) (gcc 12) #1 SMP";
inline constexpr const char* content_build_id = "6161616161616161616161616161616161616161";

[[nodiscard]] std::string x86_bzimage(std::string_view payload, std::string_view version);
[[nodiscard]] std::string arm64_image(std::string_view content);
[[nodiscard]] std::string riscv_image(std::string_view content);
[[nodiscard]] std::string loongarch_image(std::string_view content);
[[nodiscard]] std::string s390x_bzimage(std::string_view payload, std::string_view version);
[[nodiscard]] std::string zboot(std::string_view payload, std::string_view packing);

/// read_image() on bytes, with the name "given".
[[nodiscard]] Result<Image> read_bytes(std::string_view bytes);
/// What read_image() finds wrong with these bytes, or "read as …".
[[nodiscard]] std::string complaint(std::string_view bytes);
[[nodiscard]] std::string bytes_of(const MemoryFile& file);

}  // namespace kerntoll::lab::images
