// SPDX-License-Identifier: MIT
#include "lab/report/path_json.hpp"

#include "lab/report/path_reading.hpp"
#include "lab/report/plain.hpp"

namespace kerntoll::lab::report {

using Json = nlohmann::ordered_json;
using Source = store::ComparedSizes::Source;

Json counts_json(const store::Counts& counts) {
    Json json;
    for (const store::Quantity& quantity : store::quantities()) {
        json[std::string(quantity.key)] = counts.*quantity.count;
    }
    json["specials"] = Json::object();
    for (const auto& [name, count] : counts.specials) {
        json["specials"][harmless(name)] = count;
    }
    return json;
}

Json image_json(const store::ImageSizes& image, Source by) {
    const auto& size = by == Source::sections ? image.sections : image.labels;
    if (!size) {
        return nullptr;
    }
    return {{"text_bytes", size->text}, {"rodata_bytes", size->rodata}, {"by", name(by)}};
}

Source source_of(const store::ImageSizes& base, const store::ImageSizes& change) {
    const auto sizes = store::compare_sizes(base, change);
    return sizes ? sizes->source : base.labels || change.labels ? Source::labels : Source::sections;
}

Json function_json(const store::FunctionChange& function) {
    return {{"name", function.name},
            {"fate", name(function.fate)},
            {"into", function.into.empty() ? Json(nullptr) : Json(function.into)},
            {"instructions_difference", function.instructions()},
            {"size_bytes",
             {{"base", or_null(function.base_size)}, {"change", or_null(function.change_size)}}}};
}

Json paths_json(const Report& report, const Row& row) {
    const auto reading = read_path(report, row);
    if (!reading) {
        return nullptr;
    }
    const store::PathRecord& base = *reading->base;
    const store::PathRecord& change = *reading->change;
    const Source by = source_of(base.image, change.image);
    const auto side = [&](const store::PathRecord& path) -> Json {
        return {{"counts", counts_json(path.counts)},
                {"image", image_json(path.image, by)},
                {"remarks", path.remarks}};
    };
    Json json{{"call", change.call},
              {"calls_per_op", change.calls_per_op},
              {"same", reading->same},
              {"base", side(base)},
              {"change", side(change)},
              {"functions", Json::array()},
              {"counts_and_time_disagree", reading->disagree},
              {"suspects", reading->suspects},
              {"test_commands", reading->test_commands},
              {"sentences", path_sentences(report, row)},
              {"explain", explain_command(report, row)}};
    for (const store::FunctionChange& function : change.functions) {
        Json each = function_json(function);
        each["instructions"] = {{"base", function.base}, {"change", function.change}};
        json["functions"].push_back(std::move(each));
    }
    return json;
}

}  // namespace kerntoll::lab::report
