// SPDX-License-Identifier: MIT
// The texts that name targets: their grammar, kinds and options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/target/agent_path.hpp"
#include "lab/target/kinds.hpp"
#include "lab/target/options.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

TargetSpec parsed(std::string_view text) {
    auto spec = parse_target(text);
    EXPECT_TRUE(spec) << spec.error().message;
    return spec.value_or(TargetSpec{});
}

std::string complaint(std::string_view text) {
    const auto target = open_target(text);
    if (target) {
        return "no complaint";
    }
    EXPECT_EQ(target.error().fault, Fault::usage);
    return target.error().message;
}

TEST(ParseTarget, TakesKindSubjectAndOptionsApart) {
    const auto spec = parsed("linux:old/bzImage,cpu=max,mem=1G");
    EXPECT_EQ(spec.text, "linux:old/bzImage,cpu=max,mem=1G");
    EXPECT_EQ(spec.kind, "linux");
    EXPECT_EQ(spec.subject, "old/bzImage");
    EXPECT_THAT(spec.options, ElementsAre(Pair("cpu", "max"), Pair("mem", "1G")));
    EXPECT_EQ(spec.option("mem"), "1G");
    EXPECT_EQ(spec.option("append"), std::nullopt);
}

TEST(ParseTarget, AKindAloneIsATarget) {
    EXPECT_EQ(parsed("host").kind, "host");
    EXPECT_EQ(parsed("host").subject, "");
    EXPECT_THAT(parsed("host").options, IsEmpty());
}

TEST(ParseTarget, QuotesHoldCommasAndSpaces) {
    const auto spec = parsed(R"(linux:k,append="a=b,c d",cpu=max)");
    EXPECT_THAT(spec.options, ElementsAre(Pair("append", "a=b,c d"), Pair("cpu", "max")));
    EXPECT_EQ(parsed(R"(linux:"a,b=c"/k)").subject, "a,b=c/k");
}

