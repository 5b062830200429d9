// SPDX-License-Identifier: MIT
#include "lab/target/kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "lab/base/nearest.hpp"
#include "lab/target/axes.hpp"
#include "lab/target/sim_options.hpp"

namespace kerntoll::lab {

namespace {

/// One list after the other.
template <std::size_t first, std::size_t second>
constexpr auto joined(const std::array<OptionHelp, first>& head,
                      const std::array<OptionHelp, second>& tail) {
    std::array<OptionHelp, first + second> all{};
    std::ranges::copy(tail, std::ranges::copy(head, all.begin()).out);
    return all;
}

// What is asked of a kernel, and what concerns the agent alone.
constexpr std::array kernel_treatments{
    OptionHelp{"seccomp", "allow|args",
               "a filter that the kernel answers from its bitmap, or one that it must run"},
    OptionHelp{"sud", "on", "syscall user dispatch armed, its selector allows every call"},
    OptionHelp{"rseq", "on", "a restartable-sequences area is registered"},
};
constexpr std::array agent_options{
    OptionHelp{"pad", "K", "K more dependent one-cycle instructions per op, at most 1024"},
    OptionHelp{"file", "PATH", "the file that stat, fstat and open look at"},
};
constexpr auto treatments = joined(kernel_treatments, agent_options);

constexpr std::array host_options{
    OptionHelp{"cpu", "N", "the CPU to run on, instead of the run's"},
};

constexpr std::array linux_options{
    OptionHelp{"append", "WORDS", "more words for the kernel's command line"},
    OptionHelp{"arch", "ARCH", "what the image must be for; it is read from the image itself"},
    OptionHelp{"cpu", "MODEL", "QEMU's CPU model"},
    OptionHelp{"accel", "auto|tcg|kvm",
               "auto takes KVM only if a self-test proves that system calls work there"},
    OptionHelp{"mem", "SIZE", "memory in MiB, or with M or G"},
    OptionHelp{"qemu", "PATH", "the QEMU program to use"},
    OptionHelp{"symbols", "FILE",
               "System.map or vmlinux, for names of functions (default: beside the image, or the "
               "guest's)"},
    OptionHelp{"timeout", "TIME", "longest wait for the boot, and for any answer (60s, 2m)"},
};

#define KERNTOLL_NEXT_VALUE(unused, identifier, spelling, meaning) "|" spelling
constexpr std::array variant_options{
    OptionHelp{"cc", "clang|gcc", "what compiles it (default clang; no gcc for loongarch64)"},
    OptionHelp{"layout", "SEED|random",
               "another order of its functions; random: another one for every machine"},
#define KERNTOLL_TYPE(type, values)
#define KERNTOLL_AXIS(axis, type, values, posts, decides, gives_up, ports) \
    OptionHelp{#axis, std::string_view(values(KERNTOLL_NEXT_VALUE, )).substr(1), decides},
#include "kerntoll/entry/policy.def"
};
#undef KERNTOLL_NEXT_VALUE

constexpr std::array machine_options{
    OptionHelp{"tracer", "on", "a tracer in the kernel looks at every call"},
    OptionHelp{"seccomp", "on", "a filter in the kernel judges every call"},
    OptionHelp{"tracepoint", "on", "every call is recorded in a ring"},
    OptionHelp{"audit", "on", "every call is counted by its outcome"},
    OptionHelp{"user_dispatch", "on", "syscall user dispatch armed in the kernel, for no address"},
    OptionHelp{"cpu", "MODEL", "QEMU's CPU model"},
    OptionHelp{"qemu", "PATH", "the QEMU program to use"},
    OptionHelp{"timeout", "TIME", "longest wait for the boot, and for any answer (20s)"},
};

constexpr auto nano_options = joined(variant_options, machine_options);
// The path that is measured there is no kernel's.
constexpr auto hosted_options = joined(variant_options, agent_options);

constexpr std::array kinds{
    TargetKind{"host", "", "the kernel that runs this machine", host_options, treatments},
    TargetKind{"linux", "IMAGE", "a Linux kernel image, booted under QEMU", linux_options,
               treatments},
    TargetKind{"nano", "ARCH",
               "the project's own entry path in a small kernel, under QEMU ('kerntoll variants')",
               nano_options, treatments},
    TargetKind{"hosted",
               "",
               "the project's own entry path, called as a function on this CPU",
               hosted_options,
               {}},
    TargetKind{
        "sim", "key=value", "a synthetic machine whose true time is known", sim_option_help, {}},
};

bool knows(const TargetKind& kind, std::string_view name) {
    return std::ranges::find(kind.options, name, &OptionHelp::key) != kind.options.end() ||
           std::ranges::find(kind.treatments, name, &OptionHelp::key) != kind.treatments.end();
}

/// Those that are of any use, each once: some are an option and a treatment (nano's `seccomp`).
std::vector<std::string_view> option_names(const TargetKind& kind) {
    std::vector<std::string_view> names;
    for (const auto options : {kind.options, kind.treatments}) {
        for (const OptionHelp& option : options) {
            if (has_a_choice(kind, option) && std::ranges::find(names, option.key) == names.end()) {
                names.push_back(option.key);
            }
        }
    }
    return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const auto best = nearest(word, candidates);
    return best ? fmt::format("; did you mean {}?", *best) : std::string();
}

}  // namespace

std::span<const TargetKind> target_kinds() {
    return kinds;
}

bool has_a_choice(const TargetKind& kind, const OptionHelp& option) {
    const auto axis = std::ranges::find(axes(), option.key, &Axis::name);
    return kind.name != "hosted" || axis == axes().end() || has_axis(kind.name, *axis);
}

const TargetKind* find_target_kind(std::string_view name) {
    const auto found = std::ranges::find(target_kinds(), name, &TargetKind::name);
    return found == target_kinds().end() ? nullptr : &*found;
}

Result<void> check_kind(const TargetSpec& spec) {
    const TargetKind* kind = find_target_kind(spec.kind);
    if (kind == nullptr) {
        std::vector<std::string_view> names;
        for (const TargetKind& known : target_kinds()) {
            names.push_back(known.name);
        }
        return fail(
            Fault::usage,
            fmt::format("the target '{}' is of the unknown kind {}; there are: {}{}", spec.text,
                        spec.kind, fmt::join(names, ", "), did_you_mean(spec.kind, names)));
    }
    if (!kind->subject.empty() && spec.subject.empty()) {
        return fail(Fault::usage, fmt::format("the target '{}' does not say which {}; write {}:{}",
                                              spec.text, kind->subject, kind->name, kind->subject));
    }
    const auto names = option_names(*kind);
    for (const auto& [key, value] : spec.options) {
        if (!knows(*kind, key)) {
            return fail(
                Fault::usage,
                fmt::format("the target '{}' has the unknown option {}; {} takes: {}{}", spec.text,
                            key, kind->name, fmt::join(names, ", "), did_you_mean(key, names)));
        }
        if (value.empty()) {
            return fail(Fault::usage, fmt::format("the target '{}' gives the option {} no value",
                                                  spec.text, key));
        }
    }
    return {};
}

}  // namespace kerntoll::lab
