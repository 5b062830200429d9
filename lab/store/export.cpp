// SPDX-License-Identifier: MIT
#include "lab/store/export.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace kerntoll::lab::store {
namespace {

using Json = nlohmann::ordered_json;

/// Version of the exported JSON; see docs/store.md.
constexpr int export_schema = 1;

constexpr std::string_view csv_header =
    "run,replicate,complete,block,position,arm,role,workload,at_ns,ops,elapsed_ns,ticks,"
    "instructions,cycles,branch_misses,l1i_misses\n";

/// Gathers text and writes it in large pieces. What does not get written is reported once.
class Out {
public:
    explicit Out(std::FILE* file) : file_(file) {}

    fmt::memory_buffer& buffer() { return buffer_; }
    void text(std::string_view text) { buffer_.append(text); }
    void flush_if_full() {
        constexpr std::size_t enough = std::size_t{1} << 16U;
        if (buffer_.size() >= enough) {
            flush();
        }
    }
    Result<void> close() {
        flush();
        if (std::fflush(file_) != 0 && errno_ == 0) {
            errno_ = errno;
        }
        if (errno_ != 0) {
            return fail(Fault::environment,
                        fmt::format("the export could not be written ({}); what was written is "
                                    "not complete",
                                    std::generic_category().message(errno_)));
        }
        return {};
    }

private:
    void flush() {
        if (errno_ == 0 &&
            std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
            errno_ = errno;
        }
        buffer_.clear();
    }

    std::FILE* file_;
    fmt::memory_buffer buffer_;
    int errno_ = 0;
};

std::string csv_field(std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(field);
    }
    std::string text = "\"";
    for (const char c : field) {
        text += c == '"' ? "\"\"" : std::string(1, c);
    }
    return text + "\"";
}

void append_counter(fmt::memory_buffer& buffer, const std::optional<std::uint64_t>& counter,
                    std::string_view missing) {
    buffer.push_back(',');
    if (counter) {
        fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}"), *counter);
    } else {
        buffer.append(missing);
    }
}

void append_counters(fmt::memory_buffer& buffer, const CounterReading& counters,
                     std::string_view missing) {
    append_counter(buffer, counters.instructions, missing);
    append_counter(buffer, counters.cycles, missing);
    append_counter(buffer, counters.branch_misses, missing);
    append_counter(buffer, counters.l1i_misses, missing);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json arms_json(const RunRecord& run) {
    Json arms = Json::array();
    for (const ArmRecord& arm : run.arms) {
        arms.push_back({{"arm", arm.index},
                        {"role", name(arm.role)},
                        {"target", arm.target},
                        {"grade", name(arm.grade)},
                        {"scope", name(arm.scope)},
                        {"layout_key", arm.layout_key},
                        {"provenance", arm.provenance},
                        {"remarks", arm.remarks}});
    }
    return arms;
}

Json size_json(const std::optional<ImageSize>& size) {
    if (!size) {
        return nullptr;
    }
    return {{"text_bytes", size->text}, {"rodata_bytes", size->rodata}};
}

Json paths_json(const StoredRun& stored) {
    Json paths = Json::array();
    for (const PathRecord& path : stored.paths) {
        Json each{{"arm", path.arm},
                  {"workload", path.workload},
                  {"call", path.call},
                  {"calls_per_op", path.calls_per_op}};
        for (const Quantity& quantity : quantities()) {
            each[std::string(quantity.key)] = path.counts.*quantity.count;
        }
        each["specials"] = path.counts.specials;
        each["sections"] = size_json(path.image.sections);
        each["labels"] = size_json(path.image.labels);
        each["remarks"] = path.remarks;
        each["functions"] = Json::array();
        for (const FunctionChange& function : path.functions) {
            each["functions"].push_back({{"name", function.name},
                                         {"fate", name(function.fate)},
                                         {"held_by", function.into},
                                         {"base_instructions", function.base},
                                         {"change_instructions", function.change},
                                         {"base_bytes", or_null(function.base_size)},
                                         {"change_bytes", or_null(function.change_size)}});
        }
        paths.push_back(std::move(each));
    }
    return paths;
}

Json head_json(const StoredRun& stored) {
    const RunRecord& run = stored.run;
    Json counts = Json::array();
    for (const CountRecord& count : stored.counts) {
        counts.push_back({{"arm", count.arm},
                          {"workload", count.workload},
                          {"instructions_per_op", count.instructions_per_op},
                          {"loop_instructions", count.loop_instructions},
                          {"exact", count.exact}});
    }
    Json events = Json::array();
    for (const EventRecord& event : stored.events) {
        events.push_back({{"replicate", or_null(event.replicate)},
                          {"arm", or_null(event.arm)},
                          {"kind", event.kind},
                          {"text", event.text},
                          {"console", event.console}});
    }
    return {{"schema", export_schema},
            {"run_id", stored.id},
            {"command", run.command},
            {"argv", run.argv},
            {"workloads", run.workloads},
            {"seed", std::to_string(run.seed)},  // as text: it may lie above 2^53
            {"margin", run.margin},
            {"precision", run.precision},
            {"max_seconds", run.max_seconds},
            {"batch_seconds", run.batch_seconds},
            {"blocks", run.blocks},
            {"least_replicates", run.least_replicates},
            {"most_replicates", run.most_replicates},
            {"version", run.version},
            {"environment", run.environment},
            {"state", name(stored.state)},
            {"why", stored.why},
            {"started_ns", stored.started_ns},
            {"seconds", stored.seconds},
            {"arms", arms_json(run)},
            {"counts", counts},
            {"paths", paths_json(stored)},
            {"events", events}};
}

}  // namespace

