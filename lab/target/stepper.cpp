// SPDX-License-Identifier: MIT
#include "lab/target/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lab/target/disassembly.hpp"

namespace kerntoll::lab {
namespace {

using trace_format::End;

/// What QEMU's monitor reads at a time for its disassembler, in bytes.
constexpr std::uint64_t monitor_portion = 1024;

unsigned byte_of(const std::string& bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

/// Whether an instruction of s390x executes another one from elsewhere: EX, EXRL. QEMU makes two
/// steps of it, both at its own address. z/Architecture Principles of Operation, chapter 7.
bool is_execute(const std::string& bytes) {
    return (bytes.size() == 4 && byte_of(bytes, 0) == 0x44) ||
           (bytes.size() == 6 && byte_of(bytes, 0) == 0xc6 && (byte_of(bytes, 1) & 0xfU) == 0);
}

/// The length that the first byte of an instruction of s390x says.
std::size_t s390x_length(char first) {
    constexpr std::size_t lengths[] = {2, 4, 4, 6};
    return lengths[static_cast<unsigned char>(first) >> 6U];
}

}  // namespace

Result<void> Stepper::prepare() {
    recording_.begin();
    if (auto stopped = gdb_.stop(soon()); !stopped) {
        return recording_.explained(stopped.error());
    }
    auto set = gdb_.set_breakpoint(plan_.code.loop.low, soon());
    return set ? set : recording_.explained(set.error());
}

Result<void> Stepper::record(Qmp& monitor) {
    monitor_ = &monitor;
    recording_.begin();
    if (auto warm = warm_up(); !warm) {
        return recording_.explained(warm.error());
    }
    const auto end = follow();
    if (!end) {
        return recording_.explained(end.error());
    }
    if (auto written = recording_.write(plan_.row->arch, *end); !written) {
        return written;
    }
    return gdb_.go_on();
}

/// Finds the loop's first trap and lets it be executed as often as is asked for. The machine then
/// stands before it.
Result<void> Stepper::warm_up() {
    const AgentCode& code = plan_.code;
    if (auto going = gdb_.go_on(); !going) {
        return going;
    }
    if (auto reached = gdb_.await_stop(soon()); !reached) {
        return reached;
    }
    if (auto cleared = gdb_.clear_breakpoint(code.loop.low, soon()); !cleared) {
        return cleared;
    }
    if (auto looked = stand_at(code.loop.low); !looked) {
        return looked;
    }
    std::uint64_t trap = 0;
    while (code.text.holds(recording_.here()->address)) {
        trap = recording_.here()->address;
        if (auto stepped = step(); !stepped) {
            return stepped;
        }
    }
    if (!code.loop.holds(trap)) {
        return {};  // a loop without calls; follow() sees the same
    }
    if (auto set = gdb_.set_breakpoint(trap, soon()); !set) {
        return set;
    }
    for (std::uint64_t left = std::max<std::uint64_t>(plan_.recording.warm_up, 1); left > 0;
         --left) {
        if (auto going = gdb_.go_on(); !going) {
            return going;
        }
        if (auto reached = gdb_.await_stop(soon()); !reached) {
            return reached;
        }
        if (left > 1) {  // past the breakpoint
            if (auto stepped = gdb_.step(soon()); !stepped) {
                return stepped;
            }
        }
    }
    if (auto cleared = gdb_.clear_breakpoint(trap, soon()); !cleared) {
        return cleared;
    }
    return stand_at(trap);
}

Result<End> Stepper::follow() {
    while (true) {
        if (const auto end = recording_.take()) {
            return *end;
        }
        if (!plan_.code.text.holds(recording_.here()->address) && !recording_.is_under_way()) {
            return End::guest_ended;  // the batch is over
        }
        if (auto stepped = step(); !stepped) {
            return std::unexpected(stepped.error());
        }
    }
}

/// Executes one instruction.
Result<void> Stepper::step() {
    if (auto stepped = gdb_.step(soon()); !stepped) {
        return stepped;
    }
    const auto address = gdb_.read_register(plan_.row->gdb_program_counter, soon());
    if (!address) {
        return std::unexpected(address.error());
    }
    const Instruction& before = *recording_.here();
    if (plan_.row->arch == Arch::s390x && before.address == *address && is_execute(before.bytes)) {
        auto bytes = executed_by(before);
        if (!bytes) {
            return std::unexpected(bytes.error());
        }
        // QEMU disassembles what stands at the address, for the plugin as well.
        recording_.stepped(recording_.add_variant(*address, *std::move(bytes), before.text));
        return {};
    }
    const auto next = instruction_at(*address);
    if (!next) {
        return std::unexpected(next.error());
    }
    recording_.stepped(**next);
    return {};
}

Result<void> Stepper::stand_at(std::uint64_t address) {
    const auto instruction = instruction_at(address);
    if (!instruction) {
        return std::unexpected(instruction.error());
    }
    recording_.stand_at(**instruction);
    return {};
}

Result<const Stepper::Instruction*> Stepper::instruction_at(std::uint64_t address) {
    if (const auto* known = recording_.known(address)) {
        return known;
    }
    auto found = disassemble(address);
    if (!found) {
        return std::unexpected(found.error());
    }
    auto bytes = gdb_.read_memory(address, found->size, soon());
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    return &recording_.add(address, *std::move(bytes), std::move(found->text));
}

/// The monitor reads no more at first than up to the next multiple of 1024, and takes x86's longer
/// instructions there for single bytes; what comes second is read whole. So it is asked for those
/// before as well, from further and further back, until one of them ends where this one begins.
Result<Disassembled> Stepper::disassemble(std::uint64_t address) {
    std::optional<Disassembled> found;
    for (std::uint64_t back = 0; back <= longest_instruction; ++back) {
        const auto answer =
            monitor_->monitor(fmt::format("x/{}i {:#x}", back + 1, address - back), soon());
        if (!answer) {
            return std::unexpected(answer.error());
        }
        if (auto read = parse_disassembly(plan_.row->arch, address, *answer)) {
            found = std::move(read);
        }
        const bool is_cut =
            (address + longest_instruction) / monitor_portion != address / monitor_portion;
        if (found && (is_known(*found) || !is_cut || plan_.row->arch != Arch::x86_64)) {
            return *std::move(found);
        }
    }
    if (found) {
        return *std::move(found);
    }
    return fail(Fault::measurement,
                fmt::format("QEMU cannot disassemble the instruction at {:#x}", address));
}

Result<std::uint64_t> Stepper::general_register(unsigned number) {
    constexpr unsigned first = 2;  // behind the two halves of the PSW
    return gdb_.read_register(first + number, soon());
}

/// The instruction that an EX or EXRL executes: what stands at its operand, the second byte merged
/// with the last one of a register unless that is register 0.
Result<std::string> Stepper::executed_by(const Instruction& instruction) {
    const std::string& bytes = instruction.bytes;
    std::uint64_t from = 0;
    if (byte_of(bytes, 0) == 0xc6) {
        std::uint32_t halfwords = 0;
        for (std::size_t at = 2; at < 6; ++at) {
            halfwords = halfwords << 8U | byte_of(bytes, at);
        }
        const auto distance = 2 * std::int64_t{static_cast<std::int32_t>(halfwords)};
        from = instruction.address + static_cast<std::uint64_t>(distance);
    } else {
        from = (byte_of(bytes, 2) & 0xfU) << 8U | byte_of(bytes, 3);
        for (const unsigned part : {byte_of(bytes, 1) & 0xfU, byte_of(bytes, 2) >> 4U}) {
            const auto value = part == 0 ? Result<std::uint64_t>(0) : general_register(part);
            if (!value) {
                return std::unexpected(value.error());
            }
            from += *value;
        }
    }
    const auto head = gdb_.read_memory(from, 1, soon());
    if (!head) {
        return head;
    }
    auto target = gdb_.read_memory(from, s390x_length(head->front()), soon());
    if (!target) {
        return target;
    }
    if (const unsigned with = byte_of(bytes, 1) >> 4U; with != 0) {
        const auto value = general_register(with);
        if (!value) {
            return std::unexpected(value.error());
        }
        (*target)[1] = static_cast<char>(byte_of(*target, 1) | (*value & 0xffU));
    }
    return target;
}

}  // namespace kerntoll::lab
