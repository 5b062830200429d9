// SPDX-License-Identifier: MIT
// Ends with status 3.
#include "program.hpp"

namespace kerntoll::programs {

void run() {
    agent::exit_process(3);
}

}  // namespace kerntoll::programs
