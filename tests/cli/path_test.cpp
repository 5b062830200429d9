// SPDX-License-Identifier: MIT
// Paths in a comparison of emulated targets, from the command line to what `show` prints later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"
#include "tests/target/images.hpp"

namespace kerntoll::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

Finished run_slowly(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {}) {
    return Kerntoll(arguments, environment).wait(100s);
}

std::size_t missing_paths(const json& answer) {
    std::size_t count = 0;
    for (const json& event : answer["events"]) {
        count += event["kind"] == "path" ? 1U : 0U;
    }
    return count;
}

/// Machines whose QEMU is the stand-in, which loads no recorder.
class PathOfNoKernel : public ::testing::Test {
protected:
    void SetUp() override {
#ifndef __x86_64__
        GTEST_SKIP() << "the stand-in runs the host's agent in an x86_64 machine";
#endif
        namespace images = lab::images;
        std::ofstream(scratch_ / "image", std::ios::binary)
            << images::x86_bzimage(images::kernel_content(), images::banner);
    }
    [[nodiscard]] std::string target(const std::string& cpu) const {
        return "linux:" + (scratch_ / "image").string() +
               ",accel=tcg,timeout=6s,qemu=" KERNTOLL_FAKE_QEMU ",cpu=" + cpu;
    }
    [[nodiscard]] json answer(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(),
                         {"--format", "json", "--db", (scratch_ / "results.db").string()});
        const Finished finished = run_slowly(arguments, {"FAKE_QEMU_AGENT=" KERNTOLL_AGENT});
        EXPECT_EQ(finished.code, 0) << finished.errors;
        return json::parse(finished.output, nullptr, false);
    }
    [[nodiscard]] json compared(const std::vector<std::string>& options) const {
        std::vector<std::string> arguments{"compare", target("one"), target("other"),
                                           "--batch", "1ms",         "--max-replicates",
                                           "1",       "--no-count"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return answer(arguments);
    }

private:
    ScratchDirectory scratch_;
};

TEST_F(PathOfNoKernel, IsMissedInOneSentenceAndTheComparisonGoesOn) {
    const json whole = compared({});
    EXPECT_EQ(whole["state"], "finished");
    EXPECT_EQ(whole["replicates"], 1);
    EXPECT_EQ(missing_paths(whole), 2U);
    EXPECT_TRUE(whole["rows"][0]["path"].is_null());
    const std::string notes = whole["notes"].dump();
    EXPECT_THAT(notes, HasSubstr("A: no path of getpid, the comparison goes on without it: "));
    EXPECT_THAT(notes, HasSubstr("B: no path of getpid, the comparison goes on without it: "));
    // What failed once is not tried again.
    const json resumed = answer({"resume", "last"});
    EXPECT_EQ(missing_paths(resumed), 2U);
}

TEST_F(PathOfNoKernel, IsLeftOutWhenAsked) {
    const json whole = compared({"--no-path"});
    EXPECT_EQ(missing_paths(whole), 0U);
    EXPECT_EQ(missing_paths(answer({"resume", "last"})), 0U);
}

TEST(PathOfASimulation, IsNotLookedFor) {
    const ScratchDirectory scratch;
    const Finished finished =
        run_kerntoll({"compare", "sim:insns=348", "sim:insns=309", "--max-replicates", "1",
                      "--format", "json", "--db", scratch / "results.db"});
    ASSERT_EQ(finished.code, 0) << finished.errors;
    EXPECT_EQ(missing_paths(json::parse(finished.output)), 0U);
    EXPECT_THAT(finished.errors, Not(HasSubstr("path")));
}

TEST(PathsOfTwoArchitectures, AreNotExplained) {
    const Finished finished = run_slowly({"explain", "nano:x86_64", "nano:riscv64"},
                                         {"XDG_CACHE_HOME=" KERNTOLL_TEST_CACHE});
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.output, "");
    EXPECT_THAT(finished.errors, HasSubstr("paths of one architecture"));
}

TEST(FullListings, AreRefusedWhereThereIsNoList) {
    const Finished finished = run_kerntoll({"trace", "nano:x86_64", "--full", "--format", "svg"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("--full"));
}

TEST(PathOfARealKernel, IsComparedAndShownAgain) {
    const char* kernel = std::getenv("KERNTOLL_TEST_KERNEL");
    if (kernel == nullptr || *kernel == '\0') {
        GTEST_SKIP() << "KERNTOLL_TEST_KERNEL names no kernel";
    }
    const ScratchDirectory scratch;
    const std::string target = "linux:" + std::string(kernel) + ",accel=tcg,cpu=EPYC,timeout=2m";
    const std::string file = scratch / "results.db";
    const Finished finished =
        run_slowly({"compare", target, target + ",append=mitigations=off", "--no-count",
                    "--max-replicates", "1", "--batch", "1ms", "--format", "json", "--db", file});
    ASSERT_EQ(finished.code, 0) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr("recording 2 paths"));
    const json path = json::parse(finished.output)["rows"][0]["path"];
    ASSERT_TRUE(path.is_object()) << finished.output;
    const int base = path["base"]["counts"]["instructions"];
    const int change = path["change"]["counts"]["instructions"];
    EXPECT_LT(change, base);
    int sum = 0;
    for (const json& function : path["functions"]) {
        sum += function["instructions_difference"].get<int>();
    }
    EXPECT_EQ(sum, change - base);
    const Finished shown = run_kerntoll({"show", "last", "--format", "json", "--db", file});
    EXPECT_EQ(json::parse(shown.output)["rows"][0]["path"], path);
    const Finished text = run_kerntoll({"show", "last", "--db", file});
    EXPECT_THAT(text.output, HasSubstr("taken branches"));
}

}  // namespace
}  // namespace kerntoll::test
