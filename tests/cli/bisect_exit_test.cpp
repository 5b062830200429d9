// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "cli/bisect.hpp"

namespace kerntoll::cli {
namespace {

using lab::stats::Verdict;

TEST(BisectExit, TakesSlowerAloneForBadAndPassesOverWhatCannotBeTold) {
    EXPECT_EQ(static_cast<int>(bisect_exit(Verdict::slower)), 1);
    for (const Verdict verdict : {Verdict::undecided, Verdict::untrusted}) {
        EXPECT_EQ(static_cast<int>(bisect_exit(verdict)), 125);
    }
    for (const Verdict verdict : {Verdict::faster, Verdict::equivalent, Verdict::layout_like}) {
        EXPECT_EQ(static_cast<int>(bisect_exit(verdict)), 0);
    }
}

}  // namespace
}  // namespace kerntoll::cli
