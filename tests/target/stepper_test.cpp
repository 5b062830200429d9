// SPDX-License-Identifier: MIT
// Recording by single steps, of a machine that follows a script: a gdb stub and a monitor without
// QEMU around them.
#include "lab/target/stepper.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lab/target/memory_file.hpp"
#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What the guest executes, address after address, and what is to be seen there.
struct Script {
    std::vector<std::uint64_t> executed;
    std::map<std::uint64_t, std::string> memory;       ///< bytes from an address on
    std::map<std::uint64_t, std::string> disassembly;  ///< behind "0xADDRESS:  "
    std::map<unsigned, std::string> registers;         ///< by number, as the stub says them
    unsigned program_counter = 16;
    /// Disassembly of an address when it is not the first that is asked for.
    std::map<std::uint64_t, std::string> behind_another;
    std::size_t hangs_at = SIZE_MAX;  ///< the step that never ends
    std::chrono::milliseconds step_takes{};
};

/// QEMU's ends of the two sockets, in a thread of the test.
class FakeQemu {
public:
    FakeQemu(Script script, Fd gdb, Fd control)
        : script_(std::move(script)),
          gdb_(std::move(gdb)),
          control_(std::move(control)),
          gdb_thread_([this] { serve_gdb(); }),
          control_thread_([this] { serve_control(); }) {}
    ~FakeQemu() {
        shutdown(gdb_.get(), SHUT_RDWR);
        shutdown(control_.get(), SHUT_RDWR);
        gdb_thread_.join();
        control_thread_.join();
    }
    FakeQemu(const FakeQemu&) = delete;
    FakeQemu& operator=(const FakeQemu&) = delete;

private:
    [[nodiscard]] std::uint64_t here() const {
        return script_.executed[std::min(at_, script_.executed.size() - 1)];
    }
    void say(const std::string& payload) const {
        const std::string bytes = "+" + gdb_packet(payload);
        (void)send(gdb_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void serve_gdb() {
        std::string heard;
        std::array<char, 256> part{};
        for (ssize_t got = 0; (got = recv(gdb_.get(), part.data(), part.size(), 0)) > 0;) {
            heard.append(part.data(), static_cast<std::size_t>(got));
            if (heard == "\x03") {
                say("T02thread:01;");
                heard.clear();
            }
            const std::size_t begin = heard.find('$');
            const std::size_t end = heard.find('#');
            if (end != heard.npos && heard.size() >= end + 3) {
                obey(heard.substr(begin + 1, end - begin - 1));
                heard.clear();
            }
        }
    }
    void obey(const std::string& command) {
        unsigned long address = 0;
        unsigned long number = 0;
        if (command == "s" && !holds_still_) {
            say("E01");  // interrupts and timers would get into the path
        } else if (command == "s") {
            std::this_thread::sleep_for(script_.step_takes);
            if (++at_ != script_.hangs_at) {
                say("T05thread:01;");
            }
        } else if (command == "c") {
            while (at_ < script_.executed.size() && !breakpoints_.contains(here())) {
                ++at_;
            }
            if (at_ < script_.executed.size()) {
                say("T05thread:01;");
            }
        } else if (std::sscanf(command.c_str(), "Z1,%lx,1", &address) == 1) {
            breakpoints_.insert(address);
            say("OK");
        } else if (std::sscanf(command.c_str(), "z1,%lx,1", &address) == 1) {
            say(breakpoints_.erase(address) == 1 ? "OK" : "E22");
        } else if (std::sscanf(command.c_str(), "m%lx,%lx", &address, &number) == 2) {
            const auto found = script_.memory.find(address);
            std::string digits;
            for (std::size_t i = 0; found != script_.memory.end() && i < number; ++i) {
                digits += fmt::format("{:02x}", static_cast<unsigned char>(found->second.at(i)));
            }
            say(digits.empty() ? "E14" : digits);
        } else if (std::sscanf(command.c_str(), "p%lx", &number) == 1) {
            say(number == script_.program_counter ? register_of(here())
                                                  : script_.registers.at(unsigned(number)));
        } else {
            holds_still_ = holds_still_ || command == "Qqemu.sstep=0x7";
            say(command.starts_with("qXfer") ? "l<target/>" : "OK");
        }
    }
    [[nodiscard]] std::string register_of(std::uint64_t value) const {
        std::string digits = fmt::format("{:016x}", value);
        if (script_.program_counter != 1) {  // all but s390x
            std::string turned;
            for (std::size_t i = 16; i > 0; i -= 2) {
                turned += digits.substr(i - 2, 2);
            }
            return turned;
        }
        return digits;
    }
    void serve_control() {
        std::array<char, 512> part{};
        for (ssize_t got = 0; (got = recv(control_.get(), part.data(), part.size(), 0)) > 0;) {
            const auto request =
                nlohmann::json::parse(part.data(), part.data() + got, nullptr, false);
            const std::string command = request["arguments"]["command-line"];
            unsigned long count = 0;
            unsigned long address = 0;
            std::sscanf(command.c_str(), "x/%lui 0x%lx", &count, &address);
            std::string text;
            for (unsigned long each = address; each < address + count; ++each) {
                const auto& known = each == address ? script_.disassembly : script_.behind_another;
                if (const auto found = known.find(each); found != known.end()) {
                    text += fmt::format("{:#x}:  {}\r\n", each, found->second);
                }
            }
            const std::string answer = nlohmann::json{{"return", text}}.dump() + "\r\n";
            (void)send(control_.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        }
    }

    Script script_;
    Fd gdb_;
    Fd control_;
    std::size_t at_ = 0;
    std::set<std::uint64_t> breakpoints_;
    bool holds_still_ = false;  ///< while it steps
    std::thread gdb_thread_;
    std::thread control_thread_;
};

struct Recorded {
    Result<void> result;
    std::string trace;
    std::uint64_t told = 0;
};

constexpr std::uint64_t loop = 0x1000;
constexpr std::uint64_t trap = 0x1004;

class StepperTest : public LeavesNothing {
protected:
    /// Executes the loop so often: its head, its trap, these kernel instructions, its end.
    static Script loops(std::size_t times, const std::vector<std::uint64_t>& kernel) {
        Script script;
        script.executed = {0x2000, loop};
        for (std::size_t time = 0; time < times; ++time) {
            script.executed.push_back(trap);
            script.executed.insert(script.executed.end(), kernel.begin(), kernel.end());
            script.executed.push_back(0x1006);
        }
        for (const std::uint64_t address : script.executed) {
            script.memory[address] = std::string(16, '\x90');
            script.disassembly[address] = "90                       nop      ";
        }
        return script;
    }
    static Recorded record(Script script, Arch arch, Recording recording,
                           std::chrono::milliseconds patience = 500ms) {
        auto gdb = make_socketpair();
        auto control = make_socketpair();
        auto file = MemoryFile::create("trace");
        script.program_counter = machine_row(arch).gdb_program_counter;
        recording.fd = file->fd();
        Recorded recorded;
        std::uint64_t told = 0;
        recording.progress = [&told](const StepProgress& at) { told = at.rounds; };
        {
            Stepper stepper({&machine_row(arch),
                             {.text = {0x1000, 0x2000}, .loop = {loop, 0x1010}},
                             recording,
                             patience},
                            std::move(gdb->first));
            Qmp qmp(std::move(control->first));
            const FakeQemu qemu(std::move(script), std::move(gdb->second),
                                std::move(control->second));
            recorded.result = stepper.prepare();
            if (recorded.result) {
                recorded.result = stepper.record(qmp);
            }
        }
        recorded.told = told;
        recorded.trace.resize(65536);
        recorded.trace.resize(static_cast<std::size_t>(
            pread(file->fd(), recorded.trace.data(), recorded.trace.size(), 0)));
        return recorded;
    }
    /// The trace of the same round trip, as the plugin writes it.
    struct Expected {
        std::uint64_t address;
        std::string bytes;
        std::string text;
    };
    static std::string trace_of(std::string_view arch, const std::vector<Expected>& instructions,
                                const std::vector<std::uint32_t>& path, std::uint64_t rounds,
                                trace_format::End end = trace_format::End::complete) {
        recorder::Instructions all;
        for (const Expected& each : instructions) {
            all.at(each.address, each.bytes, [&each] { return each.text; });
        }
        recorder::Paths paths;
        const recorder::Path one{path, {}};
        recorder::Path unfinished;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            paths.add(one);
        }
        if (end == trace_format::End::too_long) {
            unfinished = one;
        }
        return recorder::encode(arch, end, std::max<std::uint64_t>(rounds, 1), all, paths,
                                unfinished);
    }
};

const std::string nop = "\x90";

TEST_F(StepperTest, WritesTheTraceThatThePluginWrites) {
    const auto recorded =
        record(loops(20, {0xffff0000, 0xffff0008}), Arch::x86_64, {.warm_up = 5, .rounds = 3});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    EXPECT_EQ(recorded.trace, trace_of("x86_64",
                                       {{loop, nop, "nop "},
                                        {trap, nop, "nop "},
                                        {0xffff0000, nop, "nop "},
                                        {0xffff0008, nop, "nop "},
                                        {0x1006, nop, "nop "}},
                                       {1, 2, 3}, 3));
}

TEST_F(StepperTest, ACallThatNeverEndsIsCutAtTheLimit) {
    auto script = loops(10, {0xffff0000, 0xffff0008});
    script.executed.resize(script.executed.size() - 1);  // and stays in the kernel
    const auto recorded =
        record(std::move(script), Arch::x86_64, {.warm_up = 9, .rounds = 1, .limit = 3});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    EXPECT_EQ(recorded.trace, trace_of("x86_64",
                                       {{loop, nop, "nop "},
                                        {trap, nop, "nop "},
                                        {0xffff0000, nop, "nop "},
                                        {0xffff0008, nop, "nop "}},
                                       {1, 2, 3, 3}, 0, trace_format::End::too_long));
}

TEST_F(StepperTest, ACallThatWaitsIsToldInASentence) {
    auto script = loops(10, {0xffff0000, 0xffff0008});
    script.hangs_at = 13;
    const auto recorded =
        record(std::move(script), Arch::x86_64, {.workload = "read", .warm_up = 2, .rounds = 9});
    ASSERT_FALSE(recorded.result);
    EXPECT_EQ(recorded.result.error().fault, Fault::measurement);
    EXPECT_THAT(
        recorded.result.error().message,
        HasSubstr("did not answer in time, 3 instructions into a call of read that was "
                  "stepped through (at 'nop '); a call that waits for something has no path"));
    EXPECT_TRUE(recorded.trace.empty());
}

TEST_F(StepperTest, ARecordingThatTakesTooLongIsNoCallThatWaits) {
    auto script = loops(10'000, {0xffff0000, 0xffff0008});
    script.step_takes = 10ms;
    const auto recorded = record(std::move(script), Arch::x86_64,
                                 {.workload = "open", .warm_up = 2, .rounds = 9'000}, 200ms);
    ASSERT_FALSE(recorded.result);
    EXPECT_EQ(recorded.result.error().fault, Fault::measurement);
    EXPECT_THAT(recorded.result.error().message,
                AllOf(HasSubstr("recording open by single steps takes longer than 2000ms, 10 times "
                                "the target's timeout: "),
                      HasSubstr(" of 9000 rounds were recorded by then; raise timeout=, or ask for "
                                "fewer with --rounds"),
                      Not(HasSubstr("waits"))));
}

TEST_F(StepperTest, ALoopThatIsNeverEnteredIsToldInASentence) {
    auto script = loops(0, {});
    script.executed = {0x2000};
    const auto recorded = record(std::move(script), Arch::x86_64, {});
    ASSERT_FALSE(recorded.result);
    EXPECT_THAT(recorded.result.error().message,
                HasSubstr("before the first call of getpid could be stepped through"));
}

TEST_F(StepperTest, ALoopWithoutCallsHasNoRoundTrip) {
    Script script = loops(1, {});
    script.executed = {loop, 0x1006, 0x1800, 0xffff0000, 0xffff0008, 0x1800, 0xffff0000, 0x1800};
    for (const std::uint64_t address : script.executed) {
        script.memory[address] = nop;
        script.disassembly[address] = "90                       nop      ";
    }
    const auto recorded = record(std::move(script), Arch::x86_64, {.rounds = 1});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    EXPECT_EQ(recorded.trace, trace_of("x86_64",
                                       {{loop, nop, "nop "},
                                        {0x1006, nop, "nop "},
                                        {0x1800, nop, "nop "},
                                        {0xffff0000, nop, "nop "}},
                                       {}, 0, trace_format::End::guest_ended));
}

TEST_F(StepperTest, AnInstructionThatTheMonitorCutsIsReadWhole) {
    constexpr std::uint64_t cut = 0xffff03fd;
    auto script = loops(10, {0xffff0000, cut});
    script.memory[cut] = "\xf7\xc6\x0e\x30\x02" + std::string(11, '\0');
    script.disassembly[cut] = "f7                       .byte    0xf7";
    script.disassembly[cut - 1] = "c6 f7                    .byte    0xc6";
    script.disassembly[cut - 2] = "89 c6                    movl     %eax, %esi";
    script.behind_another[cut] = "f7 c6 0e 30 02 00        testl    $0x2300e, %esi";
    const auto recorded = record(std::move(script), Arch::x86_64, {.warm_up = 1, .rounds = 1});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    EXPECT_THAT(recorded.trace, HasSubstr("testl $0x2300e, %esi"));
    EXPECT_THAT(recorded.trace, HasSubstr(std::string("\x06\xf7\xc6\x0e\x30\x02\0", 7)));
}

TEST_F(StepperTest, WhatAnExecuteExecutesIsAStepOfItsOwn) {
    constexpr std::uint64_t exrl = 0x80000;
    constexpr std::uint64_t ex = 0x80010;
    auto script = loops(10, {exrl, exrl, ex, ex});
    for (const auto& [address, bytes] : std::map<std::uint64_t, std::string>{
             {exrl, {'\xc6', '\x20', '\xff', '\xff', '\xff', '\xf8'}},  // %r2, 16 bytes before
             {exrl - 16, {'\xd2', '\x10', '\x30', '\x00', '\x40', '\x00'}},
             {ex, {'\x44', '\x03', '\x40', '\x08'}},  // no register, 8 + %r3 + %r4
             {0x5678, {'\x07', '\xfe'}}}) {
        script.memory[address] = bytes;
    }
    script.disassembly[exrl] = "c620 ffff fff8  .byte    0xc6, 0x20, 0xff, 0xff, 0xff, 0xf8";
    script.disassembly[ex] = "4403 4008       .byte    0x44, 0x03, 0x40, 0x08";
    script.registers = {{4, "0000000000000a0f"}, {5, "0000000000005000"}, {6, "0000000000000670"}};
    const auto recorded = record(std::move(script), Arch::s390x, {.warm_up = 1, .rounds = 2});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    const std::string exrl_text = ".byte 0xc6, 0x20, 0xff, 0xff, 0xff, 0xf8";
    const std::string ex_text = ".byte 0x44, 0x03, 0x40, 0x08";
    EXPECT_EQ(recorded.trace,
              trace_of("s390x",
                       {{loop, nop, "nop "},
                        {trap, nop, "nop "},
                        {exrl, {'\xc6', '\x20', '\xff', '\xff', '\xff', '\xf8'}, exrl_text},
                        {exrl, {'\xd2', '\x1f', '\x30', '\x00', '\x40', '\x00'}, exrl_text},
                        {ex, {'\x44', '\x03', '\x40', '\x08'}, ex_text},
                        {ex, {'\x07', '\xfe'}, ex_text},
                        {0x1006, nop, "nop "}},
                       {1, 2, 3, 4, 5}, 2));
}

TEST_F(StepperTest, TellsHowFarItIs) {
    const auto recorded =
        record(loops(200, {0xffff0000, 0xffff0008}), Arch::x86_64, {.warm_up = 1, .rounds = 150});
    ASSERT_TRUE(recorded.result) << recorded.result.error().message;
    EXPECT_GT(recorded.told, 100U);
    EXPECT_LE(recorded.told, 150U);
}

}  // namespace
}  // namespace kerntoll::lab
