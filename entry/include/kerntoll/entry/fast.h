/* SPDX-License-Identifier: MIT */
/* On what stub and C++ must agree about the frame. The values are those of kerntoll::entry::Fast
   (syscall.hpp), which says what the fast part of a call with a lazy frame means by them. */
#pragma once

#define KERNTOLL_ENTRY_FAST_DONE 0
#define KERNTOLL_ENTRY_FAST_ENTER 1
#define KERNTOLL_ENTRY_FAST_EXIT 2

/* The function in front of a task's first way to user mode, which every stub calls. Its name says for
   which frame it was compiled, so that a stub that was assembled for the other does not link. */
#if KERNTOLL_frame_lazy == 1
#define KERNTOLL_ENTRY_BEFORE_USER kerntoll_entry_before_user_with_lazy_frame
#else
#define KERNTOLL_ENTRY_BEFORE_USER kerntoll_entry_before_user_with_full_frame
#endif
