// SPDX-License-Identifier: MIT
// What is known of paths, for scripts: the parts that `explain` and a comparison have in common.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/report/report.hpp"
#include "lab/report/schema.hpp"

namespace kerntoll::lab::report {

template <class Value>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// All counts by their keys, and the specials.
[[nodiscard]] nlohmann::ordered_json counts_json(const store::Counts& counts);
/// An image's size as one of the two ways knows it; null where it does not.
[[nodiscard]] nlohmann::ordered_json image_json(const store::ImageSizes& image,
                                                store::ComparedSizes::Source by);
/// The way in which the size of two images, or of one, is told.
[[nodiscard]] store::ComparedSizes::Source source_of(const store::ImageSizes& base,
                                                     const store::ImageSizes& change);
/// Name, fate, into, and the function's size in both images.
[[nodiscard]] nlohmann::ordered_json function_json(const store::FunctionChange& function);

/// The paths of one row of a comparison; null where there are not both.
[[nodiscard]] nlohmann::ordered_json paths_json(const Report& report, const Row& row);

}  // namespace kerntoll::lab::report
