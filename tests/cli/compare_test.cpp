// SPDX-License-Identifier: MIT
// Whole comparisons of simulated machines, whose true effect is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* base = "sim:ns=100,noise=0.2%,layout=0.2%";
constexpr const char* two_percent_slower = "sim:ns=102,noise=0.2%,layout=0.2%";

/// Changes a results file behind kerntoll's back; SQLite's result code.
int execute(const std::string& file, const char* statement) {
    sqlite3* database = nullptr;
    int result = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    if (result == SQLITE_OK) {
        result = sqlite3_exec(database, statement, nullptr, nullptr, nullptr);
    }
    sqlite3_close(database);
    return result;
}

class Compare : public ::testing::Test {
protected:
    /// Runs a command on this test's own results file.
    [[nodiscard]] Finished kerntoll(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--db", file()});
        return run_kerntoll(arguments);
    }
    [[nodiscard]] json answer(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--format", "json"});
        const Finished finished = kerntoll(std::move(arguments));
        EXPECT_EQ(finished.code, 0) << finished.errors;
        return json::parse(finished.output, nullptr, false);
    }
    [[nodiscard]] std::string file() const { return scratch_ / "results.db"; }

private:
    ScratchDirectory scratch_;
};

TEST_F(Compare, FindsAPlantedDifference) {
    const json row = answer({"compare", base, two_percent_slower, "--seed", "1"})["rows"][0];
    EXPECT_EQ(row["verdict"], "slower");
    EXPECT_NEAR(row["effect_percent"], 2, 0.5);
}

TEST_F(Compare, FindsEqualThingsEquivalent) {
    const json row = answer({"compare", base, base, "--seed", "1"})["rows"][0];
    EXPECT_EQ(row["verdict"], "equivalent");
}

TEST_F(Compare, GivesScriptsTheKeysThatTheyRelyOn) {
    const json whole = answer({"compare", base, two_percent_slower, "--seed", "1"});
    const json row = whole["rows"][0];
    for (const char* key : {"verdict", "effect_percent", "interval_percent", "ns_per_op",
                            "instructions_per_op", "grade", "replicates", "run_id"}) {
        EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_TRUE(whole.contains("schema"));
    EXPECT_EQ(row["grade"], "simulated");
    EXPECT_LT(row["interval_percent"][0], row["interval_percent"][1]);
}

TEST_F(Compare, MakesARowForEachWorkloadAndChange) {
    const json rows = answer({"compare", base, base, two_percent_slower, "--workload", "getpid,mix",
                              "--seed", "1"})["rows"];
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0]["workload"], "getpid");
    EXPECT_EQ(rows[3]["workload"], "mix");
}

TEST_F(Compare, RepeatsWithTheSameSeed) {
    const std::vector<std::string> command{"compare", base, two_percent_slower, "--seed", "7"};
    EXPECT_EQ(answer(command)["rows"][0]["effect_percent"],
              answer(command)["rows"][0]["effect_percent"]);
}

TEST_F(Compare, DrawsItsOwnSeedOtherwise) {
    const std::vector<std::string> command{"compare", base, base, "--max-replicates", "6"};
    EXPECT_NE(answer(command)["seed"], answer(command)["seed"]);
}

TEST_F(Compare, ExitsWithOneWhenAConditionHolds) {
    const Finished slower =
        kerntoll({"compare", base, two_percent_slower, "--seed", "1", "--fail-if", "slower"});
    EXPECT_EQ(slower.code, 1);
    EXPECT_THAT(slower.errors, HasSubstr("--fail-if slower holds"));
    EXPECT_THAT(slower.output, HasSubstr("slower"));
    EXPECT_EQ(kerntoll({"compare", base, two_percent_slower, "--seed", "1", "--fail-if",
                        "not-equivalent"})
                  .code,
              1);
    EXPECT_EQ(
        kerntoll({"compare", base, base, "--seed", "1", "--fail-if", "slower,not-equivalent"}).code,
        0);
}

TEST_F(Compare, ShowsTheSameTableAgain) {
    const Finished first = kerntoll({"compare", base, two_percent_slower, "--seed", "1"});
    EXPECT_EQ(first.code, 0);
    EXPECT_EQ(kerntoll({"show", "last"}).output, first.output);
    EXPECT_EQ(kerntoll({"show", "1"}).output, first.output);
    EXPECT_EQ(kerntoll({"show", "2"}).code, 2);
}

TEST_F(Compare, PrintsMarkdownAndNoControlSequences) {
    const Finished finished =
        kerntoll({"compare", base, base, "--seed", "1", "--format", "markdown"});
    EXPECT_THAT(finished.output, HasSubstr("| "));
    EXPECT_THAT(finished.output, Not(HasSubstr("\033")));
    EXPECT_THAT(finished.errors, Not(HasSubstr("\033")));
}

TEST_F(Compare, CountsBeforeItMeasures) {
    const json row = answer({"compare", std::string(base) + ",insns=214",
                             std::string(base) + ",insns=201", "--seed", "1"})["rows"][0];
    EXPECT_EQ(row["instructions_per_op"]["base"], 214);
    EXPECT_EQ(row["instructions_per_op"]["change"], 201);
}

TEST_F(Compare, CountsNothingWhenTold) {
    const json row = answer({"compare", std::string(base) + ",insns=214", base, "--seed", "1",
                             "--no-count"})["rows"][0];
    EXPECT_TRUE(row["instructions_per_op"]["base"].is_null());
}

TEST_F(Compare, GoesOnWithoutCountsWhereItBeganWithout) {
    const json first = answer({"compare", std::string(base) + ",insns=214", base, "--seed", "1",
                               "--no-count", "--max-time", "2s"});
    const json more = answer({"resume", "last", "--max-time", "4s"});
    EXPECT_GT(more["replicates"], first["replicates"]);
    const json& row = more["rows"][0];
    EXPECT_TRUE(row["instructions_per_op"]["base"].is_null());
}

