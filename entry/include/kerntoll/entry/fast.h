/* SPDX-License-Identifier: MIT */
/* What the fast part of a call with a lazy frame answers its stub: the values of kerntoll::entry::Fast
   (syscall.hpp), which says what they mean. */
#pragma once

#define KERNTOLL_ENTRY_FAST_DONE 0
#define KERNTOLL_ENTRY_FAST_ENTER 1
#define KERNTOLL_ENTRY_FAST_EXIT 2
