/* SPDX-License-Identifier: MIT */
/* Where the stub finds things; frame.hpp holds that C++ agrees. */
#pragma once

#include "kerntoll/entry/stack.h"

/* Registers lie in the order r14, r15, r0 … r13: stmg and lmg go on with r0 behind r15, so that one
   of them reaches those that frame=lazy needs, r14 to r7. */
#define IN_ORDER(n) (8 * (((n) + 2) & 15))

#define FRAME_R(n) IN_ORDER(n)
#define FRAME_MASK 128
#define FRAME_ADDRESS 136
#define FRAME_ORIGINAL_R2 144
#define FRAME_FAULT 152
#define FRAME_CALL 160
#define FRAME_SIZE 176

/* Above a stack pointer lie 160 bytes that belong to whoever is called; the frame is above them. */
#define ABI_AREA 160

/* The low byte of Thread::exit_work, and what the stub sets in it. */
#define THREAD_EXIT_WORK_LOW 7
#define EXIT_WORK_ARCHITECTURE 0x10

/* In a cause (handlers.hpp): a tracing event, in the last byte of a program check's code; an external
   interrupt. */
#define CAUSE_TRACING 0x80
#define CAUSE_EXTERNAL_BIT 24

/* The lowcore, at absolute 0: what the machine puts there (Principles of Operation, "Assigned
   Storage Locations") ... */
#define LOWCORE_EXTERNAL_CODE 0x86
#define LOWCORE_CALL 0x88 /* the length of the svc, then its number, 16 bits each */
#define LOWCORE_PROGRAM 0x8c /* the length of the instruction, then the code, 16 bits each */
#define LOWCORE_FAULT 0xa8 /* translation-exception identification */
#define LOWCORE_EXTERNAL_OLD_PSW 0x130
#define LOWCORE_CALL_OLD_PSW 0x140
#define LOWCORE_PROGRAM_OLD_PSW 0x150
/* ... and what is ours, from where low-address protection ends. */
#define LOWCORE_SAVED 0x200 /* the registers of whatever was interrupted, then its PSW */
#define LOWCORE_SAVED_PSW 0x280
#define LOWCORE_RETURN_PSW 0x290
/* The registers that the kernel starts with: the task's frame in r2, its stack in r15, else 0. */
#define LOWCORE_KERNEL(n) (0x2a0 + IN_ORDER(n))
/* System masks, DAT off: external interrupts on, all off. */
#define LOWCORE_MASK_ON 0x320
#define LOWCORE_MASK_OFF 0x321
