// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace kerntoll::cli {
namespace {

using namespace std::chrono_literals;

// A terminal is refreshed as often as an eye can follow; a log is not to be flooded.
constexpr std::chrono::milliseconds interval(bool overwrites) {
    return overwrites ? 200ms : 10s;
}

constexpr std::string_view wipe = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(double max_seconds, double precision)
    : max_seconds_(max_seconds),
      precision_(precision),
      overwrites_(is_terminal(STDERR_FILENO)),
      next_(std::chrono::steady_clock::now() + interval(overwrites_)) {}

ProgressLine::~ProgressLine() {
    if (overwrites_) {
        tell(wipe);
    }
}

void ProgressLine::show(const std::string& text) {
    if (overwrites_) {
        // A line longer than the terminal would wrap, and a wrapped line cannot be written over.
        tell(fmt::format("{}{:.{}}", wipe, text, columns(STDERR_FILENO) - 1));
    } else {
        print_note(text);
    }
    next_ = std::chrono::steady_clock::now() + interval(overwrites_);
}

void ProgressLine::say(std::string_view text) {
    show(std::string(text));
}

void ProgressLine::update(const lab::experiment::Progress& progress) {
    if (!is_due()) {
        return;
    }
    std::string text =
        fmt::format("{} replicate{}, {:.0f} of at most {:.0f} s", progress.replicates,
                    progress.replicates == 1 ? "" : "s", progress.seconds, max_seconds_);
    if (std::isfinite(progress.widest_half_width)) {
        text +=
            fmt::format(", interval ±{:.2f} % (stops at ±{:.2f} %)",
                        std::expm1(progress.widest_half_width) * 100, std::expm1(precision_) * 100);
    }
    show(text);
}

void ProgressLine::update(const std::string& text) {
    if (is_due()) {
        show(text);
    }
}

}  // namespace kerntoll::cli