Result<void> export_csv(const Store& store, RunId id, std::FILE* out) {
    auto stored = store.load(id);
    if (!stored) {
        return std::unexpected(stored.error());
    }
    const RunRecord& run = stored->run;
    Out writer(out);
    writer.text(csv_header);
    std::vector<std::string> workloads(run.workloads.size());
    std::ranges::transform(run.workloads, workloads.begin(), csv_field);
    auto streamed = store.for_every_batch(id, [&](const BatchRecord& batch, bool complete) {
        const std::string_view role =
            batch.arm < run.arms.size() ? name(run.arms[batch.arm].role) : "";
        const std::string_view workload =
            batch.workload < workloads.size() ? std::string_view(workloads[batch.workload]) : "";
        const Sample& sample = batch.sample;
        fmt::format_to(std::back_inserter(writer.buffer()),
                       FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{}"), id, batch.replicate,
                       complete ? 1 : 0, batch.block, batch.position, batch.arm, role, workload,
                       batch.at_ns, sample.ops, sample.elapsed_ns, sample.ticks);
        append_counters(writer.buffer(), sample.counters, "");
        writer.buffer().push_back('\n');
        writer.flush_if_full();
    });
    if (!streamed) {
        return streamed;
    }
    return writer.close();
}

Result<void> export_json(const Store& store, RunId id, std::FILE* out) {
    auto stored = store.load(id);
    if (!stored) {
        return std::unexpected(stored.error());
    }
    Out writer(out);
    std::string head = head_json(*stored).dump(1, ' ', false, Json::error_handler_t::replace);
    head.erase(head.rfind('\n'));  // the closing brace comes after the batches
    writer.text(head);
    writer.text(
        ",\n \"batch_columns\": [\"replicate\", \"complete\", \"block\", \"position\", \"arm\", "
        "\"workload\", \"at_ns\", \"ops\", \"elapsed_ns\", \"ticks\", \"instructions\", "
        "\"cycles\", \"branch_misses\", \"l1i_misses\"],\n \"batches\": [");
    bool first = true;
    auto streamed = store.for_every_batch(id, [&](const BatchRecord& batch, bool complete) {
        const Sample& sample = batch.sample;
        writer.text(first ? "\n" : ",\n");
        first = false;
        fmt::format_to(std::back_inserter(writer.buffer()),
                       FMT_COMPILE("  [{},{},{},{},{},{},{},{},{},{}"), batch.replicate,
                       complete ? "true" : "false", batch.block, batch.position, batch.arm,
                       batch.workload, batch.at_ns, sample.ops, sample.elapsed_ns, sample.ticks);
        append_counters(writer.buffer(), sample.counters, "null");
        writer.buffer().push_back(']');
        writer.flush_if_full();
    });
    if (!streamed) {
        return streamed;
    }
    writer.text("\n ]\n}\n");
    return writer.close();
}

}  // namespace kerntoll::lab::store
