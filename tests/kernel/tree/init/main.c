/* SPDX-License-Identifier: MIT */
#include <linux/entry.h>

void start(void);
void start(void)
{
	enter();
	leave();
}
