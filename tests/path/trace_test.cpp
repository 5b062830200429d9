// SPDX-License-Identifier: MIT
// What the recorder writes is what the lab reads, and nothing else is read.
#include "lab/path/trace.hpp"

#include <gmock/gmock.h>

#include "recorder/options.hpp"
#include "recorder/round_trips.hpp"
#include "recorder/trace_writer.hpp"

namespace kerntoll::lab::path {
namespace {

using recorder::Instructions;
using recorder::Paths;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two round trips of three instructions, and one that is interrupted after the second of them.
class TraceTest : public testing::Test {
protected:
    TraceTest() {
        for (const std::uint64_t address :
             {0x1000ULL, 0xffffffff80000000ULL, 0xffffffff80000004ULL, 0xffffffff90000000ULL}) {
            (void)instructions.at(address, "\x01\x02", [address] {
                return address == 0x1000 ? "ecall" : "addi sp,sp,-16";
            });
        }
        usual.steps = {0, 1, 2};
        usual.accesses = {{1, 3, 0xffffffc000001000}, {2, 3 | trace_format::store_bit, 0x10}};
        interrupted.steps = {0, 1, 3, 2};
        paths.add(usual);
        paths.add(interrupted);
        paths.add(usual);
    }
    [[nodiscard]] std::string bytes() const {
        return recorder::encode("riscv64", end, 3, instructions, paths, unfinished);
    }

    Instructions instructions;
    recorder::Path usual;
    recorder::Path interrupted;
    recorder::Path unfinished;
    Paths paths;
    trace_format::End end = trace_format::End::complete;
};

TEST_F(TraceTest, IsReadAsItWasWritten) {
    unfinished.steps = {0, 2};
    end = trace_format::End::guest_ended;
    const auto trace = read_trace(bytes());
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->target, "riscv64");
    EXPECT_EQ(trace->end, trace_format::End::guest_ended);
    EXPECT_EQ(trace->rounds_wanted, 3U);
    ASSERT_EQ(trace->instructions.size(), 4U);
    EXPECT_EQ(trace->instructions[0].address, 0x1000U);
    EXPECT_EQ(trace->instructions[2].address, 0xffffffff80000004U);
    EXPECT_EQ(trace->instructions[2].bytes, "\x01\x02");
    EXPECT_EQ(trace->instructions[0].text, "ecall");
    ASSERT_EQ(trace->variants.size(), 2U);
    EXPECT_THAT(trace->variants[0].path.steps, ElementsAre(0, 1, 2));
    EXPECT_EQ(trace->variants[0].rounds, 2U);
    EXPECT_EQ(trace->variants[0].first_round, 0U);
    EXPECT_THAT(trace->variants[1].path.steps, ElementsAre(0, 1, 3, 2));
    EXPECT_EQ(trace->variants[1].rounds, 1U);
    EXPECT_EQ(trace->variants[1].first_round, 1U);
    EXPECT_THAT(trace->unfinished.steps, ElementsAre(0, 2));
    const auto& accesses = trace->variants[0].path.accesses;
    ASSERT_EQ(accesses.size(), 2U);
    EXPECT_EQ(accesses[0].step, 1U);
    EXPECT_EQ(accesses[0].size, 8U);
    EXPECT_FALSE(accesses[0].store);
    EXPECT_EQ(accesses[0].address, 0xffffffc000001000U);
    EXPECT_TRUE(accesses[1].store);
    EXPECT_EQ(accesses[1].address, 0x10U);
}

TEST_F(TraceTest, CutShortAnywhereIsRefused) {
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto trace = read_trace(std::string_view(whole).substr(0, size));
        ASSERT_FALSE(trace) << size;
        EXPECT_EQ(trace.error().fault, Fault::measurement);
        EXPECT_THAT(trace.error().message, HasSubstr("record it again"));
    }
}

TEST_F(TraceTest, DamagedAnywhereIsRefused) {
    const std::string whole = bytes();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        EXPECT_FALSE(read_trace(damaged)) << at;
    }
}

TEST_F(TraceTest, ThatNamesAnInstructionWhichIsNotThereIsRefused) {
    usual.steps = {0, 4};
    paths.add(usual);
    const auto trace = read_trace(bytes());
    ASSERT_FALSE(trace);
    EXPECT_THAT(trace.error().message, HasSubstr("contradicts itself"));
}

