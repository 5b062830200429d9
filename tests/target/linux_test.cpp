// SPDX-License-Identifier: MIT
// `linux:` targets: machines that do not come up, machines that break, and one that works. Real
// QEMU runs tiny guests; where an agent is needed without a kernel, a program stands in for QEMU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lab/target/agent_path.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/target.hpp"
#include "tests/base/leftovers.hpp"
#include "tests/target/images.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string guest(std::string_view name, std::string_view options) {
    return std::string(KERNTOLL_TEST_GUESTS "/") + std::string(name) + ".image," +
           std::string(options);
}

std::unique_ptr<Target> opened(const std::string& text) {
    auto target = open_target(text);
    EXPECT_TRUE(target) << target.error().message;
    return target ? *std::move(target) : nullptr;
}

/// How a guest that never gets as far as an agent fails.
Error boot_error(std::string_view name, std::string_view options) {
    const auto target = opened("linux:" + guest(name, options));
    auto machine = target->launch({});
    EXPECT_TRUE(machine);
    const auto ready = (*machine)->wait_ready();
    EXPECT_FALSE(ready);
    return ready ? Error{} : ready.error();
}

class BrokenGuestTest : public LeavesNothing {
protected:
    void SetUp() override {
        if (!find_program("qemu-system-riscv64")) {
            GTEST_SKIP() << "qemu-system-riscv64 is not installed";
        }
        LeavesNothing::SetUp();
    }
};

TEST_F(BrokenGuestTest, AHangEndsInASentence) {
    const auto error = boot_error("hang", "timeout=1500ms");
    EXPECT_EQ(error.fault, Fault::measurement);
    EXPECT_THAT(error.message,
                HasSubstr("no answer from the agent within 1.5 s while starting; the machine"));
}

TEST_F(BrokenGuestTest, GarbageForeverEndsInASentence) {
    const auto error = boot_error("garbage", "timeout=1500ms");
    EXPECT_THAT(error.message, HasSubstr("no answer from the agent within 1.5 s while starting"));
    EXPECT_THAT(error.message, HasSubstr("bytes beside it"));
    EXPECT_LE(error.console.size(), 41U);
}

TEST_F(BrokenGuestTest, ARebootLoopIsCutShort) {
    const auto error = boot_error("reboot", "timeout=60s");
    EXPECT_THAT(error.message, HasSubstr("the machine reset itself"));
    EXPECT_THAT(error.message, HasSubstr("while starting"));
    EXPECT_THAT(error.console, Contains("going round again"));
}

TEST_F(BrokenGuestTest, APowerOffIsTold) {
    EXPECT_THAT(boot_error("power_off", "timeout=60s").message,
                HasSubstr("the machine powered itself off while starting"));
}

TEST_F(BrokenGuestTest, APanicIsToldInTheKernelsWordsLongBeforeTheTimeout) {
    const auto error = boot_error("panic", "timeout=60s");
    EXPECT_THAT(error.message,
                HasSubstr("the kernel panicked: no working init found while starting"));
    EXPECT_THAT(error.console, Contains("[    0.31] VFS: no root found"));
}

TEST_F(BrokenGuestTest, QemuRefusingItsArgumentsIsToldInItsWords) {
    EXPECT_THAT(boot_error("hang", "cpu=no-such-model").message,
                AllOf(HasSubstr("QEMU exited with status 1:"), HasSubstr("no-such-model"),
                      HasSubstr("while starting")));
}

TEST_F(BrokenGuestTest, QemuKilledWhileStartingIsTold) {
    const auto target = opened("linux:" + guest("hang", "timeout=60s"));
    auto machine = target->launch({});
    ASSERT_TRUE(machine);
    std::string children;
    std::getline(std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children"),
                 children);
    const pid_t qemu = std::atoi(children.c_str());
    ASSERT_GT(qemu, 0);
    std::thread killer([&] {
        std::this_thread::sleep_for(300ms);
        kill(qemu, SIGKILL);
    });
    const auto ready = (*machine)->wait_ready();
    killer.join();
    ASSERT_FALSE(ready);
    EXPECT_THAT(ready.error().message,
                HasSubstr("QEMU was killed by signal 9 (Killed) while starting"));
}

