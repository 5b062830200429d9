// SPDX-License-Identifier: MIT
// A fault without a handler, by the first task itself: the end of the machine.
#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

void run() {
    expect("alive", agent::process_id(), 1);
    write_byte(0x1000'0000);
}

}  // namespace kerntoll::programs
