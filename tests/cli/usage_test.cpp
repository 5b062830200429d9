// SPDX-License-Identifier: MIT
// What kerntoll says to command lines that cannot be, and to those that ask for help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/process.hpp"

namespace kerntoll::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Mistake {
    std::vector<std::string> arguments;
    std::string must_say;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << "kerntoll";
    for (const std::string& argument : mistake.arguments) {
        *out << ' ' << argument;
    }
}

class UsageError : public ::testing::TestWithParam<Mistake> {};

TEST_P(UsageError, IsOneSentenceAndExitTwo) {
    const ScratchDirectory scratch;
    auto arguments = GetParam().arguments;
    const Finished finished = run_kerntoll(arguments, {"XDG_DATA_HOME=" + (scratch / "").string()});
    EXPECT_EQ(finished.code, 2) << finished.errors;
    EXPECT_THAT(finished.output, IsEmpty());
    EXPECT_THAT(finished.errors, StartsWith("kerntoll: "));
    EXPECT_THAT(finished.errors, EndsWith("\n"));
    EXPECT_EQ(std::ranges::count(finished.errors, '\n'), 1) << finished.errors;
    EXPECT_THAT(finished.errors, HasSubstr(GetParam().must_say));
}

INSTANTIATE_TEST_SUITE_P(
    Kerntoll, UsageError,
    ::testing::Values(
        Mistake{{}, "command"}, Mistake{{"comapre", "host", "host"}, "comapre"},
        Mistake{{"compare"}, "kerntoll compare --help"}, Mistake{{"compare", "host"}, "CHANGE"},
        Mistake{{"compare", "host", "host", "--speed"}, "--speed"},
        Mistake{{"compare", "host", "host", "--margin", "much"}, "'much'"},
        Mistake{{"compare", "host", "host", "--margin", "-1"}, "--margin"},
        Mistake{{"compare", "host", "host", "--max-time", "soon"}, "'soon'"},
        Mistake{{"compare", "host", "host", "--blocks", "0"}, "--blocks"},
        Mistake{{"compare", "host", "host", "--seed", "x"}, "--seed"},
        Mistake{{"compare", "host", "host", "--fail-if", "slow"}, "layout-like"},
        Mistake{{"compare", "host", "host", "--format", "xml"}, "--format"},
        Mistake{{"compare", "host", "host", "--cpu", "100000"}, "100000"},
        Mistake{{"compare", "host", "host", "--workload", ","}, "--workload"},
        Mistake{{"compare", "host", "host", "--workload", "mix,getpid,mix"}, "mix twice"},
        Mistake{{"compare", "host", "host", "--workload", "getpppid"}, "did you mean 'getppid'?"},
        Mistake{{"compare", "host", "host", "--seed", "-1"}, "'-1'"},
        Mistake{{"compare", "host", "host", "--seed", "18446744073709551616"}, "whole number"},
        Mistake{{"compare", "host", "host", "--cpu", "99999999999"}, "'99999999999'"},
        Mistake{{"compare", "host", "host", "--batch", "2m"}, "longer than a minute"},
        Mistake{{"compare", "sim:ns=1", "sim:ns=1", "--db", ""}, "--db"},
        Mistake{{"compare", "sim:ns=1", "sim:ns=1", "--db", ":memory:"}, "--db"},
        Mistake{{"compare", "host", "nothing:x"}, "nothing"},
        Mistake{{"compare", "host", "host,speed=fast"}, "speed"},
        Mistake{{"compare", "host", "linux:/no/such/image"}, "/no/such/image"},
        Mistake{{"trace", "host"}, "only emulated and hosted targets can, such as nano:ARCH"},
        Mistake{{"count", "host"}, "linux:IMAGE,accel=tcg and hosted:"},
        Mistake{{"trace", "nano:riscv64", "--db", "results.db"}, "--db"},
        Mistake{{"explain", "host", "host"}, "only emulated and hosted targets can"},
        Mistake{{"run", "host", "host"}, "host"}, Mistake{{"count", "host"}, "host"},
        Mistake{{"show", "1"}, "results.db"}, Mistake{{"resume", "last"}, "there are no runs"},
        Mistake{{"export", "1", "--format", "xls"}, "--format"},
        Mistake{{"runs", "--db", "/proc/nowhere/results.db"}, "/proc/nowhere/results.db"},
        Mistake{{"try", "1.patch", "--qemu", "riscv64=/no/qemu"}, "/no/qemu is no program"},
        Mistake{{"try", "--cpu-model", "x86_64=EPYC", "1.patch", "--tree", "/no/tree"}, "/no/tree"},
        Mistake{{"try", "1.patch", "--cpu-model", "EPYC"}, "'EPYC' is not ARCH=MODEL"},
        Mistake{{"compare", "sim:ns=1", "sim:ns=1", "--db", "/dev/null/x"}, "/dev/null"}));