TEST_F(TraceTest, UnderWayIsAPathWhereTheRecordingDidNotEndWell) {
    using trace_format::End;
    for (const auto& [how, steps, is_read] :
         {std::tuple{End::complete, 0U, true}, std::tuple{End::complete, 2U, false},
          std::tuple{End::guest_ended, 0U, true}, std::tuple{End::guest_ended, 1U, false},
          std::tuple{End::guest_ended, 2U, true}, std::tuple{End::too_long, 0U, false},
          std::tuple{End::too_long, 1U, false}, std::tuple{End::too_long, 2U, true}}) {
        end = how;
        unfinished.steps.assign(steps, 1);
        EXPECT_EQ(read_trace(bytes()).has_value(), is_read)
            << static_cast<int>(how) << " with " << steps;
    }
}

/// A trace written byte by byte.
struct Body {
    std::string target = "\x07riscv64";
    std::string end{'\0'};
    std::string wanted = "\x01";
    std::string instructions =
        "\x02\x80\x40\x01"
        "a\x05"
        "ecall\x08\x01"
        "b\x04sret";
    std::string variants = std::string("\x01\x00\x01", 3) + round_trip;
    std::string unfinished = std::string("\0\0", 2);

    /// Two steps without accesses.
    static inline const std::string round_trip{"\x02\x00\x02\x00", 4};

    [[nodiscard]] Result<Trace> read() const {
        std::string bytes(trace_format::magic);
        bytes += target + end + wanted + instructions + variants + unfinished;
        const std::uint64_t sum = trace_format::checksum(bytes);
        for (unsigned byte = 0; byte < trace_format::checksum_size; ++byte) {
            bytes += static_cast<char>(sum >> (8 * byte));
        }
        return read_trace(bytes);
    }
};
const std::string most("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");

TEST(TraceBody, HasItsNumbersInTheFewestBytesThatHoldThem) {
    Body body;
    ASSERT_TRUE(body.read());
    body.wanted = most;
    ASSERT_TRUE(body.read());
    EXPECT_EQ(body.read()->rounds_wanted, UINT64_MAX);
    for (const std::string& wrong :
         {std::string("\x81\x00", 2), std::string("\x80\x00", 2), most.substr(0, 9) + '\x02',
          most.substr(0, 9) + '\x7f', std::string(10, '\xff') + '\x01'}) {
        body.wanted = wrong;
        EXPECT_FALSE(body.read()) << wrong.size() << " bytes";
    }
}

TEST(TraceBody, CountsAsManyRoundsAsThereWere) {
    const auto two = [](const std::string& second_first, const std::string& first_rounds,
                        const std::string& second_rounds) {
        Body body;
        body.variants = std::string("\x02\x00", 2) + first_rounds + Body::round_trip +
                        second_first + second_rounds + std::string("\x02\x02\x00\x00", 4);
        return body.read().has_value();
    };
    const std::string none(1, '\0');
    EXPECT_TRUE(two("\x01", "\x01", "\x01"));
    EXPECT_TRUE(two("\x03", "\x03", "\x7f"));
    EXPECT_FALSE(two("\x02", "\x01", "\x01")) << "a round that no variant has";
    EXPECT_FALSE(two(none, "\x02", "\x01")) << "two first rounds";
    EXPECT_FALSE(two("\x01", none, "\x01")) << "a variant of no round";
    EXPECT_FALSE(two("\x01", most, "\x01")) << "more than 64 bits";
    EXPECT_FALSE(two("\x01", "\x01", most)) << "more than 64 bits";
}

TEST(TraceBody, HasNoTextsBytesAndAccessesThatNoMachineHas) {
    const auto with = [](const std::string& bytes, const std::string& text) {
        Body body;
        body.instructions = std::string(
                                "\x02\x80\x40\x01"
                                "a\x05"
                                "ecall\x08") +
                            static_cast<char>(bytes.size()) + bytes +
                            static_cast<char>(text.size() % 128 + (text.size() > 127 ? 128 : 0)) +
                            (text.size() > 127 ? std::string(1, char(text.size() / 128)) : "") +
                            text;
        return body.read().has_value();
    };
    EXPECT_TRUE(with("", ""));
    EXPECT_TRUE(with(std::string(15, 'b'), std::string(256, 'n')));
    EXPECT_TRUE(with("b", "mov\tr1, r2"));
    EXPECT_FALSE(with(std::string(16, 'b'), "nop"));
    EXPECT_FALSE(with("b", std::string(257, 'n')));
    EXPECT_FALSE(with("b", "nop\n"));
    EXPECT_FALSE(with("b", "\x1b[2J"));
    EXPECT_FALSE(with("b", "n\xc3p"));

    const auto accessing = [](char kind) {
        Body body;
        body.variants = std::string("\x01\x00\x01\x02\x00\x02\x01\x02", 8) + kind + '\x10';
        return body.read().has_value();
    };
    EXPECT_TRUE(accessing(7));
    EXPECT_TRUE(accessing(0x17));
    EXPECT_FALSE(accessing(8));
    EXPECT_FALSE(accessing(0x1f));
    EXPECT_FALSE(accessing(0x20));
}

