// SPDX-License-Identifier: MIT
#include "lab/target/step_recording.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kerntoll::lab {
namespace {

/// How many times one answer's patience the whole recording may take.
constexpr int patience_of_all = 10;
/// Steps from one word about the progress to the next.
constexpr std::uint64_t progress_interval = 500;

}  // namespace

void StepPatience::begin() {
    end_ = Clock::now() + patience_of_all * of_one_;
}

Deadline StepPatience::soon() const {
    return std::min(Clock::now() + of_one_, end_);
}

std::string StepPatience::sentence(std::string_view doing, std::string_view so_far,
                                   std::string_view remedy) const {
    const bool is_option = limit_ == Limit::option;
    return fmt::format(
        "{} by single steps takes longer than {}{}: {}; {}{}", doing, patience_of_all * of_one_,
        is_option ? fmt::format(", {} times the target's timeout", patience_of_all) : std::string(),
        so_far, is_option ? "raise timeout=, or " : "", remedy);
}

std::unexpected<Error> StepRecording::explained(const Error& error) const {
    if (error.fault == Fault::interrupted) {
        return std::unexpected(error);
    }
    const std::string& workload = recording_.workload;
    if (patience_.is_over()) {
        return fail(Fault::measurement,
                    patience_.sentence("recording " + workload,
                                       fmt::format("{} of {} rounds were recorded by then",
                                                   round_trips_.ops(), recording_.rounds),
                                       "ask for fewer with --rounds"));
    }
    if (steps_ == 0) {
        return fail(error.fault, fmt::format("{} before the first call of {} could be stepped "
                                             "through",
                                             error.message, workload));
    }
    return fail(error.fault,
                fmt::format("{}, {} instructions into a call of {} that was stepped through (at "
                            "'{}'); a call that waits for something has no path",
                            error.message, round_trips_.path().steps.size(), workload,
                            here_ == nullptr ? "" : here_->text));
}

const StepRecording::Instruction* StepRecording::known(std::uint64_t address) const {
    const auto found = by_address_.find(address);
    return found == by_address_.end() ? nullptr : found->second;
}

const StepRecording::Instruction& StepRecording::add(std::uint64_t address, std::string bytes,
                                                     std::string text) {
    const Instruction& instruction = add_variant(address, std::move(bytes), text);
    by_address_.emplace(address, &instruction);
    return instruction;
}

const StepRecording::Instruction& StepRecording::add_variant(std::uint64_t address,
                                                             std::string bytes,
                                                             const std::string& text) {
    return instructions_.at(address, std::move(bytes), [&text] { return text; });
}

void StepRecording::stepped(const Instruction& next) {
    here_ = &next;
    ++steps_;
    if (recording_.progress && steps_ % progress_interval == 0) {
        recording_.progress({round_trips_.ops(), recording_.rounds, steps_});
    }
}

Result<void> StepRecording::write(Arch arch, trace_format::End end) const {
    const std::string trace = recorder::encode(name(arch), end, recording_.rounds, instructions_,
                                               round_trips_.paths(), round_trips_.path());
    if (const int error = recorder::write_all(recording_.fd, trace); error != 0) {
        return fail(Fault::environment,
                    fmt::format("cannot write the trace ({})", std::strerror(error)));
    }
    return {};
}

}  // namespace kerntoll::lab
