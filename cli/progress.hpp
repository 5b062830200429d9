// SPDX-License-Identifier: MIT
// Tells on stderr where a measurement stands: one line that is written over on a terminal, a plain
// line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lab/experiment/experiment.hpp"

namespace kerntoll::cli {

class ProgressLine {
public:
    /// `max_seconds` and `precision` (log-ratio) are what the experiment works towards.
    ProgressLine(double max_seconds, double precision);
    /// For what is no experiment.
    ProgressLine() : ProgressLine(0, 0) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    /// Wipes the line off the terminal, so that the table stands alone.
    ~ProgressLine();

    /// Says what is being done outside the experiment ("counting instructions of …").
    void say(std::string_view text);
    void update(const lab::experiment::Progress& progress);
    /// The same of anything else.
    void update(const std::string& text);

private:
    [[nodiscard]] bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
    void show(const std::string& text);

    double max_seconds_;
    double precision_;
    bool overwrites_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace kerntoll::cli
