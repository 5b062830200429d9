// SPDX-License-Identifier: MIT
// The seam to the architecture: its folder is on the include path, and no other file of the agent
// knows which one it is. Every folder has the same files:
//   target.cmake  how to compile and link for it
//   numbers.hpp   enum class Call: system call numbers
//   syscall.hpp   call<trap, number>(arguments…), fork_child()
//   counter.hpp   counter_name, read_counter(), counter_hz()
//   sled.hpp      sled_step, slide(): pad's dependent instructions (sled.S has them)
//   start.S       the entry point
#pragma once

#include "counter.hpp"
#include "numbers.hpp"
#include "sled.hpp"
#include "syscall.hpp"
