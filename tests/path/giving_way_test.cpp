// SPDX-License-Identifier: MIT
// Calls that wait, in a real kernel: what other tasks execute meanwhile is not the call's. The
// guest's first process is sleeper.cpp; the kernel is the one of record_test.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "lab/path/choice.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/image.hpp"
#include "lab/target/initramfs.hpp"
#include "lab/target/qemu.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Sleep {
    std::string word;                 ///< for the sleeper: with whom it shares the processor
    std::uint64_t limit = 1'000'000;  ///< the recorder's
};

class GivingWayTest : public testing::Test {
protected:
    void SetUp() override {
        const char* kernel = std::getenv("KERNTOLL_TEST_KERNEL");
        if (kernel == nullptr || *kernel == '\0') {
            GTEST_SKIP() << "KERNTOLL_TEST_KERNEL names no kernel";
        }
        auto image = read_image(kernel);
        ASSERT_TRUE(image) << image.error().message;
        image_ = *std::move(image);
        sleeper_ = std::string(KERNTOLL_TEST_SLEEPERS "/") + std::string(name(image_.arch));
    }

    [[nodiscard]] AgentCode code() const {
        const auto symbols = Symbols::read(sleeper_).value();
        const auto functions = symbols.functions();
        const Function* const wanted = symbols.find("nap");
        return {{functions.front().start, functions.back().end}, {wanted->start, wanted->end}};
    }
    [[nodiscard]] static MemoryFile memory(std::string_view name, std::string_view bytes) {
        auto file = MemoryFile::create(std::string(name).c_str()).value();
        EXPECT_TRUE(file.append(std::as_bytes(std::span(bytes))));
        return file;
    }

    /// What choose_path() says of the trace.
    [[nodiscard]] std::string refusal(const Sleep& sleep) {
        std::ifstream file(sleeper_, std::ios::binary);
        const std::vector<char> program{std::istreambuf_iterator<char>(file), {}};
        const MemoryFile initramfs = memory("initramfs", make_initramfs(program).value());
        const MemoryFile trace = memory("trace", "");
        const MachineRow& row = machine_row(image_.arch);
        const Qemu qemu = find_qemu(row, std::nullopt).value();
        QemuPlan plan;
        plan.row = &row;
        plan.program = qemu.program;
        plan.machine = row.machine;
        plan.cpu = row.cpu;
        plan.memory_mib = row.memory_mib;
        plan.kernel = image_.kernel.get();
        plan.initramfs = &initramfs;
        plan.command_line = kernel_command_line(row, "nokaslr norandmaps " + sleep.word);
        plan.icount = QemuPlan::Icount::repeatable;
        plan.recorder = {
            recorder_path(qemu.version).value().string(), code(),
            Recording{.warm_up = 3, .rounds = 5, .limit = sleep.limit, .fd = trace.fd()}};
        auto machine = start_qemu(plan).value();
        std::array watched{pollfd{machine.housing->exit_fd(), POLLIN, 0}};
        EXPECT_EQ(wait_for_events(watched, Clock::now() + std::chrono::minutes(1)), 1)
            << "the recorder did not end the machine";
        std::string bytes(1U << 24U, '\0');
        const ssize_t size = pread(trace.fd(), bytes.data(), bytes.size(), 0);
        bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        auto read = read_trace(bytes);
        if (!read) {
            ADD_FAILURE() << read.error().message;
            return "";
        }
        const auto path = choose_path(*std::move(read), nullptr, {.workload = "sleep"}, "a guest");
        EXPECT_FALSE(path);
        return path ? "" : path.error().message;
    }

    Image image_;
    std::string sleeper_;
};

TEST_F(GivingWayTest, ACallDuringWhichTheProcessorIdlesHasNoPath) {
    EXPECT_THAT(refusal({.word = "alone"}),
                AllOf(HasSubstr("sleep on a guest"), HasSubstr("another task")));
}

TEST_F(GivingWayTest, ACallDuringWhichAnotherProcessRunsHasNoPath) {
    EXPECT_THAT(refusal({.word = "beside"}),
                AllOf(HasSubstr("sleep on a guest"), HasSubstr("another task")));
}

TEST_F(GivingWayTest, ACallThatIsNotBackWithinTheLimitEndsTheRecording) {
    EXPECT_THAT(refusal({.word = "alone", .limit = 2000}),
                AllOf(HasSubstr("sleep on a guest"), HasSubstr("within 2000 instructions")));
}

}  // namespace
}  // namespace kerntoll::lab::path
