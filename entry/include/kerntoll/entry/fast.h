/* SPDX-License-Identifier: MIT */
/* On what stub and C++ must agree about the frame. The values are those of kerntoll::entry::Fast
   (syscall.hpp), which says what the fast part of a call with a lazy frame means by them. */
#pragma once

#include "kerntoll/entry/stack.h"

#define KERNTOLL_ENTRY_FAST_DONE 0
#define KERNTOLL_ENTRY_FAST_ENTER 1
#define KERNTOLL_ENTRY_FAST_EXIT 2

/* The function in front of a task's first way to user mode, which every stub calls. Its name says
   how it was compiled in what nothing else would tell (which frame, whether branches are protected,
   how deep a stack gets), so that a stub that was assembled otherwise does not link. */
#if KERNTOLL_frame_lazy == 1
#define KERNTOLL_ENTRY_FRAME_NAME lazy_frame
#else
#define KERNTOLL_ENTRY_FRAME_NAME full_frame
#endif
#if KERNTOLL_branch_protection_on == 1
#define KERNTOLL_ENTRY_BRANCH_NAME protected
#else
#define KERNTOLL_ENTRY_BRANCH_NAME unprotected
#endif
#define KERNTOLL_ENTRY_JOIN(frame, branches, shift) \
    kerntoll_entry_before_user_with_##frame##_##branches##_shift_##shift
#define KERNTOLL_ENTRY_NAME(frame, branches, shift) KERNTOLL_ENTRY_JOIN(frame, branches, shift)
#define KERNTOLL_ENTRY_BEFORE_USER                                             \
    KERNTOLL_ENTRY_NAME(KERNTOLL_ENTRY_FRAME_NAME, KERNTOLL_ENTRY_BRANCH_NAME, \
                        KERNTOLL_ENTRY_STACK_SHIFT)
