// SPDX-License-Identifier: MIT
// Paths that are compared with each other are recorded in the same way.
#include <gmock/gmock.h>

#include <vector>

#include "lab/path/record.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Result<RecordedPath> recorded(RecordedBy by) {
    RecordedPath path;
    path.by = by;
    return path;
}

/// Which of the paths were recorded again.
std::vector<std::size_t> again(std::vector<Result<RecordedPath>>& paths) {
    std::vector<Result<RecordedPath>*> pointers;
    for (auto& path : paths) {
        pointers.push_back(&path);
    }
    std::vector<std::size_t> asked;
    record_alike(pointers, [&](std::size_t which) {
        asked.push_back(which);
        return recorded(RecordedBy::single_steps);
    });
    return asked;
}

std::vector<Result<RecordedPath>> three(RecordedBy first, RecordedBy second) {
    std::vector<Result<RecordedPath>> paths;
    paths.push_back(recorded(first));
    paths.push_back(recorded(second));
    paths.push_back(fail(Fault::measurement, "it did not boot"));
    return paths;
}

TEST(RecordAlike, LeavesPathsAloneThatWereRecordedInOneWay) {
    for (const RecordedBy by : {RecordedBy::plugin, RecordedBy::single_steps}) {
        auto paths = three(by, by);
        EXPECT_THAT(again(paths), IsEmpty());
    }
}

TEST(RecordAlike, TakesSingleStepsForAllWhereOneHasNothingElse) {
    auto paths = three(RecordedBy::single_steps, RecordedBy::plugin);
    EXPECT_THAT(again(paths), ElementsAre(1));
    EXPECT_EQ(paths[1]->by, RecordedBy::single_steps);
    EXPECT_FALSE(paths[2]);
    paths = three(RecordedBy::plugin, RecordedBy::single_steps);
    EXPECT_THAT(again(paths), ElementsAre(0));
}

}  // namespace
}  // namespace kerntoll::lab::path