TEST_F(Compare, ReplacesAReplicateThatFails) {
    const json whole = answer({"compare", base, std::string(base) + ",fail=2", "--seed", "1"});
    EXPECT_GE(whole["replicates"], 20);
    const auto is_fault = [](const json& event) { return event["kind"] == "fault"; };
    EXPECT_EQ(std::ranges::count_if(whole["events"], is_fault), 1);
}

TEST_F(Compare, ThatCannotBeCompletedExitsWithThree) {
    const Finished finished = kerntoll({"compare", base, std::string(base) + ",fail=all"});
    EXPECT_EQ(finished.code, 3);
    EXPECT_THAT(finished.output, IsEmpty());
    EXPECT_THAT(finished.errors, HasSubstr("the simulated machine died"));
}

TEST_F(Compare, KeepsTheResultsOfTwoAtOnceApart) {
    Kerntoll one({"compare", base, base, "--seed", "1", "--db", file()});
    Kerntoll other({"compare", base, two_percent_slower, "--seed", "1", "--db", file()});
    EXPECT_EQ(one.wait().code, 0);
    EXPECT_EQ(other.wait().code, 0);
    std::vector<std::string> verdicts;
    for (const char* run : {"1", "2"}) {
        verdicts.push_back(answer({"show", run})["rows"][0]["verdict"]);
    }
    std::ranges::sort(verdicts);
    EXPECT_EQ(verdicts, (std::vector<std::string>{"equivalent", "slower"}));
}

TEST_F(Compare, GoesOnWhereTheTimeWasOut) {
    const json first = answer({"compare", base, base, "--seed", "1", "--max-time", "2s"});
    EXPECT_EQ(first["why"], "the time is out");
    const json no_more_time = answer({"resume", "last"});
    EXPECT_EQ(no_more_time["run_id"], first["run_id"]);
    // Not knowing yet how long a replicate takes, it may try one.
    EXPECT_LE(no_more_time["replicates"], first["replicates"].get<int>() + 1);
    const json more_time = answer({"resume", "last", "--max-time", "4s"});
    EXPECT_GT(more_time["replicates"], first["replicates"].get<int>() + 1);
    EXPECT_GT(more_time["seconds"], first["seconds"]);
    EXPECT_LT(more_time["seconds"], 5);
}

TEST_F(Compare, RefusesToGoOnWithAnotherTarget) {
    ASSERT_EQ(kerntoll({"compare", base, base, "--max-replicates", "2"}).code, 0);
    // As if the image had been built anew since.
    ASSERT_EQ(execute(file(), "UPDATE arms SET layout_key = 'another' WHERE role = 'change'"),
              SQLITE_OK);
    const Finished finished = kerntoll({"resume", "last"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("is not what it was"));
}

TEST_F(Compare, RefusesToGoOnOnAnotherKernel) {
    ASSERT_EQ(kerntoll({"compare", "host", "host", "--max-replicates", "2", "--batch", "1ms"}).code,
              0);
    ASSERT_EQ(execute(file(), "UPDATE arms SET provenance = '[[\"kernel_release\",\"0.1\"]]'"),
              SQLITE_OK);
    const Finished finished = kerntoll({"resume", "last"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("another kernel_release"));
}

TEST(Run, GivesAbsoluteFigures) {
    const ScratchDirectory scratch;
    const Finished finished = run_kerntoll(
        {"run", base, "--seed", "1", "--format", "json", "--db", scratch / "results.db"});
    ASSERT_EQ(finished.code, 0) << finished.errors;
    EXPECT_NEAR(json::parse(finished.output)["rows"][0]["ns_per_op"], 100, 2);
}

TEST(Count, ComparesTheOthersWithTheFirst) {
    const ScratchDirectory scratch;
    const Finished finished = run_kerntoll({"count", "sim:insns=348", "sim:insns=309", "--format",
                                            "json", "--db", scratch / "results.db"});
    ASSERT_EQ(finished.code, 0) << finished.errors;
    const json rows = json::parse(finished.output)["rows"];
    EXPECT_EQ(rows[0]["instructions_per_op"], 348);
    EXPECT_EQ(rows[1]["instructions_difference"], -39);
}

TEST(Answer, ThatCannotBeWrittenIsNoSuccess) {
    const ScratchDirectory scratch;
    const std::string file = scratch / "results.db";
    ASSERT_EQ(run_kerntoll({"run", base, "--max-replicates", "1", "--db", file}).code, 0);
    const int status = std::system(
        (std::string(KERNTOLL_BINARY) + " show last --db " + file + " >/dev/full 2>/dev/null")
            .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Export, HasALineForEveryBatch) {
    const ScratchDirectory scratch;
    const std::string file = scratch / "results.db";
    ASSERT_EQ(run_kerntoll(
                  {"compare", base, base, "--max-replicates", "2", "--blocks", "3", "--db", file})
                  .code,
              0);
    const Finished csv = run_kerntoll({"export", "last", "--db", file});
    EXPECT_EQ(csv.code, 0) << csv.errors;
    EXPECT_EQ(std::ranges::count(csv.output, '\n'), 1 + 2 * 3 * 3) << csv.output;
    const Finished as_json = run_kerntoll({"export", "last", "--format", "json", "--db", file});
    EXPECT_TRUE(json::accept(as_json.output));
    EXPECT_EQ(run_kerntoll({"export", "last", "--output", "/dev/full", "--db", file}).code, 2);
}

}  // namespace
}  // namespace kerntoll::test
