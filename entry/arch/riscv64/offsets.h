/* SPDX-License-Identifier: MIT */
/* Where the stub finds things; frame.hpp holds that C++ agrees. */
#pragma once

#include "kerntoll/entry/stack.h"

#define FRAME_PC 0
#define FRAME_X(n) (8 * (n))
#define FRAME_STATUS 256
#define FRAME_ORIGINAL_A0 264
#define FRAME_SIZE 272

#define THREAD_SCRATCH 16

/* scause of an ecall from user mode. */
#define CAUSE_USER_CALL 8