TEST_F(BrokenGuestTest, InterruptionEndsABoot) {
    const auto target = opened("linux:" + guest("hang", "timeout=60s"));
    auto machine = target->launch({});
    ASSERT_TRUE(machine);
    std::thread user([] {
        std::this_thread::sleep_for(300ms);
        request_interrupt();
    });
    const auto ready = (*machine)->wait_ready();
    user.join();
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().fault, Fault::interrupted);
}

TEST_F(BrokenGuestTest, MachinesStartSideBySide) {
    const auto target = opened("linux:" + guest("panic", "timeout=60s"));
    std::vector<std::unique_ptr<Machine>> machines;
    const auto start = Clock::now();
    for (int i = 0; i < 3; ++i) {
        auto machine = target->launch({});
        ASSERT_TRUE(machine);
        machines.push_back(*std::move(machine));
    }
    const auto launched = Clock::now() - start;
    EXPECT_FALSE(machines[0]->wait_ready());
    EXPECT_LT(launched, Clock::now() - start) << "launch() must not wait for a boot";
    EXPECT_FALSE(machines[2]->wait_ready());
}

TEST_F(BrokenGuestTest, DescribesItself) {
    const auto target = opened("linux:" + guest("hang", "append=\"a b\",mem=64M,accel=tcg"));
    EXPECT_EQ(target->grade(), Grade::emulated);
    EXPECT_EQ(target->scope(), Scope::images);
    EXPECT_TRUE(target->can_count());
    EXPECT_THAT(target->remarks(), IsEmpty());
    EXPECT_EQ(target->layout_key().size(), 64U);
    using testing::Pair;
    const auto facts = target->provenance();
    EXPECT_THAT(facts, Contains(Pair("image_sha256", target->layout_key())));
    EXPECT_THAT(facts, Contains(Pair("command_line", testing::EndsWith(" a b"))));
    EXPECT_THAT(facts, Contains(Pair("memory_mib", "64")));
    EXPECT_THAT(facts, Contains(Pair("accelerator", "tcg")));
}

TEST_F(BrokenGuestTest, KvmForAnotherArchitectureIsAUsageError) {
    if (host_arch() == Arch::riscv64) {
        GTEST_SKIP() << "this machine's own architecture";
    }
    const auto target = open_target("linux:" + guest("hang", "accel=kvm"));
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().fault, Fault::usage);
    const auto automatic = opened("linux:" + guest("hang", "accel=auto"));
    EXPECT_EQ(automatic->grade(), Grade::emulated);
    EXPECT_THAT(automatic->remarks(), IsEmpty()) << "there is no choice to explain";
}

TEST_F(BrokenGuestTest, AnotherArchitectureThanAskedForIsAUsageError) {
    const auto target = open_target("linux:" + guest("hang", "arch=arm64"));
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().fault, Fault::usage);
    EXPECT_THAT(target.error().message, HasSubstr("is for riscv64"));
    EXPECT_TRUE(open_target("linux:" + guest("hang", "arch=riscv64")));
    EXPECT_FALSE(open_target("linux:" + guest("hang", "arch=vax")));
}

/// A target whose QEMU is the stand-in; its image is nothing but a header.
class FakeQemuTest : public LeavesNothing {
protected:
    void SetUp() override {
        if (host_arch() != Arch::x86_64) {
            GTEST_SKIP() << "the stand-in runs the host's agent in an x86_64 machine";
        }
        std::string folder = (std::filesystem::temp_directory_path() / "kerntoll-XXXXXX").string();
        ASSERT_NE(mkdtemp(folder.data()), nullptr);
        folder_ = folder;
        std::ofstream(folder_ / "image", std::ios::binary)
            << images::x86_bzimage(images::kernel_content(), images::banner);
        setenv("FAKE_QEMU_AGENT", agent_path(Arch::x86_64).value().c_str(), 1);
        LeavesNothing::SetUp();
    }
    void TearDown() override {
        std::filesystem::remove_all(folder_);
        if (!folder_.empty()) {
            LeavesNothing::TearDown();
        }
    }
    [[nodiscard]] std::unique_ptr<Target> target(std::string_view options) const {
        return opened("linux:" + (folder_ / "image").string() +
                      ",accel=tcg,qemu=" + KERNTOLL_FAKE_QEMU + "," + std::string(options));
    }

private:
    std::filesystem::path folder_;
};

