// SPDX-License-Identifier: MIT
// Round trips on loongarch64, which need no Linux: the guest is round_trips_loongarch64.S.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "lab/base/interrupt.hpp"
#include "lab/base/subprocess.hpp"
#include "lab/path/choice.hpp"
#include "lab/path/record.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/files.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/qemu.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::HasSubstr;

/// A guest without an agent, of which the lab hears nothing; its recorder does.
class SilentTarget final : public Target {
public:
    SilentTarget(const std::string& program, Qemu qemu)
        : symbols_(Symbols::read(program).value()),
          image_(MemoryFile::holding("image", read_file(program).value()).value()),
          qemu_(std::move(qemu)) {
        spec_.text = "silent";
    }
    [[nodiscard]] const TargetSpec& spec() const override { return spec_; }
    [[nodiscard]] Grade grade() const override { return Grade::emulated; }
    [[nodiscard]] Scope scope() const override { return Scope::images; }
    [[nodiscard]] bool can_count() const override { return true; }
    [[nodiscard]] std::string layout_key() const override { return ""; }
    [[nodiscard]] Provenance provenance() const override { return {}; }
    [[nodiscard]] std::vector<std::string> remarks() const override { return {}; }
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override {
        const Function* const user = symbols_.find("user");
        const AddressRange code{user->start, user->end};
        QemuPlan plan;
        plan.row = &machine_row(Arch::loongarch64);
        plan.program = qemu_.program;
        plan.machine = plan.row->machine;
        plan.cpu = plan.row->cpu;
        plan.memory_mib = plan.row->memory_mib;
        plan.kernel = &image_;
        plan.icount = QemuPlan::Icount::repeatable;
        plan.recorder = {
            recorder_path(qemu_.version).value().string(), {code, code}, *how.recording};
        auto machine = start_qemu(plan);
        if (!machine) {
            return std::unexpected(machine.error());
        }
        WireSettings settings;
        settings.label = spec_.text;
        settings.patience = std::chrono::seconds(5);
        return std::make_unique<WireMachine>(std::move(settings), std::move(machine->housing),
                                             std::move(machine->console));
    }

private:
    TargetSpec spec_;
    Symbols symbols_;
    MemoryFile image_;
    Qemu qemu_;
};

TEST(RecordLoongarch64, ACallThatWaitsForEverIsToldAsThat) {
    const auto qemu = find_qemu(machine_row(Arch::loongarch64), std::nullopt);
    if (!qemu) {
        GTEST_SKIP() << qemu.error().message;
    }
    SilentTarget target(KERNTOLL_TEST_ROUND_TRIPS "_WAITS_IN_CALL", *qemu);
    const auto trace = record_trace(target, {.workload = "read"});
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().fault, Fault::measurement);
    EXPECT_THAT(trace.error().message,
                HasSubstr("a call of read on silent does not return: it waits, 9 instructions"));
    EXPECT_THAT(trace.error().message, HasSubstr("idle"));
}

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
