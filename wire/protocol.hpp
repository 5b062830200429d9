// SPDX-License-Identifier: MIT
// The words of the protocol, each written once. What they mean: docs/wire.md.
#pragma once

#include <stdint.h>

#include "wire/text.hpp"

namespace kerntoll::wire {

/// Changes whenever an old lab would misunderstand a new agent or the other way round.
inline constexpr uint64_t protocol_version = 1;

/// Requests, and `hello`, which the agent sends by itself with sequence number 0.
namespace verb {
inline constexpr Text hello = "hello";
inline constexpr Text identify = "identify";
inline constexpr Text list = "list";
inline constexpr Text setup = "setup";
inline constexpr Text calibrate = "calibrate";
inline constexpr Text run = "run";
inline constexpr Text prove = "prove";
inline constexpr Text symbols = "symbols";
inline constexpr Text symbol = "symbol";
inline constexpr Text quit = "quit";
inline constexpr Text scripted = "scripted";
}  // namespace verb

/// The first word of an answer.
namespace answer {
inline constexpr Text ok = "ok";
inline constexpr Text no = "no";
}  // namespace answer

/// The value of `kind` in a `no`.
namespace kind {
inline constexpr Text usage = "usage";    ///< the request makes no sense
inline constexpr Text kernel = "kernel";  ///< the kernel lacks or refuses what it takes
inline constexpr Text fault = "fault";    ///< a call did not do what it must do
}  // namespace kind

namespace key {
inline constexpr Text version = "version";
inline constexpr Text arch = "arch";
inline constexpr Text page = "page";
inline constexpr Text release = "release";
inline constexpr Text build = "build";
inline constexpr Text clock_ns = "clock_ns";
inline constexpr Text counter = "counter";
inline constexpr Text counter_hz = "counter_hz";
inline constexpr Text pid = "pid";
inline constexpr Text workload = "workload";
inline constexpr Text n = "n";
inline constexpr Text ns = "ns";
inline constexpr Text ticks = "ticks";
inline constexpr Text hollow = "hollow";
inline constexpr Text checked = "checked";
inline constexpr Text kind = "kind";
inline constexpr Text reason = "reason";
inline constexpr Text seccomp = "seccomp";
inline constexpr Text sud = "sud";
inline constexpr Text rseq = "rseq";
inline constexpr Text pad = "pad";
inline constexpr Text file = "file";
inline constexpr Text at = "at";
inline constexpr Text start = "start";
inline constexpr Text end = "end";
inline constexpr Text global = "global";
inline constexpr Text local = "local";
inline constexpr Text weak = "weak";
}  // namespace key

/// Where the first process of a machine finds requests that it carries out before it says hello.
inline constexpr Text script_path = "/requests";

/// The longest sled of `pad`.
inline constexpr uint64_t max_pad = 1024;
/// The longest batch: more ops than any machine does in a day.
inline constexpr uint64_t max_ops = 1'000'000'000'000;
/// The longest batch that can be calibrated for: a minute.
inline constexpr uint64_t max_calibrate_ns = 60'000'000'000;
/// The longest `file`, without the zero byte.
inline constexpr uint64_t max_path = 255;

}  // namespace kerntoll::wire