TEST(ParseTarget, ABackslashTakesMeaningAway) {
    EXPECT_EQ(parsed(R"(linux:a\,b)").subject, "a,b");
    EXPECT_EQ(parsed(R"(linux:k,append="say \"hi\" \\")").option("append"), R"(say "hi" \)");
}

TEST(ParseTarget, ValuesMayHoldEqualsSigns) {
    EXPECT_EQ(parsed("linux:k,append=root=/dev/vda").option("append"), "root=/dev/vda");
    EXPECT_EQ(parsed("linux:dir=1/k").subject, "dir=1/k");
}

TEST(ParseTarget, WithoutASubjectOptionsMayFollowTheColon) {
    const auto spec = parsed("host:pad=3,cpu=0");
    EXPECT_EQ(spec.subject, "");
    EXPECT_THAT(spec.options, ElementsAre(Pair("pad", "3"), Pair("cpu", "0")));
}

TEST(ParseTarget, SaysWhatIsWrong) {
    EXPECT_THAT(complaint(""), HasSubstr("does not start with a kind"));
    EXPECT_THAT(complaint("/boot/vmlinuz"), HasSubstr("does not start with a kind"));
    EXPECT_THAT(complaint("host,"), HasSubstr("empty option"));
    EXPECT_THAT(complaint("host,,cpu=1"), HasSubstr("empty option"));
    EXPECT_THAT(complaint("linux:k,append=a,b"), HasSubstr("has 'b' where an option was expected"));
    EXPECT_THAT(complaint("host:5"), HasSubstr("has '5' where an option was expected"));
    EXPECT_THAT(complaint("host,cpu=1,cpu=2"), HasSubstr("gives the option cpu twice"));
    EXPECT_THAT(complaint("linux:k,append=\"a"), HasSubstr("double quote that is not closed"));
    EXPECT_THAT(complaint("linux:k\\"), HasSubstr("ends in a backslash"));
    EXPECT_THAT(complaint("host,=3"), HasSubstr("where an option was expected"));
}

TEST(OpenTarget, AnUnknownKindNamesTheKinds) {
    EXPECT_THAT(complaint("hots"), AllOf(HasSubstr("unknown kind hots"), HasSubstr("host, linux"),
                                         HasSubstr("did you mean host?")));
    EXPECT_THAT(complaint("ssh:there"), HasSubstr("unknown kind ssh"));
}

TEST(OpenTarget, AnUnknownOptionNamesTheOptionsOfItsKind) {
    EXPECT_THAT(complaint("host,seccom=args"),
                AllOf(HasSubstr("unknown option seccom"), HasSubstr("host takes: cpu, seccomp"),
                      HasSubstr("did you mean seccomp?")));
    EXPECT_THAT(complaint("host,append=x"), HasSubstr("unknown option append"));
}

/// nano's seccomp is an option of its own and a treatment.
TEST(OpenTarget, AnUnknownOptionNamesEachOptionOnce) {
    EXPECT_THAT(complaint("nano:riscv64,foo=1"), ContainsRegex("nano takes: .*seccomp"));
    for (const char* target : {"host,foo=1", "linux:k,foo=1", "nano:riscv64,foo=1"}) {
        EXPECT_THAT(complaint(target), Not(ContainsRegex("seccomp.*seccomp")));
    }
}

TEST(OpenTarget, ASubjectThatIsMissingIsAskedFor) {
    EXPECT_THAT(complaint("linux"), HasSubstr("write linux:IMAGE"));
    EXPECT_THAT(complaint("linux:,cpu=max"), HasSubstr("write linux:IMAGE"));
}

TEST(OpenTarget, OptionsNeedValuesThatMakeSense) {
    EXPECT_THAT(complaint("host,seccomp=on"), HasSubstr("seccomp must be allow or args"));
    EXPECT_THAT(complaint("host,sud=yes"), HasSubstr("sud must be on"));
    EXPECT_THAT(complaint("host,pad=1025"), HasSubstr("a whole number from 0 to 1024"));
    EXPECT_THAT(complaint("host,pad=-1"), HasSubstr("a whole number from 0 to 1024"));
    EXPECT_THAT(complaint("host,pad=1x"), HasSubstr("a whole number from 0 to 1024"));
    EXPECT_THAT(complaint("host,file=a"), HasSubstr("an absolute path"));
    EXPECT_THAT(complaint("host,cpu=first"), HasSubstr("a whole number"));
    EXPECT_THAT(complaint("host,cpu="), HasSubstr("gives the option cpu no value"));
}

TEST(Options, TreatmentsGoToTheAgentByTheirWireNames) {
    const auto treatments = read_treatments(parsed("host,pad=3,rseq=on,seccomp=allow,file=/x"));
    ASSERT_TRUE(treatments);
    EXPECT_THAT(*treatments, ElementsAre(Pair("seccomp", "allow"), Pair("rseq", "on"),
                                         Pair("pad", "3"), Pair("file", "/x")));
    EXPECT_THAT(read_treatments(parsed("host")).value(), IsEmpty());
}

TEST(Options, DurationsHaveUnits) {
    const auto read = [](std::string_view value) {
        return read_duration(parsed("linux:k,timeout=" + std::string(value)), "timeout", 5s)
            .value_or(0ms);
    };
    EXPECT_EQ(read("90"), 90s);
    EXPECT_EQ(read("90s"), 90s);
    EXPECT_EQ(read("2m"), 2min);
    EXPECT_EQ(read("1500ms"), 1500ms);
    EXPECT_EQ(read("24000m"), 0ms) << "longer than a day";
    EXPECT_EQ(read("0"), 0ms);
    EXPECT_EQ(read("99999999999999999999"), 0ms);
    EXPECT_EQ(read("2h"), 0ms);
    EXPECT_EQ(read_duration(parsed("linux:k"), "timeout", 5s).value_or(0ms), 5s);
}

TEST(Options, SizesHaveUnits) {
    const auto read = [](std::string_view value) {
        return read_mebibytes(parsed("linux:k,mem=" + std::string(value)), "mem", 7).value_or(0);
    };
    EXPECT_EQ(read("256"), 256U);
    EXPECT_EQ(read("256M"), 256U);
    EXPECT_EQ(read("2G"), 2048U);
    EXPECT_EQ(read("2K"), 0U);
    EXPECT_EQ(read("9999999999G"), 0U);
    EXPECT_EQ(read_mebibytes(parsed("linux:k"), "mem", 7).value_or(0), 7U);
}

TEST(NanoSwitches, AreRefusedWhereNothingWouldLookAtThem) {
    EXPECT_THAT(complaint("nano:x86_64,tracer=on,work=none"),
                HasSubstr("tracer on, which work=none never looks at"));
    for (const char* treatment : {"seccomp=args", "seccomp=allow", "sud=on", "rseq=on"}) {
        EXPECT_THAT(complaint(std::string("nano:x86_64,work=none,") + treatment),
                    HasSubstr("on, which work=none never looks at"))
            << treatment;
    }
    EXPECT_THAT(complaint("nano:x86_64,seccomp=yes"),
                HasSubstr("seccomp must be on, allow or args"));
}

TEST(Kinds, EveryKindAndOptionHasALineForHelp) {
    for (const TargetKind& kind : target_kinds()) {
        EXPECT_EQ(find_target_kind(kind.name), &kind);
        EXPECT_FALSE(kind.help.empty());
        for (const auto options : {kind.options, kind.treatments}) {
            for (const OptionHelp& option : options) {
                EXPECT_FALSE(option.values.empty()) << option.key;
                EXPECT_FALSE(option.help.empty()) << option.key;
            }
        }
    }
}

class AgentPath : public testing::Test {
protected:
    void TearDown() override { unsetenv("KERNTOLL_AGENT_DIR"); }
};

TEST_F(AgentPath, FindsTheBuildTreesAgents) {
    for (const auto arch :
         {Arch::x86_64, Arch::arm64, Arch::riscv64, Arch::s390x, Arch::loongarch64}) {
        const auto path = agent_path(arch);
        ASSERT_TRUE(path) << path.error().message;
        EXPECT_THAT(path->filename().string(), HasSubstr(std::string(name(arch))));
    }
}

TEST_F(AgentPath, LooksInTheGivenFolderAlone) {
    setenv("KERNTOLL_AGENT_DIR", "/nowhere", 1);
    const auto path = agent_path(Arch::arm64);
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().fault, Fault::environment);
    EXPECT_THAT(path.error().message,
                AllOf(HasSubstr("kerntoll-agent-arm64 is missing"), HasSubstr("/nowhere")));
}

}  // namespace
}  // namespace kerntoll::lab
