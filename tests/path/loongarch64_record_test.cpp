// SPDX-License-Identifier: MIT
// Round trips on loongarch64, which need no Linux: the guest is round_trips_loongarch64.S.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "lab/base/interrupt.hpp"
#include "lab/base/subprocess.hpp"
#include "lab/path/choice.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/memory_file.hpp"

namespace kerntoll::lab::path {
namespace {

TEST(RecordLoongarch64, RoundTripsAreRecorded) {
    const MachineRow& row = machine_row(Arch::loongarch64);
    const auto qemu = find_qemu(row, std::nullopt);
    if (!qemu) {
        GTEST_SKIP() << qemu.error().message;
    }
    auto symbols = Symbols::read(KERNTOLL_TEST_ROUND_TRIPS);
    ASSERT_TRUE(symbols) << symbols.error().message;
    const Function* const user = symbols->find("user");
    ASSERT_NE(user, nullptr);
    const auto trace = MemoryFile::create("trace");
    ASSERT_TRUE(trace);
    const std::string where = fmt::format("{:#x}-{:#x}", user->start, user->end);
    SpawnPlan plan;
    plan.argv = {
        qemu->program,
        "-no-user-config",
        "-nodefaults",
        "-no-reboot",
        "-display",
        "none",
        "-machine",
        std::string(row.machine),
        "-m",
        "1G",
        "-kernel",
        KERNTOLL_TEST_ROUND_TRIPS,
        "-plugin",
        fmt::format("{},text={},loop={},warm_up=10,rounds=5,limit=1000,fd={}",
                    recorder_path(qemu->version).value().string(), where, where, trace->fd())};
    plan.inherited = {trace->fd()};
    const auto machine = Subprocess::spawn(plan);
    ASSERT_TRUE(machine) << machine.error().message;
    std::array watched{pollfd{machine->exit_fd(), POLLIN, 0}};
    ASSERT_EQ(wait_for_events(watched, Clock::now() + std::chrono::minutes(1)), 1)
        << "the recorder did not end the machine";
    std::string bytes(1U << 16U, '\0');
    bytes.resize(static_cast<std::size_t>(pread(trace->fd(), bytes.data(), bytes.size(), 0)));
    auto read = read_trace(bytes);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->target, "loongarch64");
    const auto path = choose_path(*std::move(read), std::make_unique<Symbols>(*std::move(symbols)),
                                  {}, "a guest");
    ASSERT_TRUE(path) << path.error().message;
    const Anatomy& anatomy = path->traced.anatomy;
    EXPECT_EQ(anatomy.total.instructions, 7U);
    EXPECT_EQ(anatomy.total.loads, 1U);
    EXPECT_EQ(anatomy.total.stores, 1U);
    EXPECT_EQ(anatomy.total.code_bytes, 7U * 4);
    EXPECT_EQ(anatomy.total.taken, 0U);
    ASSERT_EQ(anatomy.functions.size(), 1U);
    EXPECT_EQ(anatomy.functions.front().name, "kernel");
    EXPECT_EQ(anatomy.steps.back().kind.flow, Flow::trap_return);
}

}  // namespace
}  // namespace kerntoll::lab::path
