// SPDX-License-Identifier: MIT
#include "lab/target/qmp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "tests/base/leftovers.hpp"

namespace kerntoll::lab {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// QEMU's end is the test itself: everything that it will say is said beforehand.
class QmpTest : public LeavesNothing {
protected:
    void SetUp() override {
        LeavesNothing::SetUp();
        auto pair = make_socketpair();
        ASSERT_TRUE(pair);
        far_ = std::move(pair->second);
        qmp_.emplace(std::move(pair->first));
    }
    void TearDown() override {
        qmp_.reset();
        far_.reset();
        LeavesNothing::TearDown();
    }
    void say(std::string_view text) const {
        ASSERT_EQ(send(far_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] std::string heard() const {
        std::array<char, 4096> bytes{};
        const ssize_t got = recv(far_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    }
    static Deadline soon() { return Clock::now() + 200ms; }

    Fd far_;
    std::optional<Qmp> qmp_;
};

constexpr std::string_view greeting = R"({"QMP": {"version": {}, "capabilities": []}})"
                                      "\r\n";
constexpr std::string_view done = R"({"return": {}})"
                                  "\r\n";

TEST_F(QmpTest, NegotiatesAndExecutes) {
    say(greeting);
    say(done);
    ASSERT_TRUE(qmp_->negotiate(soon()));
    EXPECT_EQ(heard(), R"({"execute":"qmp_capabilities"})"
                       "\n");
    say(R"({"timestamp": {}, "event": "STOP"})"
        "\r\n");
    say(done);
    EXPECT_TRUE(qmp_->execute("stop", soon()));
    EXPECT_EQ(heard(), R"({"execute":"stop"})"
                       "\n");
}

TEST_F(QmpTest, TellsWhatTheMonitorPrints) {
    say(R"({"return": "0x10:  90  nop\r\n"})"
        "\r\n");
    EXPECT_EQ(qmp_->monitor("x/1i \"0x10\"", soon()).value_or(""), "0x10:  90  nop\r\n");
    EXPECT_EQ(heard(), R"({"arguments":{"command-line":"x/1i \"0x10\""},)"
                       R"("execute":"human-monitor-command"})"
                       "\n");
    say(done);
    EXPECT_EQ(qmp_->monitor("x", soon()).value_or("?"), "");
}

TEST_F(QmpTest, RefusalsAreTold) {
    say(R"({"error": {"class": "GenericError", "desc": "not now"}})"
        "\r\n");
    const auto result = qmp_->execute("cont", soon());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "QEMU refused 'cont': not now");
}

TEST_F(QmpTest, SilenceEndsInASentence) {
    EXPECT_THAT(qmp_->negotiate(soon()).error().message, HasSubstr("did not answer in time"));
}

TEST_F(QmpTest, HangingUpEndsInASentence) {
    far_.reset();
    EXPECT_THAT(qmp_->negotiate(soon()).error().message, HasSubstr("hung up"));
    EXPECT_THAT(qmp_->execute("stop", soon()).error().message, HasSubstr("hung up"));
}

TEST_F(QmpTest, NonsenseEndsInASentence) {
    say("hello?\n");
    EXPECT_THAT(qmp_->negotiate(soon()).error().message, HasSubstr("no QMP message"));
    say("[1]\n");
    EXPECT_THAT(qmp_->negotiate(soon()).error().message, HasSubstr("no QMP message"));
    say(done);
    EXPECT_THAT(qmp_->negotiate(soon()).error().message, HasSubstr("greeting"));
    say(R"({"error": 5})"
        "\n");
    EXPECT_THAT(qmp_->execute("stop", soon()).error().message, HasSubstr("no reason given"));
}

TEST_F(QmpTest, ALineWithoutAnEndIsGivenUp) {
    const std::string endless(70'000, '{');
    say(endless);
    EXPECT_THAT(qmp_->negotiate(Clock::now() + 10s).error().message, HasSubstr("no QMP message"));
}

TEST_F(QmpTest, KnowsWhyTheMachineShutDown) {
    EXPECT_EQ(qmp_->shutdown_reason(), "");
    say(R"({"event": "RESUME"})"
        "\r\n");
    say(R"({"event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-reset"}})"
        "\r\n");
    far_.reset();
    EXPECT_EQ(qmp_->shutdown_reason(), "guest-reset");
}

}  // namespace
}  // namespace kerntoll::lab