/// What is kept of the instructions with these addresses: the loop is 0x10 to below 0x20, the
/// user's text ends at 0x100. Empty where the recording did not end.
std::vector<std::uint64_t> rounds_of(const std::vector<std::uint64_t>& executed,
                                     std::uint64_t rounds) {
    Instructions instructions;
    recorder::RoundTrips trips({{0, 0x100}, {0x10, 0x20}, rounds, 100});
    for (const std::uint64_t address : executed) {
        const auto& instruction = instructions.at(address, "b", [] { return "nop"; });
        if (const auto end = trips.executed(instruction)) {
            EXPECT_EQ(*end, trace_format::End::complete);
            std::vector<std::uint64_t> each;
            for (const auto& seen : trips.paths().all()) {
                each.push_back(seen.rounds);
            }
            return each;
        }
    }
    return {};
}

TEST(RoundTrips, AreAsManyOfEachCallAsOpsAreAskedForWhereverTheyBegin) {
    // Two calls, from 0x14 and 0x18; before each of them an instruction that is executed thrice.
    const std::vector<std::uint64_t> op{0x10, 0x10, 0x10, 0x14, 0x1000, 0x1004,
                                        0x15, 0x15, 0x15, 0x18, 0x1000, 0x1c};
    for (std::size_t first = 0; first < op.size(); ++first) {
        std::vector<std::uint64_t> executed{0x8};  // the user's, outside of the loop
        for (std::size_t at = first; at < 10 * op.size(); ++at) {
            executed.push_back(op[at % op.size()]);
        }
        EXPECT_THAT(rounds_of(executed, 3), ElementsAre(3, 3)) << "from " << first;
    }
}

TEST(RoundTrips, AreNoneOfALoopWithoutCallsWhichEndsAllTheSame) {
    Instructions instructions;
    recorder::RoundTrips trips({{0, 0x100}, {0x10, 0x20}, 2, 100});
    std::size_t executed = 0;
    for (std::optional<trace_format::End> end; !end && executed < 100; ++executed) {
        const std::uint64_t address = 0x10 + executed % 4;
        end = trips.executed(instructions.at(address, "b", [] { return "nop"; }));
    }
    EXPECT_EQ(executed, 9U);
    EXPECT_TRUE(trips.paths().all().empty());
}

TEST(RoundTrips, ThatBeginOutsideOfTheLoopDoNotCount) {
    EXPECT_THAT(rounds_of({0x8, 0x1000, 0x10, 0x1000, 0x8, 0x1000, 0x10}, 1), ElementsAre(1));
    EXPECT_THAT(rounds_of({0x1000, 0x8, 0x1000, 0x10, 0x14, 0x10}, 1), ElementsAre());
}

TEST(RecorderOptions, AreTakenFromWordsOrRefusedInOneSentence) {
    char loop[] = "loop=0x10-0x20";
    char text[] = "text=0x0-0x100";
    char fd[] = "fd=7";
    char rounds[] = "rounds=5";
    char empty_loop[] = "loop=0x20-0x20";
    char unknown[] = "speed=9";
    recorder::Options options;
    EXPECT_EQ(options.take(std::array<char* const, 4>{loop, text, fd, rounds}), "");
    EXPECT_EQ(options.loop.low, 0x10U);
    EXPECT_EQ(options.text.high, 0x100U);
    EXPECT_EQ(options.fd, 7);
    EXPECT_EQ(options.rounds, 5U);
    recorder::Options other;
    EXPECT_THAT(other.take(std::array<char* const, 1>{empty_loop}), HasSubstr("loop=0x20-0x20"));
    EXPECT_THAT(other.take(std::array<char* const, 1>{unknown}), HasSubstr("speed=9"));
    EXPECT_THAT(other.take(std::array<char* const, 1>{fd}), HasSubstr("needs loop="));
}

}  // namespace
}  // namespace kerntoll::lab::path
