/* SPDX-License-Identifier: MIT */
/* Where the stub finds things; frame.hpp holds that C++ agrees. */
#pragma once

#include "kerntoll/entry/stack.h"

#define FRAME_X(n) (8 * (n))
#define FRAME_SP 248
#define FRAME_PC 256
#define FRAME_PSTATE 264
#define FRAME_ORIGINAL_X0 272
#define FRAME_NUMBER 280
#define FRAME_SIZE 288

/* Classes of ESR_EL1. */
#define CLASS_SHIFT 26
#define CLASS_CALL 0x15    /* SVC from 64-bit user code */
#define CLASS_CALL_32 0x11 /* and from 32-bit */

/* Causes that are not a value of ESR_EL1, which ends at bit 55: vectors that stand for one thing. */
#define CAUSE_IRQ_BIT 63
#define CAUSE_FIQ_BIT 62
#define CAUSE_SERROR_BIT 61
