// SPDX-License-Identifier: MIT
// Stored runs with a known truth, for the tests of the report.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/base/random.hpp"
#include "lab/report/render.hpp"
#include "lab/report/report.hpp"
#include "tests/store/example.hpp"

namespace kerntoll::lab::report {

/// One run in a store of its own. Times are made of a base time, each arm's effect and noise.
class Scene {
public:
    explicit Scene(store::RunRecord record) : run(std::move(record)) {}

    store::RunRecord run;
    double base_ns = 100;
    double noise = 0.002;             ///< log-ratio, of each replicate
    double slow_share = 0;            ///< of the replicates, which take a fifth more time
    std::vector<double> arm_effects;  ///< log-ratio of each arm; missing ones are zero
    std::uint32_t replicates = 30;
    std::uint64_t ops = 100'000;
    CounterReading counters;  ///< per batch
    std::vector<store::CountRecord> counts;
    std::vector<store::PathRecord> paths;
    std::vector<store::EventRecord> events;
    store::RunState state = store::RunState::finished;
    std::string why = "the time is out";

    /// Stores the run and works out its report.
    [[nodiscard]] Report report() {
        id_ = store::must(store_.begin_run(run));
        auto sink = store::must(store_.sink(id_));
        for (const auto& count : counts) {
            store::must(sink->count(count));
        }
        for (const auto& path : paths) {
            store::must(sink->path(path));
        }
        for (const auto& event : events) {
            store::must(sink->event(event));
        }
        for (std::uint32_t replicate = 0; replicate < replicates; ++replicate) {
            measure(*sink, replicate);
            store::must(sink->replicate_done(replicate, (replicate + 1) * 2.0));
        }
        store::must(sink->finish(state, why));
        return store::must(analyse(store_, id_));
    }
    [[nodiscard]] const store::Store& store() const { return store_; }
    [[nodiscard]] store::RunId id() const { return id_; }

private:
    void measure(store::Sink& sink, std::uint32_t replicate) {
        Random random(7, replicate, 0);
        const bool slow =
            static_cast<double>(Random(8, replicate, 0).below(1000)) < 1000 * slow_share;
        for (std::uint32_t workload = 0; workload < run.workloads.size(); ++workload) {
            for (std::uint32_t arm = 0; arm < run.arms.size(); ++arm) {
                const double effect = arm < arm_effects.size() ? arm_effects[arm] : 0;
                const double luck = noise * (static_cast<double>(random.below(2001)) / 1000 - 1);
                const double ns =
                    base_ns * (slow ? 1.2 : 1) * std::exp(effect + luck) * static_cast<double>(ops);
                for (std::uint32_t block = 0; block < 3; ++block) {
                    auto batch = store::example_batch(replicate, block, arm, workload,
                                                      static_cast<std::uint64_t>(ns) + block);
                    batch.sample.ops = ops;
                    batch.sample.counters = counters;
                    store::must(sink.batch(batch));
                }
            }
        }
    }

    std::unique_ptr<store::TemporaryDirectory> directory_ =
        std::make_unique<store::TemporaryDirectory>();
    store::Store store_ =
        store::must(store::Store::open(*directory_ / "results.db", store::OpenMode::write));
    store::RunId id_ = 0;
};

/// getpid on two images, emulated, with base, control and change; 5 % slower.
inline Scene emulated_scene() {
    store::RunRecord run = store::example_run();
    run.workloads = {"getpid"};
    run.argv = {"kerntoll", "compare", "linux:a/bzImage", "linux:b/bzImage,append=\"x y\""};
    for (auto& arm : run.arms) {
        arm.grade = Grade::emulated;
        arm.scope = Scope::images;
        arm.target = arm.role == store::Role::change ? run.argv[3] : run.argv[2];
        arm.layout_key = arm.target;
    }
    Scene scene(run);
    scene.arm_effects = {0, 0, 0.05};
    scene.counts = {{0, 0, 348, 4, true}, {2, 0, 309, 4, true}};
    return scene;
}

/// getpid and mix on the host, with base, control and change; equivalent unless told otherwise.
inline Scene host_scene() {
    return Scene(store::example_run());
}

}  // namespace kerntoll::lab::report