TEST(Try, RefusesAFolderThatNothingCanBeKeptInBeforeItBuilds) {
    const ScratchDirectory scratch;
    std::ofstream(scratch / "Makefile") << "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 1\n";
    std::ofstream(scratch / "1.patch") << "--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-a\n+b\n";
    const Finished finished = run_kerntoll({"try", "--tree", scratch / "", scratch / "1.patch",
                                            "--save", "/dev/null/kept", "--db", scratch / "r.db"},
                                           {"XDG_CACHE_HOME=" + (scratch / "cache").string()});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("--save: cannot write into /dev/null/kept"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "cache/kerntoll/kernels/work"));
}

/// Runs the shell's `command`, in which $0 stands for kerntoll.
int shell(const std::string& command) {
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command.c_str(), KERNTOLL_BINARY, nullptr);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardError, ThatCannotBeWrittenCostsNothingButWhatItWasToSay) {
    for (const char* errors : {"2>&-", "2>/dev/full", "2>&- <&-"}) {
        EXPECT_EQ(shell(std::string("\"$0\" --version >/dev/null ") + errors), 0) << errors;
        EXPECT_EQ(shell(std::string("\"$0\" comapre ") + errors), 2) << errors;
    }
}

TEST(StandardOutput, ThatIsClosedIsNoPlaceForAnAnswer) {
    const ScratchDirectory scratch;
    const std::string db = (scratch / "results.db").string();
    const std::string run =
        "\"$0\" run sim:ns=100 --max-replicates 2 --max-time 1s --db '" + db + "' ";
    EXPECT_EQ(shell(run + ">&- 2>&- <&-"), 2);
    EXPECT_EQ(shell(run + ">/dev/null 2>&-"), 0);
    EXPECT_EQ(shell("\"$0\" show last >/dev/null --db '" + db + "'"), 0);
}

TEST(StandardOutput, WhoseReaderHasReadEnoughIsNoFailure) {
    const ScratchDirectory scratch;
    const std::string db = (scratch / "results.db").string();
    // The reader is gone before the answer comes.
    EXPECT_EQ(shell("{ \"$0\" run sim:ns=100 --max-replicates 2 --max-time 1s --db '" + db +
                    "' 2>'" + db + ".errors'; echo $? >'" + db + ".code'; } | true; grep -qx 0 '" +
                    db + ".code' && ! grep -q 'could not be written' '" + db + ".errors'"),
              0);
}

TEST(Help, TeachesTargetsWithTheirOptions) {
    const Finished finished = run_kerntoll({"compare", "--help"});
    EXPECT_EQ(finished.code, 0);
    for (const char* part : {"linux:IMAGE", "append=", "seccomp=", "Examples:", "--placebo",
                             "sud=on", "rseq=on", "pad=K", "file=PATH"}) {
        EXPECT_THAT(finished.output, HasSubstr(part));
    }
    EXPECT_THAT(finished.errors, IsEmpty());
}

