// SPDX-License-Identifier: MIT
#include "lab/target/requests.hpp"

#include <fmt/format.h>

#include "lab/target/wire_text.hpp"
#include "wire/frame.hpp"
#include "wire/payload.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {

std::string workload_request(wire::Text verb, const Work& work, wire::Text key,
                             std::uint64_t number) {
    wire::PayloadWriter payload(verb);
    payload.field(wire::key::workload, as_text(work.workload));
    payload.field(key, number);
    if (work.hollow) {
        payload.field(wire::key::hollow, std::uint64_t{1});
    }
    return std::string(as_view(payload.text()));
}

Result<std::string> setup_request(std::string_view label, const Treatments& treatments) {
    wire::PayloadWriter payload(wire::verb::setup);
    for (const auto& [key, value] : treatments) {
        payload.field(as_text(key), as_text(value));
    }
    if (!payload.complete()) {
        return fail(Fault::usage, fmt::format("{}: its options are longer than the {} bytes that "
                                              "can be sent to the agent",
                                              label, wire::max_payload));
    }
    return std::string(as_view(payload.text()));
}

std::string script_of(std::span<const std::string> requests) {
    std::string script;
    std::uint32_t sequence = 0;
    for (const std::string& request : requests) {
        char frame[wire::max_frame] = {};
        const std::size_t size =
            wire::encode(wire::Direction::request, ++sequence, as_text(request), frame);
        script.append(frame, size);
    }
    return script;
}

}  // namespace kerntoll::lab
