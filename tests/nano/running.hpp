// SPDX-License-Identifier: MIT
// A machine that is stopped, looked at and sent things while it runs nano: x86_64, by QEMU's gdb
// stub and its monitor.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "lab/target/gdb.hpp"
#include "lab/target/qmp.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

inline lab::Deadline soon() {
    return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

template <class T>
T value_of(lab::Result<T> result) {
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : T{};
}
inline void done(const lab::Result<void>& result) {
    EXPECT_TRUE(result) << result.error().message;
}

/// Where an image has a symbol.
inline uint64_t address_of(const std::string& image, const std::string& symbol) {
    const auto names =
        value_of(lab::run_captured({"llvm-nm-19", image}, std::chrono::seconds(20))).output;
    const size_t end = names.find(" " + symbol + "\n");
    EXPECT_NE(end, std::string::npos) << symbol;
    const size_t line = names.rfind('\n', end) + 1;  // 0 behind none
    return end == std::string::npos ? 0 : std::stoull(names.substr(line), nullptr, 16);
}

/// By QEMU's numbers for its gdb stub.
enum class Register : unsigned { rsp = 7, rip = 16, gs_base = 25, kernel_gs_base = 26 };

/// A machine that stands still until it is told to go on.
class Running {
public:
    Running(const Machine& machine, const std::string& image, const std::string& program)
        : output_(memfd_create("output", 0)) {
        auto [our_control, their_control] = pair();
        auto [our_gdb, their_gdb] = pair();
        nano::Parameters parameters;
        parameters.program_size = program.size();
        parameters.switches = static_cast<uint32_t>(nano::Switch::report);
        start_ = prepare(machine, image, program, parameters);
        const auto line = [](const char* name, const lab::Fd& end) {
            return std::string("socket,id=") + name + ",fd=" + std::to_string(end.get());
        };
        start_.argv.insert(start_.argv.end(), {"-S", "-chardev", line("control", their_control),
                                               "-mon", "chardev=control,mode=control", "-chardev",
                                               line("gdb", their_gdb), "-gdb", "chardev:gdb"});
        lab::SpawnPlan plan;
        plan.argv = start_.argv;
        plan.standard_output = output_.get();
        plan.standard_error = output_.get();
        plan.inherited = {their_control.get(), their_gdb.get()};
        if (auto child = lab::Subprocess::spawn(plan); child) {
            qemu_.emplace(*std::move(child));
        }
        qmp_.emplace(std::move(our_control));
        done(qmp_->negotiate(soon()));
        gdb_.emplace(std::move(our_gdb), std::endian::little);
        // The stub answers whoever has stopped a machine, and this one has not begun.
        done(gdb_->go_on());
        done(gdb_->stop(soon()));
    }
    [[nodiscard]] lab::Qmp& qmp() { return *qmp_; }
    [[nodiscard]] lab::Gdb& gdb() { return *gdb_; }
    [[nodiscard]] uint64_t read(Register number) {
        return value_of(gdb_->read_register(static_cast<unsigned>(number), soon()));
    }
    void step() { done(gdb_->step(soon())); }
    /// Goes on until the instruction at an address is the next one.
    void run_to(uint64_t address) {
        done(gdb_->set_breakpoint(address, soon()));
        done(gdb_->go_on());
        done(gdb_->await_stop(soon()));
        done(gdb_->clear_breakpoint(address, soon()));
        EXPECT_EQ(read(Register::rip), address) << output();
    }
    [[nodiscard]] std::string output() const {
        std::string bytes(65536, '\0');
        const auto size = pread(output_.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(size > 0 ? static_cast<size_t>(size) : 0);
        return bytes;
    }
    /// Waits until the program has printed this, and then until it is back in user mode, where it
    /// spins: what takes it microseconds gets a fifth of a second.
    [[nodiscard]] bool wait_for(std::string_view line) {
        const auto end = soon();
        while (!output().contains(line) && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return output().contains(line);
    }
    [[nodiscard]] Ending end() {
        const auto status = qemu_->wait(std::chrono::seconds(30));
        if (!status || !*status) {
            ADD_FAILURE() << "it does not end: " << output();
            return {output(), -1, -1};
        }
        return ending_of(output(), **status);
    }

private:
    static std::pair<lab::Fd, lab::Fd> pair() {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        return {lab::Fd(ends[0]), lab::Fd(ends[1])};
    }

    lab::Fd output_;
    Start start_;
    std::optional<lab::Subprocess> qemu_;
    std::optional<lab::Qmp> qmp_;
    std::optional<lab::Gdb> gdb_;
};

}  // namespace kerntoll::nano_test
