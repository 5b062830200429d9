// SPDX-License-Identifier: MIT
#include "lab/target/counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <vector>

namespace kerntoll::lab {
namespace {

using testing::HasSubstr;

/// Answers as a kernel once did. Readings are recorded as read(2) gives them: number of counters,
/// time enabled, time running, counts.
class RecordedCalls : public PerfCalls {
public:
    using Reading = std::vector<std::uint64_t>;

    explicit RecordedCalls(std::vector<Reading> readings = {}) : readings_(std::move(readings)) {}

    int open(const perf_event_attr& event, pid_t pid, int group) override {
        if (const auto refused = refuse.find({event.type, event.config}); refused != refuse.end()) {
            return -refused->second;
        }
        if (refuse_all != 0) {
            return -refuse_all;
        }
        opened.push_back(event);
        pids.insert(pid);
        groups.push_back(group);
        open_now.insert(next_);
        return next_++;
    }
    int control(int fd, unsigned long request) override {
        requests.push_back(request);
        EXPECT_EQ(fd, 100) << "the group is controlled by its leader";
        return request == refuse_request ? -EIO : 0;
    }
    int read(int fd, std::span<std::uint64_t> words) override {
        EXPECT_EQ(fd, 100);
        if (at_ >= readings_.size()) {
            return -EBADF;
        }
        const Reading& reading = readings_[at_++];
        std::ranges::copy(reading, words.begin());
        return static_cast<int>(reading.size());
    }
    void close(int fd) override { EXPECT_EQ(open_now.erase(fd), 1U); }
    std::optional<int> paranoid() override { return level; }

