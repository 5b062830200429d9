// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/wire/collector.hpp"

namespace kerntoll::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Decoder, FindsAFrameBehindAKernelMessageOnTheSameLine) {
    const Collector found = decoded("[    1.23] random: crng init" + response(3, "ok"));
    EXPECT_THAT(found.frames, ElementsAre(Pair(3, "ok")));
    EXPECT_EQ(found.console, "[    1.23] random: crng init");
}

TEST(Decoder, PortionsOfAnySizeGiveTheSame) {
    const std::string stream =
        "boot\r\n@" + response(1, "ok a=1") + "noise @K@K<" + response(2, "ok b=2") + "end\n";
    const Collector whole = decoded(stream);
    ASSERT_THAT(whole.frames, ElementsAre(Pair(1, "ok a=1"), Pair(2, "ok b=2")));
    EXPECT_EQ(whole.console, "boot\r\n@noise @K@K<end\n");
    for (std::size_t portion = 1; portion < stream.size(); ++portion) {
        const Collector found = decoded(stream, portion);
        EXPECT_EQ(found.frames, whole.frames) << portion;
        EXPECT_EQ(found.console, whole.console) << portion;
    }
}

TEST(Decoder, AnyLineEndWillDo) {
    std::string bare = response(4, "ok");
    bare.pop_back();
    for (const char* end : {"\n", "\r", "\r\n", "\r\r\n", "\n\r"}) {
        const Collector found = decoded(bare + end + "text\n" + bare + end, 1);
        EXPECT_THAT(found.frames, ElementsAre(Pair(4, "ok"), Pair(4, "ok")));
        EXPECT_EQ(found.console, "text\n") << "the frame's own line end is not text";
    }
}

TEST(Decoder, EveryDamagedFrameIsTextAndNothingOfItIsLost) {
    const std::string frame = response(0x12345678U, "ok ns=1000 ticks=26");
    for (std::size_t at = 0; at + 1 < frame.size(); ++at) {
        for (const char wrong : {'#', ' ', '0', '\x01'}) {
            if (frame[at] == wrong) {
                continue;
            }
            std::string damaged = frame;
            damaged[at] = wrong;
            const Collector found = decoded(damaged);
            EXPECT_THAT(found.frames, IsEmpty()) << at;
            EXPECT_EQ(found.console, damaged) << at;
        }
        std::string shorter = frame;
        shorter.erase(at, 1);
        EXPECT_THAT(decoded(shorter).frames, IsEmpty()) << at;
    }
}

TEST(Decoder, FrameCutByAKernelMessageIsDroppedAndTheNextOneFound) {
    std::string cut = response(5, "ok n=100");
    cut.insert(15, "[    2.0] clocksource: switched\r\n");
    const Collector found = decoded(cut + response(5, "ok n=100"));
    EXPECT_THAT(found.frames, ElementsAre(Pair(5, "ok n=100")));
    EXPECT_EQ(found.console, cut);
}

TEST(Decoder, MarkerInsideAnUnfinishedFrameStartsAnew) {
    const Collector found = decoded("@K< 00000006 ok n=1" + response(6, "ok n=2"));
    EXPECT_THAT(found.frames, ElementsAre(Pair(6, "ok n=2")));
    EXPECT_EQ(found.console, "@K< 00000006 ok n=1");
}

TEST(Decoder, EchoOfTheOtherDirectionIsDroppedWhole) {
    const std::string stream =
        request(7, "run workload=getpid n=1") + response(7, "ok ns=1 ticks=1");
    const Collector lab = decoded(stream, 1, Direction::response);
    EXPECT_THAT(lab.frames, ElementsAre(Pair(7, "ok ns=1 ticks=1")));
    EXPECT_EQ(lab.console, "");
    const Collector agent = decoded(stream, 1, Direction::request);
    EXPECT_THAT(agent.frames, ElementsAre(Pair(7, "run workload=getpid n=1")));
}

TEST(Decoder, LineLongerThanAnyFrameIsTextAndEndsTheSearch) {
    const std::string endless = "@K< 00000008 " + std::string(5 * max_frame, 'z');
    const Collector found = decoded(endless + "\n" + response(8, "ok"), 7);
    EXPECT_THAT(found.frames, ElementsAre(Pair(8, "ok")));
    EXPECT_EQ(found.console, endless + "\n");
}

TEST(Decoder, HoldsBackOnlyWhatMayBecomeAFrame) {
    Collector collector;
    Decoder decoder(Direction::response);
    decoder.feed("login@host @K< 0", collector);
    EXPECT_EQ(collector.console, "login@host ");
    decoder.finish(collector);
    EXPECT_EQ(collector.console, "login@host @K< 0");
}

// Frames and pieces of noise at random: all frames come out, and all noise, each in its order.
TEST(Decoder, LosesNothingInARandomStream) {
    std::mt19937 random(20240717);
    const auto below = [&random](unsigned limit) {
        return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
    };
    for (int round = 0; round < 300; ++round) {
        std::string stream;
        std::string noise;
        std::vector<std::pair<std::uint32_t, std::string>> sent;
        for (unsigned piece = below(12); piece > 0; --piece) {
            // Noise begins with something that is no line end, or it would be the frame's own.
            std::string text = ".";
            for (unsigned length = below(40); length > 0; --length) {
                text += "@K<> \n\r0aok="[below(12)];
            }
            noise += text;
            stream += text;
            sent.emplace_back(below(1000), "ok n=" + std::to_string(below(1000)));
            stream += response(sent.back().first, sent.back().second);
        }
        const Collector found = decoded(stream, 1 + below(30));
        ASSERT_EQ(found.frames, sent) << round;
        ASSERT_EQ(found.console, noise) << round;
    }
}

}  // namespace
}  // namespace kerntoll::wire
