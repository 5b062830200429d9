// SPDX-License-Identifier: MIT
// Machines and a sink that remember what was done with them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/store/records.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab::test {

/// What all machines of one test share: the order of events, and a clock that only they advance.
struct World {
    std::vector<std::uint32_t> launches;  ///< arms in launching order, all replicates
    std::vector<std::uint64_t> batch_ops;
    int running = 0;       ///< machines between go_on() and pause()
    int most_running = 0;  ///< the largest number of them seen while a batch ran
    int alive = 0;         ///< machines not destroyed yet
    std::uint64_t now_ns = 0;
    std::uint64_t boot_ns = 1'000'000;
};

/// How one arm behaves; each hook may fail.
struct Behaviour {
    std::function<double(const Launch&)> ns_per_op = [](const Launch&) { return 100.0; };
    std::function<Result<void>(const Launch&)> boot = [](const Launch&) { return Result<void>{}; };
    std::function<Result<void>(const Launch&)> batch = [](const Launch&) { return Result<void>{}; };
    std::uint64_t calibrated = 1000;
};

class FakeMachine : public Machine {
public:
    FakeMachine(World& world, const Behaviour& behaviour, const Launch& how)
        : world_(world), behaviour_(behaviour), how_(how) {
        ++world_.alive;
        ++world_.running;
    }
    ~FakeMachine() override { --world_.alive; }
    Result<void> wait_ready() override {
        world_.now_ns += world_.boot_ns;
        return behaviour_.boot(how_);
    }
    const Identity& identity() const override { return identity_; }
    Result<std::uint64_t> calibrate(const Work&, std::chrono::nanoseconds) override {
        return behaviour_.calibrated;
    }
    Result<Sample> run(const Work&, std::uint64_t ops) override {
        world_.most_running = std::max(world_.most_running, world_.running);
        world_.batch_ops.push_back(ops);
        if (auto fine = behaviour_.batch(how_); !fine) {
            return std::unexpected(fine.error());
        }
        const auto elapsed =
            static_cast<std::uint64_t>(behaviour_.ns_per_op(how_) * static_cast<double>(ops));
        world_.now_ns += elapsed;
        return Sample{ops, elapsed, 0, {}};
    }
    Result<std::string> prove(const Work&) override { return "checked"; }
    Result<void> pause() override {
        --world_.running;
        return {};
    }
    Result<void> go_on() override {
        ++world_.running;
        return {};
    }
    std::vector<std::string> console_tail() const override { return {"last line"}; }

private:
    World& world_;
    const Behaviour& behaviour_;
    Launch how_;
    Identity identity_;
};

class FakeTarget : public Target {
public:
    FakeTarget(World& world, Behaviour behaviour)
        : world_(world), behaviour_(std::move(behaviour)) {}
    const TargetSpec& spec() const override { return spec_; }
    Grade grade() const override { return Grade::simulated; }
    Scope scope() const override { return Scope::layouts; }
    bool can_count() const override { return false; }
    std::string layout_key() const override { return "fake"; }
    Provenance provenance() const override { return {}; }
    std::vector<std::string> remarks() const override { return {}; }
    Result<std::unique_ptr<Machine>> launch(const Launch& how) override {
        world_.launches.push_back(how.arm);
        return std::make_unique<FakeMachine>(world_, behaviour_, how);
    }

private:
    World& world_;
    Behaviour behaviour_;
    TargetSpec spec_;
};

/// Keeps everything in memory; fails where told to.
class FakeSink : public store::Sink {
public:
    Result<void> batch(const store::BatchRecord& record) override {
        if (batches.size() >= room) {
            return fail(Fault::store, "the store is full");
        }
        batches.push_back(record);
        return {};
    }
    Result<void> count(const store::CountRecord& record) override {
        counts.push_back(record);
        return {};
    }
    Result<void> path(const store::PathRecord&) override { return {}; }
    Result<void> event(const store::EventRecord& record) override {
        events.push_back(record);
        return {};
    }
    Result<void> replicate_done(std::uint32_t replicate, double) override {
        done.push_back(replicate);
        return {};
    }
    Result<void> finish(store::RunState state, const std::string&) override {
        finished = state;
        return {};
    }

    std::size_t room = SIZE_MAX;
    std::vector<store::BatchRecord> batches;
    std::vector<store::CountRecord> counts;
    std::vector<store::EventRecord> events;
    std::vector<std::uint32_t> done;
    std::optional<store::RunState> finished;
};

}  // namespace kerntoll::lab::test
