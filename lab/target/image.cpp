// SPDX-License-Identifier: MIT
#include "lab/target/image.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/target/digest.hpp"
#include "lab/target/image_facts.hpp"
#include "lab/target/image_forms.hpp"

namespace kerntoll::lab {
namespace {

// No kernel, debug information included, comes near it; a disk image given by mistake does.
constexpr std::uint64_t largest_file = 2ULL << 30U;
// A gzip file with a zboot image in it that holds a gzip stream: nobody builds deeper ones.
constexpr int deepest_wrapping = 4;

constexpr std::string_view expected =
    "expected a Linux kernel: bzImage, Image, vmlinux, vmlinuz or vmlinux.efi";

std::unexpected<Error> fail_usage(const std::string& path, std::string_view what) {
    return fail(Fault::usage, fmt::format("\"{}\" {}; {}", path, what, expected));
}

std::string_view kind_of_file(mode_t mode) {
    if (S_ISDIR(mode)) {
        return "is a directory";
    }
    if (S_ISCHR(mode) || S_ISBLK(mode)) {
        return "is a device";
    }
    return "is a pipe or a socket";
}

/// Copies the file, so that what is hashed and checked is what every replicate boots.
Result<MemoryFile> copy_file(const std::string& path) {
    // O_NONBLOCK: a pipe without a writer must not hang the lab. It changes nothing for files.
    const Fd source(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (!source || fstat(source.get(), &status) != 0) {
        return fail_usage(path, fmt::format("cannot be read ({})", std::strerror(errno)));
    }
    if (!S_ISREG(status.st_mode)) {
        return fail_usage(path, kind_of_file(status.st_mode));
    }
    auto copy = MemoryFile::create("kerntoll-image");
    std::vector<std::byte> buffer(1U << 20U);
    while (copy) {
        const ssize_t count = read(source.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return fail_usage(path, fmt::format("cannot be read ({})", std::strerror(errno)));
        }
        if (count == 0) {
            break;
        }
        if (copy->size() + static_cast<std::uint64_t>(count) > largest_file) {
            return fail_usage(path, "is larger than 2 GiB");
        }
        const auto written = copy->append(std::span(buffer).first(static_cast<std::size_t>(count)));
        if (!written) {
            return std::unexpected(written.error());
        }
    }
    return copy;
}

std::string unpack_sentence(UnpackFault fault, const SeenWrapped& wrapped) {
    const std::string_view wrapping = wrapped.name;
    switch (fault) {
        case UnpackFault::truncated:
            return fmt::format("is truncated: its {} stream ends too early", wrapping);
        case UnpackFault::corrupt:
            return fmt::format("is damaged: its {} stream cannot be unpacked", wrapping);
        case UnpackFault::too_large:
            return fmt::format("unpacks ({}) to more than {} MiB", wrapping, wrapped.limit >> 20U);
        case UnpackFault::unsupported:
            return fmt::format(
                "is packed with {}, which kerntoll does not unpack (it knows gzip, zstd, xz and "
                "lz4)",
                wrapping);
        case UnpackFault::environment:
            return fmt::format("is packed with {} and there is no memory to unpack it", wrapping);
    }
    std::unreachable();
}

}  // namespace

std::string_view name(ImageForm form) {
    switch (form) {
        case ImageForm::x86_bzimage:
        case ImageForm::s390x_bzimage:
            return "bzImage";
        case ImageForm::arm64_image:
        case ImageForm::riscv_image:
            return "Image";
        case ImageForm::loongarch_image:
            return "vmlinux.efi";
        case ImageForm::elf:
            return "vmlinux";
    }
    std::unreachable();
}

std::string Image::description() const {
    std::string text = fmt::format("{} {}", lab::name(arch), lab::name(form));
    for (std::size_t i = wrappings.size(); i > 0; --i) {
        text += " in " + wrappings[i - 1];
    }
    return text;
}

Result<Image> read_image(const std::string& path) {
    auto copy = copy_file(path);
    if (!copy) {
        return std::unexpected(copy.error());
    }
    return read_image(std::move(*copy), path);
}

Result<Image> read_image(MemoryFile file, const std::string& path) {
    if (file.size() == 0) {
        return fail_usage(path, "is empty");
    }
    Image image;
    image.path = path;
    image.size = file.size();
    std::string found_in;  // "is a gzip file whose content " once that was seen
    for (int depth = 0; depth <= deepest_wrapping; ++depth) {
        const auto mapped = MappedFile::map(file);
        if (!mapped) {
            return std::unexpected(mapped.error());
        }
        if (depth == 0) {
            image.sha256 = sha256_of(mapped->bytes());
        }
        auto seen = look_at(mapped->bytes());
        if (const auto* kernel = std::get_if<SeenKernel>(&seen)) {
            if (const auto sealed = file.seal(); !sealed) {
                return std::unexpected(sealed.error());
            }
            image.arch = kernel->arch;
            image.form = kernel->form;
            image.banner = kernel->facts.banner;
            image.release = release_of(image.banner);
            image.build_id = kernel->facts.build_id;
            image.kernel = std::make_shared<const MemoryFile>(std::move(file));
            return image;
        }
        if (const auto* other = std::get_if<SeenOther>(&seen)) {
            return fail_usage(path, found_in + other->finding);
        }
        auto& wrapped = std::get<SeenWrapped>(seen);
        auto content = wrapped.unwrap();
        if (!content) {
            return fail_usage(path, found_in + unpack_sentence(content.error().fault, wrapped));
        }
        found_in += fmt::format("is {} whose content ", wrapped.noun);
        image.wrappings.push_back(wrapped.name);
        file = std::move(*content);
    }
    return fail_usage(path, "is packed again and again");
}

}  // namespace kerntoll::lab
