// SPDX-License-Identifier: MIT
// The grammar of targets: KIND[:SUBJECT][,key=value]… A value may stand in double quotes and then
// hold commas; a backslash takes away the meaning of the character after it, anywhere. Kinds that
// take no subject may have their first option straight after the colon.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include "lab/target/kinds.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

namespace {

/// One comma-separated part of a target, with quotes and backslashes resolved. `equals` is where
/// the first '=' outside of them stood in `text`.
struct Part {
    std::string text;
    std::optional<std::size_t> equals;
};

std::unexpected<Error> bad(std::string_view target, std::string_view trouble) {
    return fail(Fault::usage, fmt::format("the target '{}' {}", target, trouble));
}

Result<std::vector<Part>> split(std::string_view target) {
    std::vector<Part> parts(1);
    bool quoted = false;
    for (std::size_t at = 0; at < target.size(); ++at) {
        const char c = target[at];
        Part& part = parts.back();
        if (c == '\\') {
            if (++at == target.size()) {
                return bad(target, "ends in a backslash with nothing after it");
            }
            part.text += target[at];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            parts.emplace_back();
        } else {
            if (c == '=' && !quoted && !part.equals) {
                part.equals = part.text.size();
            }
            part.text += c;
        }
    }
    if (quoted) {
        return bad(target, "has a double quote that is not closed");
    }
    return parts;
}

bool is_word(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::islower(static_cast<unsigned char>(c)) != 0 ||
               std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    });
}

}  // namespace

std::optional<std::string_view> TargetSpec::option(std::string_view key) const {
    const auto found = std::ranges::find(options, key, [](const auto& pair) { return pair.first; });
    return found == options.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Result<TargetSpec> parse_target(std::string_view text) {
    auto parts = split(text);
    if (!parts) {
        return std::unexpected(parts.error());
    }
    TargetSpec spec;
    spec.text = text;
    const std::string head = parts->front().text;
    const std::size_t colon = std::min(head.find(':'), head.size());
    spec.kind = head.substr(0, colon);
    spec.subject = colon == head.size() ? "" : head.substr(colon + 1);
    if (!is_word(spec.kind)) {
        return bad(text,
                   "does not start with a kind; write KIND[:SUBJECT][,key=value]…, for "
                   "example host or linux:bzImage,cpu=max");
    }
    const TargetKind* kind = find_target_kind(spec.kind);
    if (kind != nullptr && kind->subject.empty() && !spec.subject.empty()) {
        // sim:ns=100 says the same as sim,ns=100: where no subject can be meant, options may follow
        // the colon.
        Part option{std::exchange(spec.subject, {}), std::nullopt};
        const std::size_t equals = parts->front().equals.value_or(0);
        if (equals > colon) {
            option.equals = equals - colon - 1;
        }
        parts->insert(parts->begin() + 1, std::move(option));
    }
    for (const Part& part : std::span(*parts).subspan(1)) {
        if (part.text.empty()) {
            return bad(text,
                       "has an empty option; are there two commas in a row or one at the end?");
        }
        const std::size_t equals = part.equals.value_or(0);
        std::string key = part.text.substr(0, equals);
        if (!is_word(key)) {
            return bad(text, fmt::format("has '{}' where an option was expected; write key=value, "
                                         "and put a value that holds commas in double quotes",
                                         part.text));
        }
        if (spec.option(key)) {
            return bad(text, fmt::format("gives the option {} twice", key));
        }
        spec.options.emplace_back(std::move(key), part.text.substr(equals + 1));
    }
    return spec;
}

}  // namespace kerntoll::lab
