// SPDX-License-Identifier: MIT
#include "lab/target/image_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "lab/target/image_elf.hpp"
#include "lab/target/image_unpack.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t note_gnu_build_id = 3;
constexpr std::uint64_t payload_limit = 512ULL << 20U;
// A real payload is found at the first or second signature; arbitrary bytes may hold thousands.
constexpr int most_candidates = 16;
// What a chance signature yields before its stream turns out to be corrupt is far less than this.
constexpr std::uint64_t least_of_a_stream = 16U << 10U;
constexpr std::size_t longest_line = 300;

std::string hex(Bytes bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
        text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    }
    return text;
}

std::string find_banner(Bytes bytes) {
    constexpr std::string_view marker = "Linux version ";
    const std::string_view text = text_of(bytes);
    for (std::size_t at = text.find(marker); at != text.npos; at = text.find(marker, at + 1)) {
        const Bytes rest = bytes.subspan(at + marker.size());
        // "Linux version %s" is in every kernel as well.
        if (!rest.empty() && std::isdigit(std::to_integer<int>(rest[0])) != 0) {
            return printable_line(rest);
        }
    }
    return {};
}

/// Whether a note found at `at` belongs to an ELF file inside the kernel and not to the kernel.
bool inside_embedded_elf(const std::vector<std::pair<std::size_t, std::size_t>>& embedded,
                         std::size_t at) {
    return std::ranges::any_of(
        embedded, [at](const auto& range) { return at >= range.first && at < range.second; });
}

std::string search_build_id(Bytes kernel, std::endian order) {
    const std::string_view text = text_of(kernel);
    std::vector<std::pair<std::size_t, std::size_t>> embedded;
    for (std::size_t at = text.find("\x7f"
                                    "ELF");
         at != text.npos; at = text.find("\x7f"
                                         "ELF",
                                         at + 1)) {
        embedded.emplace_back(at, at + elf::extent(kernel.subspan(at)));
        if (embedded.size() > 64) {
            return {};
        }
    }
    constexpr std::string_view little = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0"sv;
    constexpr std::string_view big = "\0\0\0\4\0\0\0\x14\0\0\0\3GNU\0"sv;
    const std::string_view marker = order == std::endian::big ? big : little;
    std::string found;
    for (std::size_t at = text.find(marker); at != text.npos; at = text.find(marker, at + 1)) {
        constexpr std::uint64_t sha1_size = 20;
        const auto content = part_of(kernel, at + marker.size(), sha1_size);
        if (!content || inside_embedded_elf(embedded, at)) {
            continue;
        }
        if (!found.empty() && found != hex(*content)) {
            return {};
        }
        found = hex(*content);
    }
    return found;
}

std::string find_build_id(Bytes kernel, std::endian order) {
    if (const auto file = elf::read(kernel)) {
        const auto content = elf::note(kernel, *file, "GNU", note_gnu_build_id);
        return content ? hex(*content) : std::string{};
    }
    return search_build_id(kernel, order);
}

}  // namespace

std::string release_of(std::string_view banner) {
    return std::string(banner.substr(0, banner.find(' ')));
}

std::string printable_line(Bytes bytes) {
    std::string line;
    for (const std::byte byte : bytes) {
        const auto character = std::to_integer<unsigned char>(byte);
        if (line.size() == longest_line || character < 0x20 || character > 0x7e) {
            break;
        }
        line += static_cast<char>(character);
    }
    return line;
}

KernelFacts facts_of(Bytes kernel, std::endian order) {
    return {find_banner(kernel), find_build_id(kernel, order)};
}

PayloadFacts payload_facts(Bytes payload, std::endian order) {
    constexpr std::array signatures = {"\x1f\x8b\x08"sv, "\x28\xb5\x2f\xfd"sv, "\xfd\x37zXZ\0"sv,
                                       "\x02\x21\x4c\x18"sv};
    std::vector<std::size_t> candidates;
    const std::string_view text = text_of(payload);
    for (const std::string_view signature : signatures) {
        for (std::size_t at = text.find(signature);
             at != text.npos && candidates.size() < most_candidates;
             at = text.find(signature, at + 1)) {
            candidates.push_back(at);
        }
    }
    std::ranges::sort(candidates);
    for (const std::size_t at : candidates) {
        const Bytes stream = payload.subspan(at);
        const auto packing = packing_of(stream);
        if (!packing) {
            continue;
        }
        auto file = unpack(stream, *packing, payload_limit);
        if (!file) {
            if (file.error().fault == UnpackFault::truncated &&
                file.error().unpacked >= least_of_a_stream) {
                return {.facts = {}, .truncated = true};
            }
            continue;
        }
        const auto mapped = MappedFile::map(*file);
        if (file->size() >= least_of_a_stream && mapped) {
            return {.facts = facts_of(mapped->bytes(), order), .truncated = false};
        }
    }
    return {};
}

}  // namespace kerntoll::lab
