/* SPDX-License-Identifier: MIT */
int personality(int persona);
int personality(int persona)
{
	return persona & 0xff;
}
