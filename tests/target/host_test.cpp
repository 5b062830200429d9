// SPDX-License-Identifier: MIT
// `host` targets: the agent as a process of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "lab/target/target.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using HostTest = LeavesNothing;

std::unique_ptr<Target> opened(std::string_view text) {
    auto target = open_target(text);
    EXPECT_TRUE(target) << target.error().message;
    return target ? *std::move(target) : nullptr;
}

std::unique_ptr<Machine> up(Target& target, const Launch& how = {}) {
    auto machine = target.launch(how);
    EXPECT_TRUE(machine) << machine.error().message;
    const auto ready = (*machine)->wait_ready();
    EXPECT_TRUE(ready) << ready.error().message;
    return *std::move(machine);
}

/// The pid of the only child.
pid_t the_child() {
    std::string children;
    std::getline(std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children"),
                 children);
    return std::atoi(children.c_str());
}

TEST_F(HostTest, MeasuresThisMachinesKernel) {
    const auto host = opened("host");
    const auto machine = up(*host);
    const Work getpid;
    const auto ops = machine->calibrate(getpid, 2ms);
    ASSERT_TRUE(ops) << ops.error().message;
    const auto sample = machine->run(getpid, *ops);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(sample->ops, *ops);
    EXPECT_GT(sample->elapsed_ns, 0U);
    EXPECT_TRUE(machine->prove(getpid));
}

TEST_F(HostTest, DescribesItself) {
    const auto host = opened("host,seccomp=args");
    EXPECT_EQ(host->spec().text, "host,seccomp=args");
    EXPECT_EQ(host->scope(), Scope::layouts);
    EXPECT_FALSE(host->can_count());
    using testing::_;
    using testing::Pair;
    EXPECT_THAT(host->provenance(), Contains(Pair("kernel_release", _)));
}

TEST_F(HostTest, AKilledAgentIsTold) {
    const auto host = opened("host");
    const auto machine = up(*host);
    const pid_t agent = the_child();
    ASSERT_GT(agent, 0);
    std::thread killer([&] {
        std::this_thread::sleep_for(200ms);
        kill(agent, SIGKILL);
    });
    const auto sample = machine->run({}, 1'000'000'000);
    killer.join();
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::measurement);
    EXPECT_EQ(sample.error().message,
              "host: the agent was killed by signal 9 (Killed) while running getpid");
}

TEST_F(HostTest, InterruptionEndsABatch) {
    const auto host = opened("host");
    const auto machine = up(*host);
    std::thread user([] {
        std::this_thread::sleep_for(100ms);
        request_interrupt();
    });
    const auto sample = machine->run({}, 1'000'000'000'000);
    user.join();
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::interrupted);
}

TEST_F(HostTest, RunsOnTheCpuOfTheRunOrItsOwn) {
    const auto cpus = [](Target& target, const Launch& how) {
        const auto machine = up(target, how);
        cpu_set_t set;
        CPU_ZERO(&set);
        EXPECT_EQ(sched_getaffinity(the_child(), sizeof set, &set), 0);
        EXPECT_EQ(CPU_COUNT(&set), 1);
        int cpu = 0;
        while (cpu < CPU_SETSIZE && !CPU_ISSET(static_cast<unsigned>(cpu), &set)) {
            ++cpu;
        }
        return cpu;
    };
    cpu_set_t mine;
    CPU_ZERO(&mine);
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    std::vector<int> usable;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(static_cast<unsigned>(cpu), &mine)) {
            usable.push_back(cpu);
        }
    }
    const auto host = opened("host");
    EXPECT_EQ(cpus(*host, {.cpu = usable.front()}), usable.front());
    const auto pinned = opened("host,cpu=" + std::to_string(usable.back()));
    EXPECT_EQ(cpus(*pinned, {.cpu = usable.front()}), usable.back());
}

TEST_F(HostTest, EveryReplicateHasAnotherLayout) {
    // The stack is where a static program's layout is drawn; the lab itself may run without.
    const auto host = opened("host");
    std::set<std::string> stacks;
    for (int replicate = 0; replicate < 3; ++replicate) {
        const auto machine = up(*host);
        std::ifstream maps("/proc/" + std::to_string(the_child()) + "/maps");
        for (std::string line; std::getline(maps, line);) {
            if (line.find("[stack]") != std::string::npos) {
                stacks.insert(line.substr(0, line.find(' ')));
            }
        }
    }
    EXPECT_EQ(stacks.size(), 3U);
}

TEST_F(HostTest, TreatmentsReachTheAgent) {
    const auto padded = opened("host,pad=1000");
    const auto plain = opened("host,pad=0");
    const auto slow = up(*padded);
    const auto fast = up(*plain);
    const Work empty{"empty", false};
    const auto with = slow->run(empty, 1'000'000);
    const auto without = fast->run(empty, 1'000'000);
    ASSERT_TRUE(with && without);
    EXPECT_GT(with->elapsed_ns, 5 * without->elapsed_ns);
}

TEST_F(HostTest, AnUnknownWorkloadIsAUsageError) {
    const auto host = opened("host");
    const auto machine = up(*host);
    const auto sample = machine->run({"gepid", false}, 10);
    ASSERT_FALSE(sample);
    EXPECT_EQ(sample.error().fault, Fault::usage);
}

TEST_F(HostTest, StopsWhereAskedAndGoesOn) {
    const auto host = opened("host");
    const auto machine = up(*host);
    EXPECT_TRUE(machine->pause());
    EXPECT_TRUE(machine->go_on());
    EXPECT_TRUE(machine->run({}, 10));
}

}  // namespace
}  // namespace kerntoll::lab