    std::map<std::pair<std::uint32_t, std::uint64_t>, int> refuse;
    int refuse_all = 0;
    unsigned long refuse_request = 0;
    std::optional<int> level = 2;
    std::vector<perf_event_attr> opened;
    std::set<pid_t> pids;
    std::vector<int> groups;
    std::set<int> open_now;
    std::vector<unsigned long> requests;

private:
    std::vector<Reading> readings_;
    std::size_t at_ = 0;
    int next_ = 100;
};

CounterReading measure(RecordedCalls& calls, CounterReader& reader) {
    EXPECT_TRUE(reader.start());
    const auto reading = reader.stop();
    EXPECT_TRUE(reading) << reading.error().message;
    EXPECT_FALSE(calls.open_now.empty());
    return reading.value_or(CounterReading{});
}

TEST(Counters, CountTheKernelOfOneProcessInOneGroup) {
    RecordedCalls calls;
    const auto reader = attach_counters(4711, calls);
    ASSERT_TRUE(reader) << reader.error().message;
    ASSERT_EQ(calls.opened.size(), 4U);
    EXPECT_THAT(calls.pids, testing::ElementsAre(4711));
    EXPECT_THAT(calls.groups, testing::ElementsAre(-1, 100, 100, 100));
    for (const perf_event_attr& event : calls.opened) {
        EXPECT_EQ(event.exclude_user, 1U);
        EXPECT_EQ(event.exclude_hv, 1U);
        EXPECT_EQ(event.exclude_kernel, 0U);
        EXPECT_EQ(event.disabled, &event == &calls.opened.front() ? 1U : 0U);
        EXPECT_EQ(event.size, sizeof(perf_event_attr));
    }
}

TEST(Counters, GiveEachCountItsName) {
    RecordedCalls calls({{4, 0, 0, 0, 0, 0, 0}, {4, 500, 500, 11, 22, 33, 44}});
    const auto reader = attach_counters(1, calls);
    ASSERT_TRUE(reader);
    const CounterReading reading = measure(calls, **reader);
    EXPECT_EQ(reading.instructions, 11U);
    EXPECT_EQ(reading.cycles, 22U);
    EXPECT_EQ(reading.branch_misses, 33U);
    EXPECT_EQ(reading.l1i_misses, 44U);
    EXPECT_THAT(calls.requests, testing::ElementsAre(PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_ENABLE,
                                                     PERF_EVENT_IOC_DISABLE));
}

TEST(Counters, ThatTheMachineLacksStayEmptyAndTheOthersKeepTheirPlaces) {
    RecordedCalls calls({{2, 0, 0, 0, 0}, {2, 500, 500, 22, 33}});
    calls.refuse[{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS}] = ENOENT;
    calls.refuse[{PERF_TYPE_HW_CACHE,
                  PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_RESULT_MISS << 16U}] = ENOENT;
    const auto reader = attach_counters(1, calls);
    ASSERT_TRUE(reader);
    EXPECT_EQ(calls.opened.front().disabled, 1U) << "the first that opens leads";
    const CounterReading reading = measure(calls, **reader);
    EXPECT_FALSE(reading.instructions);
    EXPECT_EQ(reading.cycles, 22U);
    EXPECT_EQ(reading.branch_misses, 33U);
    EXPECT_FALSE(reading.l1i_misses);
}

TEST(Counters, ThatRanForPartOfTheTimeAreUnknownAndTheNextBatchIsNot) {
    // Times go on over batches: 1000 of 4000 ns in this one, all in the next.
    RecordedCalls calls({{4, 9000, 9000, 0, 0, 0, 0},
                         {4, 13000, 10000, 250, 100, 10, 1},
                         {4, 13000, 10000, 0, 0, 0, 0},
                         {4, 14000, 11000, 250, 100, 10, 1}});
    const auto reader = attach_counters(1, calls);
    ASSERT_TRUE(reader);
    EXPECT_FALSE(measure(calls, **reader).instructions);
    EXPECT_EQ(measure(calls, **reader).instructions, 250U);
}

TEST(Counters, ThatNeverRanAreUnknownAndNotZero) {
    RecordedCalls calls({{4, 0, 0, 0, 0, 0, 0}, {4, 5000, 0, 0, 0, 0, 0}});
    const auto reader = attach_counters(1, calls);
    ASSERT_TRUE(reader);
    const CounterReading reading = measure(calls, **reader);
    EXPECT_FALSE(reading.instructions || reading.cycles || reading.branch_misses ||
                 reading.l1i_misses);
}

TEST(Counters, OfAKernelThatAnswersShortAreAFault) {
    RecordedCalls calls({{4, 0, 0, 0, 0, 0, 0}, {3, 5, 5, 1, 1, 1}});
    const auto reader = attach_counters(1, calls);
    ASSERT_TRUE(reader);
    ASSERT_TRUE((*reader)->start());
    const auto reading = (*reader)->stop();
    ASSERT_FALSE(reading);
    EXPECT_EQ(reading.error().fault, Fault::measurement);
    EXPECT_THAT(reading.error().message, HasSubstr("3 hardware counters where 4 were asked for"));
}

TEST(Counters, ThatCannotBeControlledAreAFault) {
    for (const unsigned long request : {PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_ENABLE}) {
        RecordedCalls calls({{4, 0, 0, 0, 0, 0, 0}});
        calls.refuse_request = request;
        const auto reader = attach_counters(1, calls);
        ASSERT_TRUE(reader);
        EXPECT_FALSE((*reader)->start());
    }
}

TEST(Counters, AreClosedWithTheirReader) {
    RecordedCalls calls;
    {
        const auto reader = attach_counters(1, calls);
        EXPECT_EQ(calls.open_now.size(), 4U);
    }
    EXPECT_TRUE(calls.open_now.empty());
}

std::string why(int error_number, std::optional<int> paranoid) {
    RecordedCalls calls;
    calls.refuse_all = error_number;
    calls.level = paranoid;
    const auto reader = attach_counters(1, calls);
    EXPECT_FALSE(reader);
    EXPECT_EQ(reader.error().fault, Fault::environment);
    return reader.error().message;
}

TEST(Counters, ThatAreAbsentAreExplainedWithARemedy) {
    EXPECT_THAT(why(ENOENT, 2), HasSubstr("usual under a hypervisor"));
    EXPECT_THAT(why(EOPNOTSUPP, 2), HasSubstr("usual under a hypervisor"));
    EXPECT_THAT(why(EACCES, 3), HasSubstr("perf_event_paranoid is 3"));
    EXPECT_THAT(why(EACCES, 3), HasSubstr("sysctl kernel.perf_event_paranoid=1"));
    EXPECT_THAT(why(EPERM, -1), HasSubstr("is forbidden here"));
    EXPECT_THAT(why(EPERM, std::nullopt), HasSubstr("is forbidden here"));
    EXPECT_THAT(why(ENOSYS, 2), HasSubstr("CONFIG_PERF_EVENTS"));
    EXPECT_THAT(why(EBUSY, 2), HasSubstr("something else holds them"));
    EXPECT_THAT(why(ESRCH, 2), HasSubstr("No such process"));
}

}  // namespace
}  // namespace kerntoll::lab