TEST_F(FakeQemuTest, AMachineIsMeasuredStoppedAndContinued) {
    const auto linux = target("cpu=any,append=\"quiet splash\"");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    const auto ready = (*machine)->wait_ready();
    ASSERT_TRUE(ready) << ready.error().message;
    const Work getpid;
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE((*machine)->pause());
        ASSERT_TRUE((*machine)->go_on());
        const auto sample = (*machine)->run(getpid, 1000);
        ASSERT_TRUE(sample) << sample.error().message;
        EXPECT_GT(sample->elapsed_ns, 0U);
    }
    EXPECT_THAT((*machine)->console_tail(),
                Contains(AllOf(HasSubstr("console=ttyS0"), testing::EndsWith("quiet splash"))));
    EXPECT_THAT((*machine)->console_tail(), Contains("fake-qemu: -icount "));
}

TEST_F(FakeQemuTest, CountingAsksForIcountAndKnowsTheCounter) {
    const auto linux = target("cpu=any");
    auto machine = linux->launch({.count = true});
    ASSERT_TRUE(machine);
    ASSERT_TRUE((*machine)->wait_ready());
    EXPECT_EQ((*machine)->identity().counter_hz, 1'000'000'000U);
    EXPECT_THAT((*machine)->console_tail(), Contains("fake-qemu: -icount shift=0,sleep=on"));
}

TEST_F(FakeQemuTest, QemuKilledWhileMeasuringIsTold) {
    const auto linux = target("cpu=die");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    ASSERT_TRUE((*machine)->wait_ready());
    ASSERT_TRUE((*machine)->pause());
    ASSERT_TRUE((*machine)->go_on());
    const auto going = (*machine)->go_on();
    ASSERT_FALSE(going);
    EXPECT_EQ(going.error().fault, Fault::measurement);
    EXPECT_THAT(going.error().message, HasSubstr("QEMU was killed by signal 9 (Killed)"));
    const auto sample = (*machine)->run({}, 1000);
    ASSERT_FALSE(sample);
    EXPECT_THAT(sample.error().message,
                HasSubstr("QEMU was killed by signal 9 (Killed) while running getpid"));
}

TEST_F(FakeQemuTest, AnAgentThatIsKilledIsTold) {
    const auto linux = target("cpu=agent-dies");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    ASSERT_TRUE((*machine)->wait_ready());
    ASSERT_TRUE((*machine)->go_on());
    ASSERT_TRUE((*machine)->go_on());
    const auto sample = (*machine)->run({}, 1000);
    ASSERT_FALSE(sample);
    EXPECT_THAT(sample.error().message, HasSubstr("closed its line while running getpid"));
}

TEST_F(FakeQemuTest, ARefusalIsToldWithoutItsWarnings) {
    const auto linux = target("cpu=refuse");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    EXPECT_THAT((*machine)->wait_ready().error().message,
                HasSubstr("QEMU exited with status 1: fake-qemu: unable to find CPU model "
                          "'refuse'; while starting"));
}

TEST_F(FakeQemuTest, ADeafControlConnectionEndsInASentence) {
    const auto linux = target("cpu=deaf,timeout=300ms");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    EXPECT_THAT((*machine)->wait_ready().error().message,
                HasSubstr("QEMU's control connection did not answer in time"));
}

TEST_F(FakeQemuTest, WhatTheKernelRefusesIsTheEnvironmentsFault) {
    const auto linux = target("cpu=any,file=/no/such/file");
    auto machine = linux->launch({});
    ASSERT_TRUE(machine);
    const auto ready = (*machine)->wait_ready();
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().fault, Fault::environment);
    EXPECT_THAT(ready.error().message, HasSubstr("cannot open /no/such/file"));
}

}  // namespace
}  // namespace kerntoll::lab
