// SPDX-License-Identifier: MIT
#include "lab/target/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "lab/base/cache.hpp"
#include "lab/base/random.hpp"
#include "lab/base/subprocess.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/axes.hpp"
#include "lab/target/files.hpp"
#include "lab/target/options.hpp"

namespace kerntoll::lab {
namespace {

namespace fs = std::filesystem;

/// Compiling everything anew, on a busy machine.
constexpr std::chrono::minutes longest_build{10};

Result<void> check_choice(const TargetSpec& spec, std::string_view port, const Axis& axis,
                          std::string_view value) {
    const auto known = std::ranges::find(axis.values, value, &AxisValue::spelling);
    if (known == axis.values.end()) {
        std::vector<std::string_view> spellings;
        for (const AxisValue& one : axis.values) {
            spellings.push_back(one.spelling);
        }
        return bad_option(spec, axis.name, fmt::format("{}", fmt::join(spellings, ", ")));
    }
    if (known != axis.values.begin() && !has_axis(port, axis)) {
        return fail(Fault::usage,
                    fmt::format("the target '{}' has {}={}, but {} has no such step ({}); leave "
                                "{} out ('kerntoll variants' shows which port has what)",
                                spec.text, axis.name, value, port, axis.decides, axis.name));
    }
    return {};
}

/// The image's name in the cache: it only has to differ where variants do, since nano/build sees
/// to it that an image is made of what its sources are now.
std::string file_name(const Variant& variant, std::optional<std::uint32_t> layout) {
    std::string name = fmt::format("{}-{}", variant.port, variant.compiler);
    for (const auto& [axis, value] : variant.choices) {
        name += fmt::format("-{}={}", axis, value);
    }
    if (layout) {
        name += fmt::format("-layout={}", *layout);
    }
    return name;
}

/// The last line is the build's own sentence; what the compiler said stands above it, and of that
/// a failed static_assert is the reason.
std::string reason_of(std::string_view output) {
    constexpr std::array<std::string_view, 2> marks{"static assertion failed", "error: "};
    for (const std::string_view mark : marks) {
        if (const auto at = output.find(mark); at != output.npos) {
            const auto line = output.substr(at + mark.size());
            auto sentence = line.substr(0, line.find('\n'));
            // clang quotes what was required, in all its types.
            if (const auto quoted = sentence.find("': "); quoted != std::string_view::npos) {
                sentence.remove_prefix(quoted + 1);
            }
            sentence.remove_prefix(std::min(sentence.find_first_not_of(": \""), sentence.size()));
            if (sentence.ends_with('"')) {
                sentence.remove_suffix(1);
            }
            return std::string(sentence);
        }
    }
    while (output.ends_with('\n')) {
        output.remove_suffix(1);
    }
    const auto last = output.rfind('\n');
    return std::string(last == output.npos ? output : output.substr(last + 1));
}

}  // namespace

Result<Variant> read_variant(const TargetSpec& spec, std::string_view port) {
    Variant variant{.port = std::string(port),
                    .compiler = std::string(spec.option("cc").value_or("clang")),
                    .choices = {}};
    if (variant.compiler != "clang" && variant.compiler != "gcc") {
        return bad_option(spec, "cc", "clang or gcc");
    }
    for (const Axis& axis : axes()) {
        const auto value = spec.option(axis.name);
        if (!value) {
            continue;
        }
        if (auto fits = check_choice(spec, port, axis, *value); !fits) {
            return std::unexpected(fits.error());
        }
        if (*value != axis.values.front().spelling) {
            variant.choices.emplace_back(axis.name, *value);
        }
    }
    return variant;
}

Result<LayoutChoice> read_layout(const TargetSpec& spec) {
    const auto given = spec.option("layout");
    if (!given) {
        return LayoutChoice{};
    }
    if (*given == "random") {
        return LayoutChoice{.kind = LayoutChoice::Kind::drawn};
    }
    constexpr std::uint64_t most = 999'999'999;
    const auto seed = read_number(spec, "layout", 0, most, 0);
    if (!seed) {
        return bad_option(spec, "layout", "random, or a seed: a number of up to nine digits");
    }
    return LayoutChoice{.kind = LayoutChoice::Kind::seeded,
                        .seed = static_cast<std::uint32_t>(*seed)};
}

Result<fs::path> build_variant(const Variant& variant, std::optional<std::uint32_t> layout) {
    const auto builder = nano_build_path();
    if (!builder) {
        return std::unexpected(builder.error());
    }
    const fs::path cache = cache_folder();
    std::error_code failed;
    fs::create_directories(cache / "images", failed);
    if (failed) {
        return fail(Fault::environment,
                    fmt::format("cannot keep images in {}: {}; set XDG_CACHE_HOME to a folder that "
                                "can be written to",
                                cache.string(), failed.message()));
    }
    fs::path image = cache / "images" / file_name(variant, layout);
    std::vector<std::string> command{builder->string(), variant.port,
                                     fmt::format("cc={}", variant.compiler)};
    for (const auto& [axis, value] : variant.choices) {
        command.push_back(fmt::format("{}={}", axis, value));
    }
    if (layout) {
        command.push_back(fmt::format("layout={}", *layout));
    }
    command.insert(command.end(), {"-o", image.string(), "--cache", (cache / "objects").string()});
    const auto built = run_captured(command, longest_build);
    if (!built) {
        return std::unexpected(built.error());
    }
    if (built->status.code == 0) {
        return image;
    }
    return fail(built->status.code == 2 ? Fault::usage : Fault::environment,
                fmt::format("the variant {} cannot be built: {}", file_name(variant, layout),
                            reason_of(built->output)));
}

Result<MemoryFile> draw_image(const Variant& variant, const Launch& how) {
    // Beyond the purposes that the experiment draws for (lab/experiment/replicate.cpp).
    constexpr std::uint32_t layout_purpose = 0x4c000000;
    Random random(how.seed, how.replicate, layout_purpose + how.arm);
    constexpr std::uint32_t seeds = 1'000'000'000;
    const auto image = build_variant(variant, static_cast<std::uint32_t>(random.below(seeds)));
    if (!image) {
        return std::unexpected(image.error());
    }
    const auto bytes = read_file(*image);
    std::error_code ignored;
    fs::remove(*image, ignored);  // nobody will ask for this one again
    return bytes ? MemoryFile::holding("image", *bytes) : std::unexpected(bytes.error());
}

std::string choices_text(const Variant& variant) {
    std::string text;
    for (const auto& [axis, value] : variant.choices) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis, value);
    }
    return text.empty() ? "defaults" : text;
}

std::vector<std::string> left_to_compiler(const Variant& variant, std::string_view image) {
    std::vector<std::string> sentences;
    for (const auto& [axis, value] : variant.choices) {
        if (value == "auto") {
            // As the function of kerntoll/entry/syscall.hpp is spelled in a table of symbols.
            const std::string function = fmt::format("{}{}_automatic", axis.size() + 10, axis);
            sentences.push_back(fmt::format(
                "{}=auto: {} {}", axis, variant.compiler,
                image.contains(function) ? "made it a function of its own" : "inlined it"));
        }
    }
    return sentences;
}

}  // namespace kerntoll::lab
