// SPDX-License-Identifier: MIT
// What comes to a machine from outside and is kept out by no flag: x86_64's non-maskable interrupt
// and machine check, which have stacks of their own. QEMU is asked to send them.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "lab/target/qmp.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

/// A machine while it runs.
class Running {
public:
    Running(const Machine& machine, const std::string& image, const std::string& program)
        : output_(memfd_create("output", 0)) {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        lab::Fd ours(ends[0]);
        const lab::Fd theirs(ends[1]);
        nano::Parameters parameters;
        parameters.program_size = program.size();
        start_ = prepare(machine, image, program, parameters);
        const std::string control = std::to_string(theirs.get());
        start_.argv.insert(start_.argv.end(), {"-chardev", "socket,id=control,fd=" + control,
                                               "-mon", "chardev=control,mode=control"});
        lab::SpawnPlan plan;
        plan.argv = start_.argv;
        plan.standard_output = output_.get();
        plan.standard_error = output_.get();
        plan.inherited = {theirs.get()};
        if (auto child = lab::Subprocess::spawn(plan); child) {
            qemu_.emplace(*std::move(child));
        }
        qmp_.emplace(std::move(ours));
        const auto ready = qmp_->negotiate(limit());
        EXPECT_TRUE(ready) << ready.error().message;
    }
    [[nodiscard]] lab::Qmp& qmp() { return *qmp_; }
    [[nodiscard]] std::string output() const {
        std::string bytes(65536, '\0');
        const auto size = pread(output_.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(size > 0 ? static_cast<size_t>(size) : 0);
        return bytes;
    }
    /// Waits until the program has printed this, and then until it is back in user mode, where it
    /// spins: what takes it microseconds gets a fifth of a second.
    [[nodiscard]] bool wait_for(std::string_view line) {
        const auto end = limit();
        while (!output().contains(line) && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(5ms);
        }
        std::this_thread::sleep_for(200ms);
        return output().contains(line);
    }
    [[nodiscard]] Ending end() {
        const auto status = qemu_->wait(30s);
        if (!status || !*status) {
            ADD_FAILURE() << "it does not end: " << output();
            return {output(), -1, -1};
        }
        return ending_of(output(), **status);
    }

private:
    static lab::Deadline limit() { return std::chrono::steady_clock::now() + 20s; }

    lab::Fd output_;
    Start start_;
    std::optional<lab::Subprocess> qemu_;
    std::optional<lab::Qmp> qmp_;
};

lab::Deadline soon() {
    return std::chrono::steady_clock::now() + 10s;
}

/// A fatal error in bank 1: valid, uncorrected, enabled, context corrupt; a machine check is in
/// progress, and the program could be restarted.
constexpr auto machine_check = "mce 0 1 0xb200000000000000 0x5 0 0";

class NanoEvent : public testing::Test {
protected:
    void SetUp() override {
        machine_ = find_machine("x86_64");
        if (!machine_) {
            GTEST_SKIP() << "there is no port to x86_64 in this build";
        }
    }
    void expect_good(const std::string& image) {
        SCOPED_TRACE(image);
        Running running(*machine_, image, read_program(*machine_, "events"));
        for (const char* line : {"ready for an NMI", "ready for another"}) {
            ASSERT_TRUE(running.wait_for(line)) << running.output();
            const auto sent = running.qmp().execute("inject-nmi", soon());
            EXPECT_TRUE(sent) << sent.error().message;
        }
        ASSERT_TRUE(running.wait_for("ready for a machine check")) << running.output();
        const auto sent = running.qmp().monitor(machine_check, soon());
        EXPECT_TRUE(sent) << sent.error().message;
        const Ending ending = running.end();
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "nano:"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(9)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
    std::optional<Machine> machine_;
};

TEST_F(NanoEvent, NmiAndMachineCheckFromUserModeAreOrdinaryExceptions) {
    for (const std::string& image : images_of(*machine_)) {
        expect_good(image);
    }
}

TEST_F(NanoEvent, AndOnTheHardestVariant) {
    expect_good(make_image(*machine_, machine_->hardest));
}

}  // namespace

}  // namespace kerntoll::nano_test
