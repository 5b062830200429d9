// SPDX-License-Identifier: MIT
// The table of workloads: one row each, with its system calls per op.
#include "agent/workload.hpp"
#include "agent/workloads/clock.hpp"
#include "agent/workloads/close.hpp"
#include "agent/workloads/empty.hpp"
#include "agent/workloads/fstat.hpp"
#include "agent/workloads/getpgid.hpp"
#include "agent/workloads/getpid.hpp"
#include "agent/workloads/getppid.hpp"
#include "agent/workloads/invalid.hpp"
#include "agent/workloads/mix.hpp"
#include "agent/workloads/open.hpp"
#include "agent/workloads/read.hpp"
#include "agent/workloads/seek.hpp"
#include "agent/workloads/stat.hpp"
#include "agent/workloads/write.hpp"

namespace kerntoll::agent {

namespace {

constexpr WorkloadRow rows[] = {
    row<Getpid>("getpid", 1), row<Getppid>("getppid", 1), row<Getpgid>("getpgid", 1),
    row<Mix>("mix", 5),       row<Close>("close", 2),     row<Read>("read", 1),
    row<Write>("write", 1),   row<Stat>("stat", 1),       row<Fstat>("fstat", 1),
    row<Open>("open", 2),     row<Seek>("seek", 14),      row<Invalid>("invalid", 1),
    row<Clock>("clock", 1),   row<Empty>("empty", 0),
};

}  // namespace

WorkloadTable workloads() {
    return {rows, sizeof rows / sizeof rows[0]};
}

}  // namespace kerntoll::agent
