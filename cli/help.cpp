// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <fmt/format.h>

#include "lab/target/kinds.hpp"

namespace kerntoll::cli {
namespace {

std::string head_of(const lab::TargetKind& kind) {
    return kind.subject.empty() ? std::string(kind.name)
                                : fmt::format("{}:{}", kind.name, kind.subject);
}

}  // namespace

std::string general_help() {
    return R"(
First steps:
  kerntoll doctor                                   what this machine can measure
  kerntoll compare host host,seccomp=args           a filter's cost on this machine's kernel
  kerntoll count linux:old/bzImage linux:new/bzImage    instructions per call, exact
  kerntoll compare linux:old/bzImage linux:new/bzImage  instructions, time and a verdict

A target is a kernel's entry path that can be measured, written KIND[:SUBJECT][,key=value]...;
'kerntoll compare --help' lists the kinds and their options.

Exit codes: 0 done, 1 a --fail-if condition holds, 2 usage or this machine lacks something,
3 the measurement could not be completed (what was measured is kept).
)";
}

std::string target_help() {
    std::string text =
        "Targets: KIND[:SUBJECT][,key=value]..., values with commas in double quotes\n";
    for (const lab::TargetKind& kind : lab::target_kinds()) {
        text += fmt::format("  {:<24} {}\n", head_of(kind), kind.help);
        for (const lab::OptionHelp& option : kind.options) {
            text += fmt::format("    ,{:<21} {}\n", fmt::format("{}={}", option.key, option.values),
                                option.help);
        }
    }
    return text;
}

std::string examples_and_targets(const std::string& examples) {
    return fmt::format("\nExamples:\n{}\n{}", examples, target_help());
}

}  // namespace kerntoll::cli
