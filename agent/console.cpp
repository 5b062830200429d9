// SPDX-License-Identifier: MIT
#include "agent/console.hpp"

#include <stdint.h>

#include "agent/kernel.hpp"

namespace kerntoll::agent {

namespace {

constexpr long input = 0;
constexpr long output = 1;

// Terminal requests and flags; the same on all five architectures (asm-generic/ioctls.h,
// termbits.h).
constexpr long get_terminal = 0x5401;    // TCGETS
constexpr long set_terminal = 0x5402;    // TCSETS
constexpr long drain_terminal = 0x5409;  // TCSBRK with argument 1

struct Terminal {
    static constexpr uint32_t process_output = 01;  // OPOST
    static constexpr size_t time = 5;               // VTIME
    static constexpr size_t minimum = 6;            // VMIN

    uint32_t input_flags;
    uint32_t output_flags;
    uint32_t control_flags;
    uint32_t local_flags;
    unsigned char line;
    unsigned char control_characters[19];
};

struct PollEntry {
    static constexpr int16_t readable = 1;
    static constexpr int16_t writable = 4;

    int32_t descriptor;
    int16_t wanted;
    int16_t found;
};

void wait_for(long descriptor, int16_t wanted) {
    PollEntry entry{static_cast<int32_t>(descriptor), wanted, 0};
    kernel<Call::ppoll>(as_argument(&entry), 1, 0, 0, 0);
}

bool can_be_repeated(long result) {
    return result == -error::interrupted || result == -error::try_again;
}

}  // namespace

void open_console() {
    constexpr long get_descriptor_flags = 1;  // F_GETFD
    if (kernel<Call::fcntl>(input, get_descriptor_flags, 0) < 0) {
        const long console = open_file("/dev/console", open_flag::read_write);
        for (long descriptor = input; console >= 0 && descriptor <= 2; ++descriptor) {
            if (descriptor != console) {
                kernel<Call::dup3>(console, descriptor, 0);
            }
        }
    }
    Terminal terminal{};
    if (kernel<Call::ioctl>(input, get_terminal, as_argument(&terminal)) == 0) {
        terminal.input_flags = 0;
        // Output processing on, with nothing to process: only then does Linux's terminal layer tell
        // the driver to send at once (n_tty_write); s390x's SCLP holds output for 50 ms otherwise.
        terminal.output_flags = Terminal::process_output;
        terminal.local_flags = 0;
        terminal.control_characters[Terminal::time] = 0;
        terminal.control_characters[Terminal::minimum] = 1;
        kernel<Call::ioctl>(input, set_terminal, as_argument(&terminal));
    }
}

size_t read_console(char* bytes, size_t size) {
    for (;;) {
        const long got = read_some(input, bytes, size);
        if (got >= 0) {
            return static_cast<size_t>(got);
        }
        if (!can_be_repeated(got)) {
            return 0;
        }
        wait_for(input, PollEntry::readable);
    }
}

bool write_console(wire::Text text) {
    while (!text.empty()) {
        const long written = write_some(output, text.data, text.size);
        if (written >= 0) {
            text = text.from(static_cast<size_t>(written));
            continue;
        }
        if (!can_be_repeated(written)) {
            return false;
        }
        wait_for(output, PollEntry::writable);
    }
    return true;
}

void drain_console() {
    kernel<Call::ioctl>(output, drain_terminal, 1);
}

}  // namespace kerntoll::agent
