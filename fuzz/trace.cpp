// SPDX-License-Identifier: MIT
// Reads anything as a trace: once as it is, and once with the magic and the checksum that let it
// past the first gate.
#include "lab/path/trace.hpp"

#include <cstdint>
#include <string>

#include "fuzz/expect.hpp"

namespace {

using kerntoll::fuzz::expect;

std::string sealed(std::string_view body) {
    using namespace kerntoll;
    std::string bytes(trace_format::magic);
    bytes += body;
    const std::uint64_t sum = trace_format::checksum(bytes);
    for (unsigned byte = 0; byte < trace_format::checksum_size; ++byte) {
        bytes += static_cast<char>(sum >> (8 * byte));
    }
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    (void)kerntoll::lab::path::read_trace(input);
    if (const auto trace = kerntoll::lab::path::read_trace(sealed(input))) {
        for (const auto& variant : trace->variants) {
            for (const auto step : variant.path.steps) {
                expect(step < trace->instructions.size(), "a step names an instruction");
            }
            for (const auto& access : variant.path.accesses) {
                expect(access.step < variant.path.steps.size(), "an access names a step");
            }
        }
    }
    return 0;
}
