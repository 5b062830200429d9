// SPDX-License-Identifier: MIT
// Command lines of try and bisect-step that cannot be.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/try_tree.hpp"

namespace kerntoll::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// TREE/ stands for the test's folder.
struct Mistake {
    std::vector<std::string> words;
    std::string must_say;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
    for (const std::string& word : mistake.words) {
        *out << word << ' ';
    }
}

class TryMistake : public Try, public ::testing::WithParamInterface<Mistake> {
protected:
    /// Runs it, and holds that one sentence is all that is said.
    void expect_refusal(const std::string& command, int code) const {
        std::vector<std::string> words{command};
        for (const std::string& word : GetParam().words) {
            words.push_back(word.starts_with("TREE/") ? file(word.substr(5)) : word);
        }
        add_unless_given(words, "--tree", tree());
        add_unless_given(words, "--db", file("results.db"));
        const Finished finished = run_kerntoll(words, environment());
        EXPECT_EQ(finished.code, code) << finished.errors;
        EXPECT_THAT(finished.output, IsEmpty());
        EXPECT_THAT(finished.errors, StartsWith("kerntoll: "));
        EXPECT_THAT(finished.errors, EndsWith("\n"));
        EXPECT_EQ(std::ranges::count(finished.errors, '\n'), 1) << finished.errors;
        EXPECT_THAT(finished.errors, HasSubstr(GetParam().must_say));
        EXPECT_FALSE(std::filesystem::exists(file("results.db")));
    }
};

class OfTry : public TryMistake {};

TEST_P(OfTry, IsOneSentenceAndExitTwo) {
    expect_refusal("try", 2);
}

INSTANTIATE_TEST_SUITE_P(
    Kerntoll, OfTry,
    ::testing::Values(
        Mistake{{}, "nothing is to be tried; give a patch, a series"},
        Mistake{{"TREE/one.patch", "--append-b", "quiet"}, "give one of them"},
        Mistake{{"--against", "HEAD", "--config-b", "TREE/config"}, "give one of them"},
        Mistake{{"TREE/no.patch"}, "there is no patch"},
        Mistake{{"TREE/tree"}, "there is no patch"},
        Mistake{{"TREE/config"}, "is no patch and no list of patches"},
        Mistake{{"TREE/one.patch", "--tree", "/no/such/tree"}, "/no/such/tree"},
        Mistake{{"--against", "HEAD"}, "is no git tree"},
        Mistake{{"TREE/one.patch", "--arch", "vax"}, "there is no architecture 'vax'"},
        Mistake{{"TREE/one.patch", "--arch", ","}, "--arch"},
        Mistake{{"TREE/one.patch", "--arch", ""}, "--arch"},
        Mistake{{"TREE/one.patch", "--cc", "tcc"}, "--cc"},
        Mistake{{"TREE/one.patch", "--config", "TREE/none"}, "is no kernel configuration"},
        Mistake{{"TREE/one.patch", "--config", "TREE/one.patch"}, "is no kernel configuration"},
        Mistake{{"--config-b", "TREE/none"}, "is no kernel configuration"},
        Mistake{{"--config-b", "TREE/one.patch"}, "is no kernel configuration"},
        Mistake{{"--append-b", ""}, "--append-b"}, Mistake{{"TREE/one.patch", "-j", "0"}, "--jobs"},
        Mistake{{"TREE/one.patch", "-j", "100000"}, "--jobs"},
        Mistake{{"TREE/one.patch", "-j", "two"}, "'two'"},
        Mistake{{"TREE/one.patch", "--qemu", "qemu-system-riscv64"}, "is not ARCH=PATH"},
        Mistake{{"TREE/one.patch", "--qemu", "vax=/bin/simh"}, "is not ARCH=PATH"},
        Mistake{{"TREE/one.patch", "--qemu", "riscv64="}, "is not ARCH=PATH"},
        Mistake{{"TREE/one.patch", "--placebos", "-1"}, "--placebos"},
        Mistake{{"TREE/one.patch", "--placebos", "1000"}, "--placebos"},
        Mistake{{"TREE/one.patch", "--workload", "getpppid"}, "did you mean 'getppid'?"},
        Mistake{{"TREE/one.patch", "--margin", "0"}, "--margin"},
        Mistake{{"TREE/one.patch", "--max-time", "soon"}, "'soon'"},
        Mistake{{"TREE/one.patch", "--format", "xml"}, "--format"},
        Mistake{{"TREE/one.patch", "--save", "TREE/config"}, "--save"},
        Mistake{{"TREE/one.patch", "--save", ""}, "--save"},
        Mistake{{"TREE/one.patch", "--db", ""}, "--db"},
        Mistake{{"TREE/one.patch", "--fast"}, "--fast"}));

class OfBisectStep : public TryMistake {};

TEST_P(OfBisectStep, IsOneSentenceAndEndsTheBisection) {
    expect_refusal("bisect-step", 128);
}

INSTANTIATE_TEST_SUITE_P(
    Kerntoll, OfBisectStep,
    ::testing::Values(Mistake{{}, "--good"}, Mistake{{"--good", "HEAD"}, "is no git tree"},
                      Mistake{{"--good", "HEAD", "--threshold", "0"}, "'0'"},
                      Mistake{{"--good", "HEAD", "--threshold", "much"}, "'much'"},
                      Mistake{{"--good", "HEAD", "--threshold", "-0.5%"}, "'-0.5%'"},
                      Mistake{{"--good", "HEAD", "--threshold", "200%"}, "'200%'"},
                      Mistake{{"--good", "HEAD", "--workload", "getpppid"}, "'getppid'?"},
                      Mistake{{"--good", "HEAD", "--max-time", "0"}, "--max-time"},
                      Mistake{{"--good", "HEAD", "--arch", "all"}, "one architecture at a time"},
                      Mistake{{"--good", "HEAD", "--arch", "vax"}, "'vax'"},
                      Mistake{{"--good", "HEAD", "--cc", "both"}, "--cc"},
                      Mistake{{"--good", "HEAD", "--placebos", "2"}, "--placebos"},
                      Mistake{{"--good", "HEAD", "extra"}, "extra"}));

}  // namespace
}  // namespace kerntoll::test
