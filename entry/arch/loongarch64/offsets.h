/* SPDX-License-Identifier: MIT */
/* Where the stub finds things; frame.hpp holds that C++ agrees. */
#pragma once

#include "kerntoll/entry/stack.h"

#define FRAME_PC 0
#define FRAME_R(n) (8 * (n))
#define FRAME_STATUS 256
#define FRAME_ORIGINAL_A0 264
#define FRAME_FAULT 272
#define FRAME_SIZE 288

/* The vector table: the spacing is 1 << this many instructions (ECFG.VS). */
#define VECTOR_SHIFT 7
#define VECTOR_SIZE (4 << VECTOR_SHIFT)

/* Control and status registers. */
#define CSR_CRMD 0x0
#define CSR_PRMD 0x1
#define CSR_EUEN 0x2
#define CSR_ESTAT 0x5
#define CSR_ERA 0x6
#define CSR_BADV 0x7
/* Those that are there for software: the stub's, and what a switch of tasks must keep right. */
#define CSR_USER_STACK 0x30    /* of the stub: the user's stack pointer */
#define CSR_KERNEL_FRAME 0x31  /* where the running Thread's frame lies */
#define CSR_SCRATCH 0x32       /* of the stub */
