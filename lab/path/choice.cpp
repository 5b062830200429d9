// SPDX-License-Identifier: MIT
#include "lab/path/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lab/path/fit.hpp"

namespace kerntoll::lab::path {
namespace {

/// The instruction that a variant begins with, the last of the user's.
const Instruction& first_of(const Trace& trace, const Variant& variant) {
    return trace.instructions[variant.path.steps.front()];
}

/// Whether a variant is a call's. The kernel is entered between the user's other instructions too,
/// by interrupts, and by an access to memory that has to be mapped.
bool is_call(const Trace& trace, const Variant& variant, Arch arch, Entrance entrance) {
    const Flow flow = classify(arch, first_of(trace, variant).text).flow;
    return flow == (entrance == Entrance::call ? Flow::call : Flow::trap);
}

/// The trap instructions, or what stands for them, by address: one for each call of an op.
std::vector<std::uint64_t> calls_of(const Trace& trace, Arch arch, Entrance entrance) {
    std::vector<std::uint64_t> addresses;
    for (const Variant& variant : trace.variants) {
        if (is_call(trace, variant, arch, entrance)) {
            addresses.push_back(first_of(trace, variant).address);
        }
    }
    std::ranges::sort(addresses);
    const auto [first, last] = std::ranges::unique(addresses);
    addresses.erase(first, last);
    return addresses;
}

/// What keeps a trace from having paths.
Result<void> check_ended_well(const Trace& trace, const Wanted& wanted, std::string_view target) {
    if (trace.end == trace_format::End::too_long) {
        return fail(Fault::measurement,
                    fmt::format("a call of {} on {} did not come back to user mode within {}; "
                                "it waits for something, so it has no path",
                                wanted.workload, target,
                                plural(trace.unfinished.steps.size() - 1, "instruction")));
    }
    // Without any, no call was seen at all, which is said later.
    if (trace.end == trace_format::End::guest_ended && !trace.variants.empty()) {
        return fail(Fault::measurement,
                    fmt::format("{} ended before {} ops of {} were recorded; run the command again",
                                target, trace.rounds_wanted, wanted.workload));
    }
    return {};
}

/// Other tasks' instructions are not the call's. Where it gives the processor away is seen by the
/// instruction that does (Class::gives_way), with or without symbols.
Result<void> check_stays(const Traced& traced) {
    const auto& steps = traced.anatomy.steps;
    const auto away =
        std::ranges::find_if(steps, [](const Step& step) { return step.kind.gives_way; });
    if (away == steps.end()) {
        return {};
    }
    return fail(
        Fault::measurement,
        fmt::format("a call of {} on {} waits or gives the CPU to another task ({}, in {}), "
                    "whose instructions are not the call's; it has no path of its own",
                    traced.workload, traced.target,
                    disassembly(traced.anatomy, static_cast<std::uint32_t>(away - steps.begin())),
                    traced.anatomy.functions[away->function].name));
}

/// What a reader must know of the recording.
void add_remarks(RecordedPath& result, const Variant& chosen, std::size_t calls,
                 const Wanted& wanted, std::string_view no_symbols) {
    const Trace& trace = *result.trace;
    auto& remarks = result.traced.remarks;
    std::uint64_t rounds = 0;
    std::size_t others = 0;
    for (const Variant& variant : trace.variants) {
        if (first_of(trace, variant).address == first_of(trace, chosen).address) {
            rounds += variant.rounds;
            others += &variant == &chosen ? 0 : 1;
        }
    }
    if (others == 0) {
        remarks.push_back(rounds == 1 ? "The one round trip that was recorded took this path."
                                      : fmt::format("All {} round trips took this path.", rounds));
    } else {
        remarks.push_back(fmt::format(
            "{} of {} round trips took this path, {} (interrupts, and what is done now and then).",
            chosen.rounds, rounds,
            rounds - chosen.rounds == 1
                ? "the other one another"
                : fmt::format("the other {} took {}", rounds - chosen.rounds,
                              others == 1 ? "one other" : fmt::format("{} others", others))));
    }
    const auto unseen = static_cast<std::uint64_t>(std::ranges::count_if(
        result.traced.anatomy.steps,
        [](const Step& step) { return step.kind.unseen && step.accesses.empty(); }));
    if (unseen > 0 && !chosen.path.accesses.empty()) {
        remarks.push_back(
            fmt::format("Loads, stores and data lines are at least as many as are printed: QEMU "
                        "does not show the accesses of {} from storage to storage (mvc, xc, …).",
                        plural(unseen, "instruction")));
    }
    if (calls > 1) {
        remarks.push_back(
            fmt::format("Call {} of the {} that an op of {} makes; kerntoll trace and explain show "
                        "another with --call.",
                        wanted.call, calls, wanted.workload));
    }
    if (!result.symbols) {
        remarks.emplace_back(
            fmt::format("No symbols: functions go by their addresses. Give symbols=FILE "
                        "(System.map, vmlinux), or put it beside the image{}{}.",
                        no_symbols.empty() ? "" : ". ", no_symbols));
    } else if (result.symbols->slide() != 0) {
        remarks.push_back(fmt::format("Symbols are moved by {:#x} to where the kernel runs.",
                                      result.symbols->slide()));
    }
}

}  // namespace

Result<RecordedPath> choose_path(Trace trace, std::unique_ptr<Symbols> symbols,
                                 const Wanted& wanted, std::string_view target,
                                 const FindSymbols& find, Entrance entrance) {
    if (auto ended = check_ended_well(trace, wanted, target); !ended) {
        return std::unexpected(ended.error());
    }
    RecordedPath result{.trace = std::make_unique<Trace>(std::move(trace)),
                        .symbols = std::move(symbols),
                        .traced = {}};
    const auto arch = arch_from_name(result.trace->target);
    if (!arch) {
        return fail(Fault::measurement, fmt::format("the recorder ran in a QEMU for {}, which "
                                                    "kerntoll does not know",
                                                    result.trace->target));
    }
    const auto calls = calls_of(*result.trace, *arch, entrance);
    result.call = wanted.call;
    result.calls_per_op = calls.size();
    if (calls.empty()) {
        return fail(Fault::measurement,
                    fmt::format("no system call was seen while ops of {} were recorded on {}: an "
                                "op of it makes none, or the guest ended before; name another "
                                "--workload, or run the command again",
                                wanted.workload, target));
    }
    if (wanted.call == 0 || wanted.call > calls.size()) {
        return fail(Fault::usage,
                    fmt::format("--call {}: an op of {} makes {} call{}", wanted.call,
                                wanted.workload, calls.size(), calls.size() == 1 ? "" : "s"));
    }
    const std::uint64_t trap = calls[wanted.call - 1];
    const Variant* modal = nullptr;
    for (const Variant& variant : result.trace->variants) {
        if (first_of(*result.trace, variant).address == trap &&
            (modal == nullptr || variant.rounds > modal->rounds)) {
            modal = &variant;
        }
    }
    std::string no_symbols;
    if (result.symbols) {
        if (auto same = fit_symbols(*result.symbols, *result.trace, modal->path, *arch); !same) {
            return std::unexpected(same.error());
        }
    } else if (find) {
        auto found = find(*result.trace, modal->path, *arch);
        if (!found) {
            return std::unexpected(found.error());
        }
        result.symbols = std::move(found->symbols);
        result.traced.remarks = std::move(found->remarks);
        no_symbols = std::move(found->why_none);
    }
    result.traced.target = target;
    result.traced.workload = wanted.workload;
    if (result.symbols) {
        result.traced.symbols = result.symbols.get();
        result.traced.image = result.symbols->image();
    }
    result.traced.anatomy = dissect(*result.trace, modal->path, *arch, result.symbols.get());
    if (auto stays = check_stays(result.traced); !stays) {
        return std::unexpected(stays.error());
    }
    add_remarks(result, *modal, calls.size(), wanted, no_symbols);
    return result;
}

}  // namespace kerntoll::lab::path
