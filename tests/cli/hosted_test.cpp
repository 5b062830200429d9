// SPDX-License-Identifier: MIT
// The entry path on this CPU, as a user compares it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::vector<std::string> environment{"XDG_CACHE_HOME=" KERNTOLL_TEST_CACHE};

class Hosted : public ::testing::Test {
protected:
    [[nodiscard]] Finished kerntoll(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--db", scratch_ / "results.db"});
        return run_kerntoll(arguments, environment);
    }

private:
    ScratchDirectory scratch_;
};

TEST_F(Hosted, ComparesTwoVariantsToAVerdictInTime) {
    for (const std::string layout : {"", ",layout=random"}) {
        const Finished finished =
            kerntoll({"compare", "hosted:exit=outlined" + layout, "hosted:cc=clang" + layout,
                      "--max-time", "8s", "--format", "json"});
        ASSERT_EQ(finished.code, 0) << finished.errors;
        const json row = json::parse(finished.output)["rows"][0];
        EXPECT_EQ(row["scope"], layout.empty() ? "images" : "layouts");
        EXPECT_THAT(
            row["verdict"].get<std::string>(),
            AnyOf("faster", "slower", "equivalent", "layout-like", "undecided", "untrusted"));
        EXPECT_GE(row["replicates"].get<int>(), 2);
    }
}

TEST_F(Hosted, IsNeitherCountedNorTraced) {
    const Finished count = kerntoll({"count", "hosted:"});
    EXPECT_EQ(count.code, 2);
    EXPECT_THAT(
        count.errors,
        HasSubstr("hosted: cannot be counted: only emulated targets can, such as nano:ARCH"));
    const Finished trace = run_kerntoll({"trace", "hosted:"}, environment);
    EXPECT_EQ(trace.code, 2);
    EXPECT_THAT(
        trace.errors,
        HasSubstr("hosted: cannot be recorded: only emulated targets can, such as nano:ARCH"));
}

TEST_F(Hosted, AChoiceThatItHasNotIsASentence) {
    const Finished finished = kerntoll({"run", "hosted:frame=lazy"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("hosted has no such step"));
}

}  // namespace
}  // namespace kerntoll::test
