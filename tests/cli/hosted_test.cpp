// SPDX-License-Identifier: MIT
// The entry path on this CPU, as a user compares it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> environment{"XDG_CACHE_HOME=" KERNTOLL_TEST_CACHE};

class Hosted : public ::testing::Test {
protected:
    [[nodiscard]] Finished kerntoll(std::vector<std::string> arguments,
                                    const std::vector<std::string>& variables = environment) const {
        arguments.insert(arguments.end(), {"--db", scratch_ / "results.db"});
        return run_kerntoll(arguments, variables);
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

TEST_F(Hosted, IsCountedExactlyAndComparedByItsCounts) {
    const Finished count =
        kerntoll({"count", "hosted:exit=outlined", "hosted:", "--format", "json"});
    ASSERT_EQ(count.code, 0) << count.errors;
    const json rows = json::parse(count.output)["rows"];
    ASSERT_EQ(rows.size(), 2U);
    for (const json& row : rows) {
        EXPECT_TRUE(row["instructions_exact"].get<bool>());
        EXPECT_GT(row["instructions_per_op"].get<double>(), row["loop_instructions"].get<double>());
    }
    EXPECT_LT(rows[1]["instructions_difference"].get<double>(), 0);

    const Finished compare = kerntoll(
        {"compare", "hosted:exit=outlined", "hosted:", "--max-time", "5s", "--format", "json"});
    ASSERT_EQ(compare.code, 0) << compare.errors;
    const json row = json::parse(compare.output)["rows"][0];
    EXPECT_EQ(row["instructions_per_op"]["base"], rows[0]["instructions_per_op"]);
    EXPECT_EQ(row["instructions_per_op"]["change"], rows[1]["instructions_per_op"]);
    EXPECT_EQ(row["instructions_per_op"]["change"].get<double>() -
                  row["loop_instructions"]["change"].get<double>(),
              row["path"]["change"]["counts"]["instructions"].get<double>());
}

TEST_F(Hosted, TheStepThatIsInlinedIsExplained) {
    const Finished trace = run_kerntoll({"trace", "hosted:exit=outlined"}, environment);
    ASSERT_EQ(trace.code, 0) << trace.errors;
    EXPECT_THAT(trace.output, AllOf(HasSubstr("SyscallPath::exit_outlined"),
                                    HasSubstr("called as a function on this CPU")));
    EXPECT_THAT(trace.errors, HasSubstr("recording hosted:exit=outlined"));
    const Finished explain =
        run_kerntoll({"explain", "hosted:exit=outlined", "hosted:"}, environment);
    ASSERT_EQ(explain.code, 0) << explain.errors;
    EXPECT_THAT(explain.output, HasSubstr("SyscallPath::exit_outlined is gone"));
}

TEST_F(Hosted, AProgramOfAnotherKindOfTargetIsExplainedToo) {
    const Finished explain = run_kerntoll({"explain", "nano:x86_64", "hosted:"}, environment);
    ASSERT_EQ(explain.code, 0) << explain.errors;
    EXPECT_THAT(explain.output, HasSubstr("kerntoll_entry_from_user"));
}

/// From now on this thread, and what it starts, may not trace: as in a container that forbids it.
void forbid_ptrace() {
    std::array<sock_filter, 4> program{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog filter{program.size(), program.data()};
    ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

TEST_F(Hosted, WherePtraceIsForbiddenItIsTimedWithASentence) {
    Finished count;
    Finished compare;
    auto without_leaks = environment;
    without_leaks.emplace_back("ASAN_OPTIONS=detect_leaks=0");  // the search for leaks takes ptrace
    std::thread([&] {
        forbid_ptrace();
        count = kerntoll({"count", "hosted:"}, without_leaks);
        compare = kerntoll({"compare", "hosted:", "hosted:", "--max-time", "3s"}, without_leaks);
    }).join();
    EXPECT_EQ(count.code, 2);
    EXPECT_THAT(count.errors, HasSubstr("hosted:: this machine forbids to step through a process"));
    EXPECT_EQ(compare.code, 0) << compare.errors;
    EXPECT_THAT(compare.output,
                AllOf(HasSubstr("not counted"), HasSubstr("ns/op"), HasSubstr("no path of getpid"),
                      Not(HasSubstr("instructions/op"))));
}

TEST_F(Hosted, NoPluginRecordsIt) {
    const Finished trace = run_kerntoll({"trace", "hosted:", "--recorder", "plugin"}, environment);
    EXPECT_EQ(trace.code, 2);
    EXPECT_THAT(trace.errors, HasSubstr("'hosted:' cannot be recorded by a plugin of QEMU"));
}

TEST_F(Hosted, AChoiceThatItHasNotIsASentence) {
    const Finished finished = kerntoll({"run", "hosted:frame=lazy"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("hosted has no such step"));
}

}  // namespace
}  // namespace kerntoll::test
