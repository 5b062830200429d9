// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <vector>

#include "lab/base/interrupt.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/kvm_guest.hpp"
#include "lab/target/kvm_probe.hpp"
#include "lab/target/kvm_run.hpp"

namespace kerntoll::lab {
namespace {

using testing::HasSubstr;

Arch foreign_arch() {
    return host_arch() == Arch::arm64 ? Arch::riscv64 : Arch::arm64;
}

TEST(KvmProbe, SaysNoToAGuestOfAnotherArchitecture) {
    const auto proof = prove_kvm(foreign_arch());
    ASSERT_FALSE(proof);
    EXPECT_EQ(proof.error().fault, Fault::environment);
    EXPECT_THAT(proof.error().message, HasSubstr("own architecture only"));
}

TEST(KvmProbe, AnswersWithinItsTimeAndLeavesNoChild) {
    ASSERT_TRUE(host_arch());
    const auto start = std::chrono::steady_clock::now();
    const auto proof =
        prove_kvm(host_arch().value_or(Arch::x86_64), std::chrono::milliseconds(500));
    // Generous: what counts is that a hanging guest does not hold the lab.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    EXPECT_TRUE(proof || !proof.error().message.empty());
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(KvmProbe, CanBeInterrupted) {
    ASSERT_TRUE(host_arch());
    request_interrupt();
    const auto proof = prove_kvm(host_arch().value_or(Arch::x86_64));
    clear_interrupt();
    ASSERT_FALSE(proof);
    EXPECT_EQ(proof.error().fault, Fault::interrupted);
}

TEST(KvmProbe, EndsAGuestThatHangs) {
    const auto report = run_in_child(
        [] {
            for (;;) {
                pause();
            }
            return KvmReport{};
        },
        std::chrono::milliseconds(50));
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->has_value());
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(KvmProbe, SurvivesAGuestThatTakesItsProcessDown) {
    const auto report = run_in_child([]() -> KvmReport { _exit(1); }, std::chrono::seconds(10));
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->has_value());
}

TEST(KvmProbe, HandsOverWhatTheGuestReported) {
    const auto report = run_in_child(
        [] { return KvmReport{.step = KvmStep::guest_fault, .value = 13, .calls = 1}; },
        std::chrono::seconds(10));
    ASSERT_TRUE(report);
    const KvmReport got = report->value_or(KvmReport{});
    EXPECT_EQ(got.step, KvmStep::guest_fault);
    EXPECT_EQ(got.value, 13U);
    EXPECT_EQ(got.calls, 1U);
}

TEST(KvmReport, OfAWorkingGuestNeedsNoWords) {
    EXPECT_EQ(describe({.step = KvmStep::done}), "");
}

TEST(KvmReport, NamesWhatWentWrong) {
    EXPECT_THAT(describe({.step = KvmStep::open_device, .error_number = EACCES}),
                HasSubstr("/dev/kvm cannot be opened (Permission denied)"));
    EXPECT_THAT(describe({.step = KvmStep::create_machine, .error_number = ENOMEM}),
                HasSubstr("does not make a machine (Cannot allocate memory)"));
    EXPECT_THAT(describe({.step = KvmStep::run_guest, .error_number = EINVAL}),
                HasSubstr("does not run a machine (Invalid argument)"));
    EXPECT_THAT(describe({.step = KvmStep::wrong_level, .value = 3}),
                HasSubstr("first system call arrived in ring 3 and not in ring 0"));
    EXPECT_THAT(describe({.step = KvmStep::guest_fault, .value = 13, .calls = 1}),
                HasSubstr("exception 13 instead of its second system call"));
    EXPECT_THAT(describe({.step = KvmStep::guest_stopped, .value = 8}),
                HasSubstr("KVM exit reason 8"));
    EXPECT_THAT(describe({.step = KvmStep::lost_call, .value = 9}), HasSubstr("the number 9"));
    EXPECT_THAT(describe({}), HasSubstr("did not start"));
}

std::uint64_t word_at(const std::vector<std::byte>& memory, std::uint64_t address) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.data() + address, sizeof(value));
    return value;
}

/// What the guest's page tables make of an address: its entry in the last table.
std::uint64_t page_entry(const std::vector<std::byte>& memory, std::uint64_t address) {
    constexpr std::uint64_t address_bits = 0x000ffffffffff000;
    std::uint64_t table = kvm_guest::top_table;
    for (const unsigned shift : {39U, 30U, 21U}) {
        table = word_at(memory, table + (address >> shift & 0x1ffU) * 8) & address_bits;
    }
    return word_at(memory, table + (address >> 12U & 0x1ffU) * 8);
}

TEST(KvmGuest, KeepsItsHandlerOutOfTheUsersReach) {
    std::vector<std::byte> memory(kvm_guest::memory_size);
    kvm_guest::write_memory(memory);
    constexpr std::uint64_t present = 1;
    constexpr std::uint64_t user = 4;
    EXPECT_EQ(page_entry(memory, kvm_guest::handler) & ~2ULL, kvm_guest::handler | present);
    EXPECT_EQ(page_entry(memory, kvm_guest::user_code) & ~2ULL,
              kvm_guest::user_code | present | user);
}

TEST(KvmGuest, SendsEveryExceptionToAStubThatReportsItsVector) {
    std::vector<std::byte> memory(kvm_guest::memory_size);
    kvm_guest::write_memory(memory);
    for (std::uint64_t vector = 0; vector < 32; ++vector) {
        const std::uint64_t gate = word_at(memory, kvm_guest::interrupt_table + vector * 16);
        EXPECT_EQ(gate >> 16U & 0xffffU, kvm_guest::kernel_code_selector);
        const std::uint64_t stub = (gate & 0xffffU) | (gate >> 48U << 16U);
        // mov $vector, %al; out %al, $fault_port
        EXPECT_EQ(word_at(memory, stub) & 0xffffffffU,
                  0xe600b0U | vector << 8U | std::uint64_t{kvm_guest::fault_port} << 24U);
    }
}

}  // namespace
}  // namespace kerntoll::lab
