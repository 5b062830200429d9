// SPDX-License-Identifier: MIT
// What the lab makes of QEMU's gdb stub, and of what is none.
#include "lab/target/gdb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>
#include <string>

#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

TEST(GdbPacket, HasItsChecksumBehindIt) {
    EXPECT_EQ(gdb_packet("OK"), "$OK#9a");
    EXPECT_EQ(gdb_packet(""), "$#00");
}

TEST(GdbDecoder, TakesAPacketInAnyPortions) {
    GdbDecoder decoder;
    for (const char byte : std::string("++$T05thread:01;#07")) {
        EXPECT_FALSE(decoder.take());
        ASSERT_TRUE(decoder.feed({&byte, 1}));
    }
    EXPECT_EQ(decoder.take(), "T05thread:01;");
    EXPECT_FALSE(decoder.take());
    ASSERT_TRUE(decoder.feed("+$#00"));
    EXPECT_EQ(decoder.take(), "");
}

TEST(GdbDecoder, TakesNothingElse) {
    for (const std::string bytes :
         {"$OK#9b", "hello", "-", "$O$K#9a", "$OK#9g", "$OK#+a", "$OK#9a$OK#9a", "%Stop:#00"}) {
        GdbDecoder decoder;
        EXPECT_FALSE(decoder.feed(bytes)) << bytes;
        EXPECT_FALSE(decoder.feed("+")) << bytes << ": there is no way back";
    }
}

TEST(GdbDecoder, HoldsNoMoreThanTheLongestPacket) {
    GdbDecoder whole;
    const std::string longest(GdbDecoder::longest, '\0');
    EXPECT_TRUE(whole.feed("$" + longest + "#00"));
    EXPECT_EQ(whole.take(), longest);
    GdbDecoder decoder;
    EXPECT_FALSE(decoder.feed("$" + longest + std::string(1, '\0')));
}

TEST(HexBytes, ArePairsOfDigits) {
    EXPECT_EQ(hex_bytes("00ffA5"), std::string("\0\xff\xa5", 3));
    EXPECT_EQ(hex_bytes(""), "");
    for (const char* wrong : {"0", "000", "0x", "-1", " 1", "E01"}) {
        EXPECT_FALSE(hex_bytes(wrong)) << wrong;
    }
}

/// The stub is the test itself: everything that it will say is said beforehand.
class GdbTest : public LeavesNothing {
protected:
    void SetUp() override {
        LeavesNothing::SetUp();
        auto pair = make_socketpair();
        ASSERT_TRUE(pair);
        far_ = std::move(pair->second);
        gdb_.emplace(std::move(pair->first), std::endian::little);
    }
    void TearDown() override {
        gdb_.reset();
        far_.reset();
        LeavesNothing::TearDown();
    }
    void say(std::string_view bytes) const {
        ASSERT_EQ(send(far_.get(), bytes.data(), bytes.size(), 0),
                  static_cast<ssize_t>(bytes.size()));
    }
    void answer(std::string_view payload) const { say("+" + gdb_packet(payload)); }
    [[nodiscard]] std::string heard() const {
        std::array<char, 4096> bytes{};
        const ssize_t got = recv(far_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    }
    static Deadline soon() { return Clock::now() + 200ms; }

    Fd far_;
    std::optional<Gdb> gdb_;
};

TEST_F(GdbTest, StopsAndHoldsInterruptsAndTimersWhileItSteps) {
    // Each answer comes when it is asked for: one said too early is a fault.
    say(gdb_packet("T02thread:01;"));
    EXPECT_FALSE(gdb_->stop(soon()));
    EXPECT_THAT(heard(), HasSubstr("\x03+$qXfer:features:read:target.xml:0,40#"));
    answer("l<target/>");
    ASSERT_TRUE(gdb_->read_memory(0, 0, soon()).error().message.contains("says 'l<target/>'"));
}

TEST_F(GdbTest, ReadsRegistersInTheGuestsOrder) {
    answer("80c0048100ffffff");
    EXPECT_EQ(gdb_->read_register(16, soon()).value_or(0), 0xffffff008104c080U);
    EXPECT_EQ(heard(), "+" + gdb_packet("p10"));
    auto pair = make_socketpair();
    ASSERT_TRUE(pair);
    Gdb big(std::move(pair->first), std::endian::big);
    const std::string said = gdb_packet("000003ffe0312700");
    ASSERT_GT(send(pair->second.get(), said.data(), said.size(), 0), 0);
    EXPECT_EQ(big.read_register(1, soon()).value_or(0), 0x3ffe0312700U);
}

TEST_F(GdbTest, ReadsMemory) {
    answer("0f05");
    EXPECT_EQ(gdb_->read_memory(0x1000, 2, soon()).value_or(""), "\x0f\x05");
    EXPECT_EQ(heard(), "+" + gdb_packet("m1000,2"));
}

TEST_F(GdbTest, StepsAndWaitsForTheStop) {
    say("+");
    say(gdb_packet("T05thread:01;"));
    EXPECT_TRUE(gdb_->step(soon()));
    EXPECT_EQ(heard(), "+" + gdb_packet("s"));
    answer("OK");
    EXPECT_TRUE(gdb_->set_breakpoint(0x26140, soon()));
    EXPECT_EQ(heard(), "+" + gdb_packet("Z1,26140,1"));
}

TEST_F(GdbTest, RefusalsAndNonsenseAreToldInASentence) {
    answer("E22");
    EXPECT_THAT(gdb_->set_breakpoint(1, soon()).error().message,
                HasSubstr("QEMU's gdb stub refuses 'Z1,1,1': 'E22'"));
    answer("");
    EXPECT_THAT(gdb_->clear_breakpoint(1, soon()).error().message, HasSubstr("refuses"));
    answer("E14");
    EXPECT_THAT(gdb_->read_memory(0x10, 4, soon()).error().message,
                HasSubstr("says 'E14' of the 4 bytes at 0x10"));
    answer("0011");
    EXPECT_THAT(gdb_->read_register(32, soon()).error().message, HasSubstr("of register 32"));
    answer("\x1b[31mW00");
    const Error strange = gdb_->step(soon()).error();
    EXPECT_THAT(strange.message, HasSubstr("says '?[31mW00' where the machine should stop"));
    EXPECT_EQ(strange.fault, Fault::measurement);
    answer("W00");
    EXPECT_THAT(gdb_->step(soon()).error().message, HasSubstr("says 'W00'"));
    say("hello");
    EXPECT_THAT(gdb_->step(soon()).error().message, EndsWith("no packet of its protocol"));
}

TEST_F(GdbTest, SilenceAndHangingUpEndInASentence) {
    EXPECT_THAT(gdb_->step(soon()).error().message, HasSubstr("did not answer in time"));
    far_.reset();
    EXPECT_THAT(gdb_->step(soon()).error().message, HasSubstr("hung up"));
    EXPECT_THAT(gdb_->await_stop(soon()).error().message, HasSubstr("hung up"));
}

}  // namespace
}  // namespace kerntoll::lab
