// SPDX-License-Identifier: MIT
#include "lab/doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

namespace kerntoll::lab::doctor {
namespace {

using testing::HasSubstr;

/// A machine on which nothing is to be found fault with.
Evidence ideal() {
    Evidence evidence;
    evidence.host = Arch::x86_64;
    evidence.settings.cpu_model = "CPU";
    evidence.settings.cpus = 8;
    evidence.settings.governors = {"performance"};
    evidence.settings.boost = Setting::off;
    evidence.settings.smt = Setting::off;
    evidence.settings.isolated_cpus = "7";
    evidence.settings.address_space_randomisation = 2;
    evidence.settings.load = 0.1;
    evidence.clang = "/usr/bin/clang++-19";
    evidence.tools = {{.arch = Arch::arm64,
                       .qemu = "/usr/bin/qemu-system-aarch64 9.2.0",
                       .why_no_qemu = {},
                       .cross_gcc = "/usr/bin/aarch64-linux-gnu-gcc",
                       .cross_gcc_package = "gcc-aarch64-linux-gnu"}};
    evidence.noise = NoiseFloor{.ns_per_op = 60,
                                .within = 0.004,
                                .between = 0.006,
                                .processes = 5,
                                .batch = std::chrono::milliseconds(10)};
    return evidence;
}

Finding finding_of(const Evidence& evidence, const std::string& subject) {
    const auto findings = examine(evidence);
    const auto found = std::ranges::find(findings, subject, &Finding::subject);
    EXPECT_NE(found, findings.end()) << subject;
    return found == findings.end() ? Finding{} : *found;
}

TEST(Doctor, FindsNoFaultWithAnIdealMachine) {
    for (const Finding& finding : examine(ideal())) {
        EXPECT_EQ(finding.standing, Standing::good) << finding.subject << ": " << finding.text;
        EXPECT_EQ(finding.remedy, "") << finding.subject;
        EXPECT_NE(finding.text, "") << finding.subject;
    }
}

TEST(Doctor, NeverNamesASubjectTwice) {
    std::vector<std::string> subjects;
    for (const Finding& finding : examine(ideal())) {
        subjects.push_back(finding.subject);
    }
    std::ranges::sort(subjects);
    EXPECT_EQ(std::ranges::adjacent_find(subjects), subjects.end());
}

struct Trouble {
    std::string name;
    std::function<void(Evidence&)> make;
    std::string subject;
    Standing standing;
    std::string text;
    std::string remedy;
};

std::vector<Trouble> troubles() {
    return {
        {"virtualised",
         [](Evidence& evidence) {
             evidence.nature = {Grade::virtualised, "the CPU flag hypervisor"};
         },
         "time", Standing::limit, "the CPU flag hypervisor", "without a hypervisor"},
        {"emulated", [](Evidence& evidence) { evidence.nature = {Grade::emulated, "TCG"}; }, "time",
         Standing::limit, "say nothing of hardware", "outside of the emulator"},
        {"noisy_within", [](Evidence& evidence) { evidence.noise->within = 0.05; }, "noise",
         Standing::limit, "scatter by 5.0 % inside one process", "--max-time"},
        {"noisy_between", [](Evidence& evidence) { evidence.noise->between = 0.07; }, "noise",
         Standing::limit, "by 7.0 % from one to the next", "--max-time"},
        {"no_noise",
         [](Evidence& evidence) {
             evidence.noise.reset();
             evidence.why_no_noise = "the agent is missing";
         },
         "noise", Standing::missing, "the agent is missing", "remove"},
        {"no_counters",
         [](Evidence& evidence) { evidence.why_no_counters = "no counters: paranoid; run sysctl"; },
         "hardware counters", Standing::limit, "no counters: paranoid", "run sysctl"},
        {"no_counters_without_remedy",
         [](Evidence& evidence) { evidence.why_no_counters = "no counters at all"; },
         "hardware counters", Standing::limit, "no counters at all", "kerntoll count"},
        {"governor",
         [](Evidence& evidence) { evidence.settings.governors = {"performance", "schedutil"}; },
         "governor", Standing::limit, "performance, schedutil", "cpupower"},
        {"boost", [](Evidence& evidence) { evidence.settings.boost = Setting::on; }, "boost",
         Standing::limit, "raises its frequency", "no_turbo"},
        {"smt", [](Evidence& evidence) { evidence.settings.smt = Setting::on; }, "SMT",
         Standing::limit, "two threads", "smt/control"},
        {"not_isolated", [](Evidence& evidence) { evidence.settings.isolated_cpus = ""; },
         "isolation", Standing::limit, "no CPU is kept free", "isolcpus"},
        {"single_cpu",
         [](Evidence& evidence) {
             evidence.settings.isolated_cpus = "";
             evidence.settings.cpus = 1;
         },
         "isolation", Standing::limit, "no CPU is kept free", "more than one CPU"},
        {"busy", [](Evidence& evidence) { evidence.settings.load = 3.5; }, "load", Standing::limit,
         "3.50 on 8 CPUs", "end other work"},
        {"fixed_layout",
         [](Evidence& evidence) { evidence.settings.address_space_randomisation = 0; },
         "address layout", Standing::limit, "share one layout", "randomize_va_space=2"},
        {"no_kvm", [](Evidence& evidence) { evidence.why_no_kvm = "arrived in ring 3"; }, "KVM",
         Standing::limit, "arrived in ring 3", "emulation"},
        {"no_qemu",
         [](Evidence& evidence) {
             evidence.tools[0].why_no_qemu = "qemu is not installed; install it";
         },
         "QEMU for arm64", Standing::missing, "qemu is not installed", "install it"},
        {"no_clang", [](Evidence& evidence) { evidence.clang = ""; }, "clang", Standing::missing,
         "not installed", "clang-19"},
        {"no_gcc", [](Evidence& evidence) { evidence.tools[0].cross_gcc = ""; }, "gcc for arm64",
         Standing::limit, "clang only", "gcc-aarch64-linux-gnu"},
    };
}

class EachTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(EachTrouble, IsFoundWithItsRemedyAndAlone) {
    Evidence evidence = ideal();
    GetParam().make(evidence);
    const Finding finding = finding_of(evidence, GetParam().subject);
    EXPECT_EQ(finding.standing, GetParam().standing);
    EXPECT_THAT(finding.text, HasSubstr(GetParam().text));
    EXPECT_THAT(finding.remedy, HasSubstr(GetParam().remedy));
    EXPECT_NE(finding.remedy, "");
    const auto findings = examine(evidence);
    EXPECT_EQ(std::ranges::count(findings, Standing::good, &Finding::standing),
              static_cast<std::ptrdiff_t>(findings.size()) - 1);
}

INSTANTIATE_TEST_SUITE_P(Troubles, EachTrouble, testing::ValuesIn(troubles()),
                         [](const auto& each) { return each.param.name; });

TEST(Doctor, SaysWhatIsGoodAboutAMachineThatShowsNothing) {
    Evidence evidence = ideal();
    evidence.settings.governors.clear();
    evidence.settings.boost = Setting::absent;
    evidence.settings.smt = Setting::absent;
    evidence.settings.load.reset();
    for (const char* subject : {"governor", "boost", "SMT", "load"}) {
        EXPECT_EQ(finding_of(evidence, subject).standing, Standing::good) << subject;
    }
}

TEST(Doctor, NamesWhatTheCpuIsVulnerableTo) {
    Evidence evidence = ideal();
    evidence.settings.mitigations = {{"meltdown", "Mitigation: PTI"}, {"retbleed", "Vulnerable"}};
    EXPECT_THAT(finding_of(evidence, "mitigations").text, HasSubstr("meltdown, retbleed"));
}

TEST(Doctor, PutsEachRemedyBelowItsFinding) {
    const std::vector<Finding> findings = {{"one", Standing::good, "is well", ""},
                                           {"second", Standing::missing, "is not", "get it"}};
    EXPECT_EQ(to_text(findings),
              "good     one     is well\n"
              "missing  second  is not\n"
              "                 -> get it\n"
              "\n2 findings: 1 good, 0 that limit what is measured, 1 missing\n");
}

TEST(Doctor, WritesAMarkdownTableThatNoFindingBreaks) {
    const std::vector<Finding> findings = {{"one", Standing::limit, "a|b", "get it"}};
    EXPECT_EQ(to_markdown(findings),
              "| standing | subject | finding | remedy |\n|---|---|---|---|\n"
              "| limit | one | a\\|b | get it |\n"
              "\n1 findings: 0 good, 1 that limit what is measured, 0 missing\n");
}

TEST(Doctor, GivesProgramsTheSameFindings) {
    const std::vector<Finding> findings = {{"one", Standing::limit, "text", "remedy"}};
    const auto json = nlohmann::json::parse(to_json(findings));
    EXPECT_TRUE(json.at("schema").is_number());
    ASSERT_EQ(json.at("findings").size(), 1U);
    EXPECT_EQ(json["findings"][0]["subject"], "one");
    EXPECT_EQ(json["findings"][0]["standing"], "limit");
    EXPECT_EQ(json["findings"][0]["text"], "text");
    EXPECT_EQ(json["findings"][0]["remedy"], "remedy");
}

TEST(Gather, HasARowOfToolsForEveryArchitecture) {
    const auto evidence = gather(std::chrono::nanoseconds::zero(), -1);
    ASSERT_TRUE(evidence) << evidence.error().message;
    EXPECT_EQ(evidence->tools.size(), 5U);
    for (const Tools& tools : evidence->tools) {
        EXPECT_NE(tools.qemu.empty() && tools.why_no_qemu.empty(), true) << name(tools.arch);
    }
    EXPECT_FALSE(evidence->noise);
    EXPECT_EQ(evidence->why_no_noise, "");
    EXPECT_FALSE(examine(*evidence).empty());
}

}  // namespace
}  // namespace kerntoll::lab::doctor
