// SPDX-License-Identifier: MIT
#include "program.hpp"

extern "C" [[noreturn]] void kerntoll_agent_main(const uintptr_t*) {
    kerntoll::programs::run();
    kerntoll::programs::print("end\n");
    kerntoll::agent::exit_process(kerntoll::programs::failures);
}