TEST(Help, NamesEveryCommandAndTheExitCodes) {
    const Finished finished = run_kerntoll({"--help"});
    EXPECT_EQ(finished.code, 0);
    for (const char* part : {"compare", "count", "run", "runs", "show", "resume", "export",
                             "doctor", "3 the measurement could not be completed"}) {
        EXPECT_THAT(finished.output, HasSubstr(part));
    }
}

TEST(Help, FitsIntoAHundredColumns) {
    for (const char* command : {"compare", "count", "run", "trace", "explain", "try", "bisect-step",
                                "resume", "show", "export"}) {
        const std::string help = run_kerntoll({command, "--help"}).output;
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = help.find('\n', begin)) != std::string::npos;
             begin = end + 1) {
            EXPECT_LE(end - begin, 100U) << help.substr(begin, end - begin);
        }
    }
}

/// What --help says of one kind of target.
std::string help_on(const std::string& kind, const std::string& next_kind) {
    const std::string help = run_kerntoll({"compare", "--help"}).output;
    const auto begin = help.find("\n  " + kind);
    const auto end = help.find("\n  " + next_kind, begin);
    EXPECT_NE(end, std::string::npos) << help;
    return end == std::string::npos ? "" : help.substr(begin, end - begin);
}

TEST(Help, ListsOfAKindWhatItDoesNotRefuse) {
    for (const char* axis : {",vector=", ",frame=", ",branch_protection="}) {
        EXPECT_THAT(help_on("nano:ARCH", "hosted"), HasSubstr(axis));
        EXPECT_THAT(help_on("hosted", "sim:"), Not(HasSubstr(axis)));
    }
    EXPECT_THAT(help_on("hosted", "sim:"), HasSubstr(",debug="));
    const Finished finished = run_kerntoll({"run", "hosted:frame=lazy"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.errors, HasSubstr("hosted has no such step"));
}

TEST(Variants, SayWhereAChoiceIsAndWhatItNeeds) {
    const std::string text = run_kerntoll({"variants"}).output;
    EXPECT_THAT(text, HasSubstr("ports: all architectures, and hosted; posts: S1\n"));
    EXPECT_THAT(text, HasSubstr("ports: all architectures, but not hosted\n"));
    EXPECT_THAT(text, HasSubstr("ports: x86_64 arm64; posts: S3\n"));
    EXPECT_THAT(text, HasSubstr("on arm64 and riscv64 with vector=likely"));
}

TEST(Variants, AnswerScriptsInJson) {
    const auto answer =
        nlohmann::json::parse(run_kerntoll({"variants", "--format", "json"}).output);
    EXPECT_EQ(answer["schema"], 1);
    const auto axes = answer["axes"];
    const auto frame = std::ranges::find_if(axes, [](const auto& axis) {
        return axis["axis"] == "frame" && axis["default"] == "full";
    });
    ASSERT_NE(frame, axes.end());
    EXPECT_EQ((*frame)["ports"],
              nlohmann::json({"x86_64", "arm64", "riscv64", "s390x", "loongarch64"}));
    EXPECT_EQ((*frame)["values"][1]["value"], "lazy");
}

TEST(Doctor, AnswersScriptsInJson) {
    const Finished finished = run_kerntoll({"doctor", "--format", "json"});
    EXPECT_EQ(finished.code, 0) << finished.errors;
    const auto answer = nlohmann::json::parse(finished.output, nullptr, false);
    ASSERT_TRUE(answer.is_object());
    EXPECT_FALSE(answer["findings"].empty());
    EXPECT_THAT(children_left(), IsEmpty());
}

TEST(Version, IsPrintedAlone) {
    const Finished finished = run_kerntoll({"--version"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_EQ(finished.output, "kerntoll " KERNTOLL_VERSION "\n");
}

}  // namespace
}  // namespace kerntoll::test
