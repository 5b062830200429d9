/* SPDX-License-Identifier: MIT */
#include <linux/entry.h>

volatile int flags;

void leave(void)
{
	while (flags & EXIT_WORK)
		flags = 0;
}
