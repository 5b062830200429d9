/* SPDX-License-Identifier: MIT */
/* Where the stub finds things; frame.hpp holds that C++ agrees. */
#pragma once

#include "kerntoll/entry/stack.h"

#define FRAME_R15 0
#define FRAME_R14 8
#define FRAME_R13 16
#define FRAME_R12 24
#define FRAME_RBP 32
#define FRAME_RBX 40
#define FRAME_R11 48
#define FRAME_R10 56
#define FRAME_R9 64
#define FRAME_R8 72
#define FRAME_RAX 80
#define FRAME_RCX 88
#define FRAME_RDX 96
#define FRAME_RSI 104
#define FRAME_RDI 112
#define FRAME_CAUSE 120
#define FRAME_ERROR 128
#define FRAME_RIP 136
#define FRAME_CS 144
#define FRAME_RFLAGS 152
#define FRAME_RSP 160
#define FRAME_SS 168
#define FRAME_SIZE 176

#define THREAD_SCRATCH 16

/* The model-specific register of gs's base. */
#define MSR_GS_BASE 0xc0000101

/* Selectors. SYSCALL and SYSRET compute theirs from STAR, which fixes the order: code before data
   for the kernel, data before code for the user. */
#define KERNEL_CS 0x08
#define KERNEL_SS 0x10
#define USER_SS 0x23
#define USER_CS 0x2b
#define TASK_SELECTOR 0x30

/* FastEnd::iret, beside the values of Fast (kerntoll/entry/fast.h). */
#define FAST_IRET 3

/* Vectors that the stub has a way for: the exceptions, and as many interrupts. */
#define VECTORS 64
#define VECTOR_EXCEPTIONS 32
#define VECTOR_NMI 2
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_SIZE 16
/* Those that come on stacks of their own: whatever stack and gs there are then may be anybody's. */
#define VECTOR_DEBUG 1
#define VECTOR_NMI 2
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_MACHINE_CHECK 18
