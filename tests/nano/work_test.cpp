// SPDX-License-Identifier: MIT
// The work that the parameter block turns on, and what nano says of it at its end.
#include <gmock/gmock.h>

#include <regex>
#include <string>

#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using nano::Switch;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class NanoWork : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto found = find_machine(GetParam());
        if (!found) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
        machine_ = *found;
        image_ = images_of(machine_).front();
        program_ = read_program(machine_, "tasks");
    }
    [[nodiscard]] Ending run(std::initializer_list<Switch> switches, int64_t traced = 0,
                             int64_t replaced_by = 0) const {
        nano::Parameters parameters;
        parameters.program_size = program_.size();
        parameters.switches = static_cast<uint32_t>(Switch::report);
        for (const Switch one : switches) {
            parameters.switches |= static_cast<uint32_t>(one);
        }
        parameters.traced_call = traced;
        parameters.replaced_by = replaced_by;
        return run_nano(machine_, image_, program_, parameters);
    }

    Machine machine_;
    std::string image_;
    std::string program_;
};

TEST_P(NanoWork, IsOffUnlessAskedFor) {
    const Ending ending = run({});
    EXPECT_THAT(ending.output, HasSubstr("nano: tracer entered=0 left=0 changed=0"));
    EXPECT_THAT(ending.output, HasSubstr("nano: tracepoint records=0\n"));
    EXPECT_THAT(ending.output, HasSubstr("nano: audit entered=0 succeeded=0 failed=0"));
    EXPECT_EQ(ending.status, 0);
}

TEST_P(NanoWork, AllTogetherChangeNothingForThePrograms) {
    const Ending ending = run({Switch::tracer, Switch::seccomp, Switch::tracepoint, Switch::audit,
                               Switch::user_dispatch});
    EXPECT_EQ(ending.status, 0) << ending.output;
    EXPECT_THAT(ending.output, Not(HasSubstr("FAILED")));
    EXPECT_THAT(ending.output, Not(HasSubstr("tracer entered=0")));
    EXPECT_THAT(ending.output, Not(HasSubstr("tracepoint records=0")));
    EXPECT_THAT(ending.output, Not(HasSubstr("audit entered=0")));
}

TEST_P(NanoWork, TheTracerSkipsACall) {
    const Ending ending = run({Switch::tracer}, machine_.clone, -1);
    // Without children nearly everything in this program fails, the first time with ENOSYS.
    EXPECT_THAT(ending.output, HasSubstr("FAILED a child has its own memory: -38 instead of 512"));
    EXPECT_GT(ending.status, 0);
    EXPECT_NE(ending.status, panicked);
}

TEST_P(NanoWork, TheTracerMakesACallAnother) {
    const Ending ending =
        run({Switch::tracer, Switch::tracepoint, Switch::audit}, machine_.clone, machine_.getpid);
    EXPECT_THAT(ending.output, ContainsRegex("changed=[1-9]"));
    EXPECT_GT(ending.status, 0);
    EXPECT_NE(ending.status, panicked);
}

/// Every page that a task, a pipe or a file had came back.
TEST_P(NanoWork, NoMemoryIsLost) {
    for (const char* name : {"tasks", "killed", "signals"}) {
        program_ = read_program(machine_, name);
        const Ending ending = run({});
        const auto lines = lines_with(ending.output, "nano: memory free_pages=");
        ASSERT_EQ(lines.size(), 1U) << ending.output;
        std::smatch pages;
        ASSERT_TRUE(std::regex_search(lines.front(), pages,
                                      std::regex("free_pages=(\\d+) at_start=(\\d+)")));
        EXPECT_EQ(pages[1], pages[2]) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoWork, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
