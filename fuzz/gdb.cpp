// SPDX-License-Identifier: MIT
// Arbitrary bytes as what QEMU's gdb stub and its monitor say: no fault, no packet that its bytes
// do not hold, and the portions make no difference.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/expect.hpp"
#include "lab/target/disassembly.hpp"
#include "lab/target/gdb_packet.hpp"

namespace {

using namespace kerntoll::lab;
using kerntoll::fuzz::expect;

void read_stream(std::string_view input) {
    GdbDecoder whole;
    GdbDecoder bytewise;
    const bool sound = whole.feed(input);
    bool still_sound = true;
    for (const char byte : input) {
        still_sound = bytewise.feed({&byte, 1});
    }
    expect(sound == still_sound || input.empty(), "portions make no difference");
    const auto packet = whole.take();
    expect(packet == bytewise.take(), "portions make no difference to the packet");
    if (packet) {
        expect(packet->size() <= GdbDecoder::longest, "a packet has a limit");
        expect(input.contains(*packet), "a packet is not invented");
        (void)hex_bytes(*packet);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    read_stream(input);
    if (!input.contains('$') && !input.contains('#')) {
        GdbDecoder decoder;
        const bool fits = input.size() <= GdbDecoder::longest;
        expect(decoder.feed(gdb_packet(input)) == fits, "what was packed is taken");
        expect(!fits || decoder.take() == std::optional(std::string(input)), "as it was");
    }
    for (const Arch arch : {Arch::x86_64, Arch::riscv64, Arch::s390x}) {
        for (const std::string& answer : {std::string(input), "0x10:  90  " + std::string(input),
                                          "0x10:  " + std::string(input)}) {
            if (const auto found = parse_disassembly(arch, 0x10, answer)) {
                expect(found->size > 0 && found->size <= longest_instruction,
                       "an instruction ends");
                expect(found->text.size() <= answer.size() + 1, "a text is not invented");
            }
        }
    }
    return 0;
}
