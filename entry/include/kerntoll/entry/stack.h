/* SPDX-License-Identifier: MIT */
/* How deep a kernel stack may get, for stubs that check it and embedders that make one. */
#pragma once

/* A trap from the kernel is taken on what is left of the stack while less than 1 << SHIFT bytes of
   it are in use; the stack itself needs KERNTOLL_ENTRY_STACK_SIZE, its Thread not included. */
#ifndef KERNTOLL_ENTRY_STACK_SHIFT
#define KERNTOLL_ENTRY_STACK_SHIFT 13
#endif
#define KERNTOLL_ENTRY_STACK_SIZE ((1 << KERNTOLL_ENTRY_STACK_SHIFT) + 4096)
