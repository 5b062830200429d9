// SPDX-License-Identifier: MIT
#include "lab/target/process_stepper.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <string>

#include "lab/base/fd.hpp"

namespace kerntoll::lab {
namespace {

using trace_format::End;

/// What stands at an address, disassembled when it is seen first.
Result<const recorder::Instruction*> instruction_at(std::uint64_t address, const Tracee& tracee,
                                                    const Disassembler& disassembler,
                                                    StepRecording& recording) {
    if (const auto* known = recording.known(address)) {
        return known;
    }
    auto bytes = tracee.read_memory(address, longest_instruction);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    auto found = disassembler.disassemble(address, *bytes);
    if (!found) {
        return std::unexpected(found.error());
    }
    bytes->resize(found->size);
    return &recording.add(address, *std::move(bytes), std::move(found->text));
}

}  // namespace

Result<void> ProcessStepper::begin(const Subprocess& process, const Work& work) {
    instructions_.reset();
    patience_.begin();
    auto tracee = Tracee::seize(process.pid(), process.exit_fd(), plan_.arch, patience_.soon());
    if (!tracee) {
        return std::unexpected(tracee.error());
    }
    const Fd program(
        open(fmt::format("/proc/{}/exe", process.pid()).c_str(), O_RDONLY | O_CLOEXEC));
    const auto code = hosted_code(program.get(), work, plan_.pad);
    if (!code) {
        return std::unexpected(code.error());
    }
    work_ = work;
    code_ = *code;
    tracee_ = std::make_unique<Tracee>(*std::move(tracee));
    return {};
}

Result<void> ProcessStepper::follow() {
    const std::unique_ptr<Tracee> tracee = std::move(tracee_);  // at the end it is let go
    const auto reached = tracee->run_to(code_.loop.low, patience_.soon());
    if (!reached) {
        return explained(reached.error());
    }
    if (!*reached) {
        return {};  // the agent refused the request, and its answer says why
    }
    const auto back = tracee->return_address();
    if (!back) {
        return std::unexpected(back.error());
    }
    return plan_.recording ? record(*tracee, *back, *plan_.recording) : count(*tracee, *back);
}

std::unexpected<Error> ProcessStepper::explained(const Error& error) const {
    if (error.fault == Fault::interrupted) {
        return std::unexpected(error);
    }
    const std::string so_far = fmt::format("{} instructions of the batch were executed by then",
                                           instructions_.value_or(0));
    return fail(error.fault, patience_.is_over()
                                 ? patience_.sentence("executing " + work_.workload, so_far,
                                                      "let the machine do less beside it")
                                 : fmt::format("{} while {} was executed by single steps ({})",
                                               error.message, work_.workload, so_far));
}

Result<void> ProcessStepper::count(Tracee& tracee, std::uint64_t back) {
    instructions_ = 0;
    for (std::uint64_t address = code_.loop.low; address != back; ++*instructions_) {
        const auto next = tracee.step(patience_.soon());
        if (!next) {
            return explained(next.error());
        }
        address = *next;
    }
    return {};
}

Result<void> ProcessStepper::record(Tracee& tracee, std::uint64_t back,
                                    const Recording& what) const {
    // The user's code is the loop alone: what lies beside it is the entry path's, or is left out.
    StepRecording recording({.text = code_.loop, .loop = code_.loop}, what, patience_);
    const auto end = follow_calls(tracee, back, recording);
    return end ? recording.write(plan_.arch, *end) : recording.explained(end.error());
}

/// From the first op on: nothing in the path is different the first time, and what the host's
/// kernel does is not seen. The loop reaches the path by the gate alone; where it goes through its
/// sled (`pad`), that is the user's code too, of which no path begins.
Result<End> ProcessStepper::follow_calls(Tracee& tracee, std::uint64_t back,
                                         StepRecording& recording) const {
    const auto disassembler = Disassembler::open(plan_.arch);
    if (!disassembler) {
        return std::unexpected(disassembler.error());
    }
    for (std::uint64_t address = code_.loop.low; address != back;) {
        const auto here = instruction_at(address, tracee, *disassembler, recording);
        if (!here) {
            return std::unexpected(here.error());
        }
        recording.stepped(**here);
        const bool is_in_sled =
            !code_.loop.holds(address) && address != code_.gate && !recording.is_under_way();
        if (const auto end = is_in_sled ? std::nullopt : recording.take()) {
            return *end;
        }
        const auto next = tracee.step(recording.soon());
        if (!next) {
            return std::unexpected(next.error());
        }
        address = *next;
    }
    return End::guest_ended;
}

}  // namespace kerntoll::lab
