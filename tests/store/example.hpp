// SPDX-License-Identifier: MIT
// Example runs and places to keep them, for the tests of store and report.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/store/store.hpp"

namespace kerntoll::lab::store {

/// A directory of the test's own that goes away with it.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "kerntoll-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::filesystem::path operator/(const std::string& file) const {
        return path_ / file;
    }

private:
    std::filesystem::path path_;
};

/// A comparison of two workloads: base, control and one change.
inline RunRecord example_run() {
    RunRecord run;
    run.command = "compare";
    run.argv = {"kerntoll", "compare", "host", "host,seccomp=args"};
    run.workloads = {"getpid", "mix"};
    run.seed = 0xfedcba9876543210;
    run.version = "0.1.0";
    run.environment = {{"governor", "performance"}, {"smt", "off"}};
    run.arms = {
        {0, Role::base, "host", Grade::virtualised, Scope::layouts, "k1", {{"kernel", "6.1"}}, {}},
        {1, Role::control, "host", Grade::virtualised, Scope::layouts, "k1", {}, {}},
        {2,
         Role::change,
         "host,seccomp=args",
         Grade::virtualised,
         Scope::layouts,
         "k1",
         {{"kernel", "6.1"}, {"note", "tabs\tand \"quotes\""}},
         {"a remark"}},
    };
    return run;
}

inline BatchRecord example_batch(std::uint32_t replicate, std::uint32_t block, std::uint32_t arm,
                                 std::uint32_t workload = 0,
                                 std::uint64_t elapsed_ns = 20'000'000) {
    BatchRecord batch;
    batch.replicate = replicate;
    batch.block = block;
    batch.position = arm;
    batch.arm = arm;
    batch.workload = workload;
    batch.at_ns = 1'700'000'000'000'000'000 + replicate;
    batch.sample = {
        .ops = 200'000, .elapsed_ns = elapsed_ns, .ticks = elapsed_ns * 2, .counters = {}};
    return batch;
}

/// The value of a result; the test fails with the sentence where there is none.
template <class T>
T must(Result<T> result) {
    if (!result) {
        ADD_FAILURE() << result.error().message;
        std::abort();
    }
    return *std::move(result);
}
inline void must(const Result<void>& result) {
    if (!result) {
        ADD_FAILURE() << result.error().message;
        std::abort();
    }
}

inline std::vector<BatchRecord> all_batches(const Store& store, RunId id) {
    std::vector<BatchRecord> batches;
    must(store.for_each_batch(id, [&](const BatchRecord& batch) { batches.push_back(batch); }));
    return batches;
}

}  // namespace kerntoll::lab::store
