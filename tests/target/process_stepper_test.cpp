// SPDX-License-Identifier: MIT
// Single steps of a process of this machine, and what may happen to it meanwhile.
#include "lab/target/process_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "lab/target/memory_file.hpp"
#include "lab/target/target.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

/// So many ops take minutes, one instruction after the other.
constexpr std::uint64_t endless = 100'000'000;

/// The one child of this process.
pid_t child() {
    std::ifstream file("/proc/self/task/" + std::to_string(gettid()) + "/children");
    pid_t pid = 0;
    file >> pid;
    return pid;
}

class ProcessStepperTest : public LeavesNothing {
protected:
    static void SetUpTestSuite() { setenv("XDG_CACHE_HOME", KERNTOLL_TEST_CACHE, 1); }

    void SetUp() override {
        LeavesNothing::SetUp();
        auto opened = open_target("hosted:");
        ASSERT_TRUE(opened) << opened.error().message;
        target_ = *std::move(opened);
    }
    void TearDown() override {
        machine_.reset();
        target_.reset();
        LeavesNothing::TearDown();
    }
    void bring_up(const Launch& how) {
        auto machine = target_->launch(how);
        ASSERT_TRUE(machine) << machine.error().message;
        machine_ = *std::move(machine);
        const auto ready = machine_->wait_ready();
        ASSERT_TRUE(ready) << ready.error().message;
        child_ = child();
        ASSERT_GT(child_, 0);
    }
    [[nodiscard]] std::uint64_t instructions(const Work& work, std::uint64_t ops) {
        const auto sample = machine_->run(work, ops);
        EXPECT_TRUE(sample) << sample.error().message;
        return sample ? sample->counters.instructions.value_or(0) : 0;
    }
    /// What an endless batch ends with when this is done to it a moment after it began.
    [[nodiscard]] Error disturbed(const std::function<void()>& disturb) {
        std::thread other([&disturb] {
            std::this_thread::sleep_for(200ms);
            disturb();
        });
        const auto sample = machine_->run({}, endless);
        other.join();
        EXPECT_FALSE(sample);
        return sample ? Error{} : sample.error();
    }

    std::unique_ptr<Target> target_;
    std::unique_ptr<Machine> machine_;
    pid_t child_ = 0;
};

TEST_F(ProcessStepperTest, CountsBatchAfterBatchAndLetsTheProcessGoOn) {
    bring_up({.count = true});
    const std::uint64_t four = instructions({}, 4);
    EXPECT_EQ(instructions({}, 4), four);
    const std::uint64_t per_op = instructions({}, 5) - four;
    EXPECT_GT(per_op, 10U);
    EXPECT_EQ(instructions({}, 100) - four, 96 * per_op);
    EXPECT_LT(instructions({.hollow = true}, 4), four - 4 * 10);
    EXPECT_GT(instructions({.workload = "mix"}, 4), 4 * four);
    EXPECT_TRUE(machine_->prove({.workload = "mix"}));
}

TEST_F(ProcessStepperTest, OnlyACountingMachineCounts) {
    bring_up({});
    EXPECT_EQ(instructions({}, 100), 0U);
}

TEST_F(ProcessStepperTest, SignalsAreHandedOnAndNotCounted) {
    bring_up({.count = true});
    const std::uint64_t quiet = instructions({}, 1000);
    std::atomic<bool> is_over = false;
    std::thread sender([&] {
        while (!is_over) {
            kill(child_, SIGWINCH);
            std::this_thread::sleep_for(100us);
        }
    });
    EXPECT_EQ(instructions({}, 1000), quiet);
    is_over = true;
    sender.join();
}

TEST_F(ProcessStepperTest, AProcessThatIsKilledIsToldAtOnce) {
    bring_up({.count = true});
    const auto begin = Clock::now();
    const Error error = disturbed([this] { kill(child_, SIGKILL); });
    EXPECT_EQ(error.fault, Fault::measurement);
    EXPECT_THAT(error.message, HasSubstr("the agent was killed by signal 9 (Killed) while running "
                                         "getpid"));
    EXPECT_LT(Clock::now() - begin, 8s);
}

TEST_F(ProcessStepperTest, AProcessThatEndedBeforeTheBatchIsNotOneThatMayNotBeTraced) {
    bring_up({.count = true});
    kill(child_, SIGKILL);
    std::this_thread::sleep_for(100ms);
    const auto sample = machine_->run({}, 4);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::measurement);
    EXPECT_THAT(sample.error().message, HasSubstr("the agent was killed by signal 9"));
}

TEST_F(ProcessStepperTest, ASignalThatIsFatalEndsIt) {
    bring_up({.count = true});
    EXPECT_THAT(disturbed([this] { kill(child_, SIGTERM); }).message,
                HasSubstr("the agent was killed by signal 15"));
}

TEST_F(ProcessStepperTest, CtrlCEndsTheSteps) {
    bring_up({.count = true});
    EXPECT_EQ(disturbed(&request_interrupt).fault, Fault::interrupted);
}

TEST_F(ProcessStepperTest, AProcessThatIsKilledWhileItIsRecordedIsTold) {
    const auto file = MemoryFile::create("trace");
    const Recording recording{.rounds = endless, .fd = file->fd(), .by = RecordedBy::single_steps};
    bring_up({.recording = &recording});
    EXPECT_THAT(disturbed([this] { kill(child_, SIGKILL); }).message,
                HasSubstr("the agent was killed by signal 9"));
    EXPECT_EQ(lseek(file->fd(), 0, SEEK_END), 0);
}

TEST_F(ProcessStepperTest, WhereAnotherOneTracesTheProcessTheRemedyIsSaid) {
    bring_up({.count = true});
    std::promise<bool> is_traced;
    std::promise<void> may_end;
    // Another thread is another tracer, and its child's.
    std::thread debugger([&] {
        const long seized = ptrace(PTRACE_SEIZE, child_, nullptr, nullptr);
        is_traced.set_value(seized == 0);
        may_end.get_future().wait();
    });
    EXPECT_TRUE(is_traced.get_future().get());
    const auto sample = machine_->run({}, 4);
    may_end.set_value();
    debugger.join();
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::environment);
    EXPECT_THAT(sample.error().message,
                AllOf(HasSubstr("hosted:: this machine forbids"), HasSubstr("yama.ptrace_scope"),
                      HasSubstr("take nano:ARCH")));
}

TEST_F(ProcessStepperTest, AWorkloadThatIsNotThereIsAUsageError) {
    bring_up({.count = true});
    const auto sample = machine_->run({.workload = "getpit"}, 4);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::usage);
    EXPECT_THAT(sample.error().message, HasSubstr("did you mean 'getpid'?"));
}

}  // namespace
}  // namespace kerntoll::lab
