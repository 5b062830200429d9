// SPDX-License-Identifier: MIT
#include "lab/store/export.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tests/store/example.hpp"

namespace kerntoll::lab::store {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Export : public testing::Test {
protected:
    void SetUp() override {
        RunRecord run = example_run();
        run.workloads = {"getpid", "odd,\"name\""};
        id_ = must(store_.begin_run(run));
        auto sink = must(store_.sink(id_));
        BatchRecord batch = example_batch(0, 0, 2, 1);
        batch.sample.counters.cycles = 77;
        must(sink->batch(batch));
        must(sink->replicate_done(0, 1));
        must(sink->batch(example_batch(1, 0, 0)));
        must(sink->count({0, 0, 348, 4, true}));
        must(sink->path({.arm = 0,
                         .workload = 1,
                         .counts = {.instructions = 344, .specials = {{"swapgs", 2}}},
                         .image = {.sections = ImageSize{4000, 900}},
                         .functions = {{"f", Fate::gone, "", 5, 0, 40, {}}}}));
        must(sink->event({1, 0, "fault", "bad \xff byte", {"console"}}));
        must(sink->finish(RunState::interrupted, "Ctrl-C"));
    }
    using Exporter = Result<void> (*)(const Store&, RunId, std::FILE*);
    std::string exported(Exporter exporter) {
        char* text = nullptr;
        std::size_t size = 0;
        std::FILE* file = open_memstream(&text, &size);
        must(exporter(store_, id_, file));
        std::fclose(file);
        std::string result(text, size);
        std::free(text);
        return result;
    }
    TemporaryDirectory directory_;
    Store store_ = must(Store::open(directory_ / "results.db", OpenMode::write));
    RunId id_ = 0;
};

TEST_F(Export, csv_has_a_line_for_every_batch_and_marks_those_that_count) {
    EXPECT_EQ(exported(export_csv),
              "run,replicate,complete,block,position,arm,role,workload,at_ns,ops,elapsed_ns,ticks,"
              "instructions,cycles,branch_misses,l1i_misses\n"
              "1,0,1,0,2,2,change,\"odd,\"\"name\"\"\",1700000000000000000,200000,20000000,"
              "40000000,,77,,\n"
              "1,1,0,0,0,0,base,getpid,1700000000000000001,200000,20000000,40000000,,,,\n");
}

TEST_F(Export, json_holds_the_run_and_every_batch) {
    const auto json = nlohmann::json::parse(exported(export_json));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["run_id"], 1);
    EXPECT_EQ(json["seed"], "18364758544493064720");
    EXPECT_EQ(json["state"], "interrupted");
    EXPECT_EQ(json["arms"][2]["target"], "host,seccomp=args");
    EXPECT_EQ(json["counts"][0]["instructions_per_op"], 348);
    EXPECT_EQ(json["paths"][0]["instructions"], 344);
    EXPECT_EQ(json["paths"][0]["specials"]["swapgs"], 2);
    EXPECT_EQ(json["paths"][0]["sections"]["text_bytes"], 4000);
    EXPECT_EQ(json["paths"][0]["labels"], nullptr);
    EXPECT_EQ(json["paths"][0]["functions"][0]["fate"], "gone");
    EXPECT_EQ(json["paths"][0]["functions"][0]["change_bytes"], nullptr);
    EXPECT_THAT(json["events"][0]["text"].get<std::string>(), StartsWith("bad "));
    ASSERT_EQ(json["batches"].size(), 2U);
    const auto column = [&](const char* name, std::size_t batch) {
        const auto& columns = json["batch_columns"];
        const auto place = std::ranges::find(columns, name) - columns.begin();
        return json["batches"][batch][static_cast<std::size_t>(place)];
    };
    EXPECT_EQ(json["batches"][0].size(), json["batch_columns"].size());
    EXPECT_EQ(column("complete", 0), true);
    EXPECT_EQ(column("complete", 1), false);
    EXPECT_EQ(column("arm", 0), 2);
    EXPECT_EQ(column("workload", 0), 1);
    EXPECT_EQ(column("cycles", 0), 77);
    EXPECT_EQ(column("cycles", 1), nullptr);
    EXPECT_EQ(column("elapsed_ns", 1), 20000000);
}

TEST_F(Export, a_run_without_batches_is_still_json) {
    id_ = must(store_.begin_run(example_run()));
    const auto json = nlohmann::json::parse(exported(export_json));
    EXPECT_EQ(json["batches"].size(), 0U);
}

TEST_F(Export, a_full_disk_is_an_error) {
    for (const Exporter exporter : {export_csv, export_json}) {
        std::FILE* full = std::fopen("/dev/full", "w");
        ASSERT_NE(full, nullptr);
        const auto result = exporter(store_, id_, full);
        std::fclose(full);
        ASSERT_FALSE(result);
        EXPECT_THAT(result.error().message, HasSubstr("No space left"));
    }
}

TEST_F(Export, a_run_that_is_not_there_is_named) {
    EXPECT_THAT(export_csv(store_, 99, stdout).error().message, HasSubstr("no run 99"));
    EXPECT_THAT(export_json(store_, 99, stdout).error().message, HasSubstr("no run 99"));
}

}  // namespace
}  // namespace kerntoll::lab::store
