# SPDX-License-Identifier: MIT
# No SSE: a process that touches no vector register makes the kernel save none.
set(agent_compile_flags --target=x86_64-linux-gnu -mgeneral-regs-only -mno-red-zone)
set(agent_link_flags -m elf_x86_64)
