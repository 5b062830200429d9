// SPDX-License-Identifier: MIT
// A real kernel under a real QEMU: Debian's cloud kernel for amd64, where the set-up has unpacked
// one (KERNTOLL_TEST_KERNEL names it).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lab/experiment/count.hpp"
#include "lab/target/target.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

class RealKernelTest : public LeavesNothing {
protected:
    void SetUp() override {
        const char* kernel = std::getenv("KERNTOLL_TEST_KERNEL");
        if (kernel == nullptr || *kernel == '\0') {
            GTEST_SKIP() << "KERNTOLL_TEST_KERNEL names no kernel";
        }
        ASSERT_TRUE(std::filesystem::is_regular_file(kernel))
            << "KERNTOLL_TEST_KERNEL: no file " << kernel << "; tools/fetch-kernel brings one";
        kernel_ = kernel;
        LeavesNothing::SetUp();
    }
    void TearDown() override {
        if (!kernel_.empty()) {
            LeavesNothing::TearDown();
        }
    }
    [[nodiscard]] std::unique_ptr<Target> target(const std::string& options) const {
        auto target = open_target("linux:" + kernel_ + ",accel=tcg,timeout=2m," + options);
        EXPECT_TRUE(target) << target.error().message;
        return target ? *std::move(target) : nullptr;
    }
    [[nodiscard]] double getpid_count(const std::string& options) const {
        const auto counts = experiment::count_instructions(*target(options), {"getpid"});
        EXPECT_TRUE(counts) << counts.error().message;
        EXPECT_TRUE(counts && counts->front().exact);
        return counts ? counts->front().instructions_per_op : 0;
    }

private:
    std::string kernel_;
};

TEST_F(RealKernelTest, RunsAndProvesEveryWorkload) {
    const auto debian = target("cpu=max");
    const auto launched = debian->launch({});
    ASSERT_TRUE(launched);
    Machine& machine = **launched;
    const auto ready = machine.wait_ready();
    ASSERT_TRUE(ready) << ready.error().message;
    EXPECT_EQ(machine.identity().arch, "x86_64");
    EXPECT_THAT(machine.identity().kernel_release, HasSubstr("cloud"));
    ASSERT_FALSE(machine.identity().workloads.empty());
    for (const auto& [workload, calls] : machine.identity().workloads) {
        const auto sample = machine.run({workload, false}, 100);
        EXPECT_TRUE(sample) << workload << ": " << sample.error().message;
        const auto proof = machine.prove({workload, false});
        EXPECT_TRUE(proof) << workload << ": " << proof.error().message;
        ASSERT_TRUE(machine.pause());
        ASSERT_TRUE(machine.go_on());
    }
}

TEST_F(RealKernelTest, CountsTheSameInEveryBootAndLessWithoutMitigations) {
    const double stock = getpid_count("cpu=EPYC");
    EXPECT_EQ(getpid_count("cpu=EPYC,mem=512"), stock);
    EXPECT_LT(getpid_count("cpu=EPYC,append=mitigations=off"), stock);
}

TEST_F(RealKernelTest, TakesTreatments) {
    const auto debian = target("seccomp=args,sud=on,rseq=on,pad=7");
    const auto machine = debian->launch({});
    ASSERT_TRUE(machine);
    const auto ready = (*machine)->wait_ready();
    ASSERT_TRUE(ready) << ready.error().message;
    EXPECT_TRUE((*machine)->run({}, 100));
}

TEST_F(RealKernelTest, QemuKilledInMidBatchIsTold) {
    const auto debian = target("cpu=max");
    auto machine = debian->launch({});
    ASSERT_TRUE(machine);
    ASSERT_TRUE((*machine)->wait_ready());
    std::string children;
    std::getline(std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children"),
                 children);
    const pid_t qemu = std::atoi(children.c_str());
    ASSERT_GT(qemu, 0);
    std::thread killer([&] {
        std::this_thread::sleep_for(300ms);
        kill(qemu, SIGKILL);
    });
    const auto sample = (*machine)->run({}, 1'000'000'000);
    killer.join();
    ASSERT_FALSE(sample);
    EXPECT_THAT(sample.error().message,
                HasSubstr("QEMU was killed by signal 9 (Killed) while running getpid"));
}

TEST_F(RealKernelTest, APanicIsToldInTheKernelsWords) {
    const auto debian = target("append=rdinit=/no/such/init");
    auto machine = debian->launch({});
    ASSERT_TRUE(machine);
    const auto ready = (*machine)->wait_ready();
    ASSERT_FALSE(ready);
    EXPECT_THAT(ready.error().message, HasSubstr("the kernel panicked: "));
}

}  // namespace
}  // namespace kerntoll::lab
