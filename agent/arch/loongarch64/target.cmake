# SPDX-License-Identifier: MIT
# No floating point, no vectors: a process that touches none makes the kernel save none.
set(agent_compile_flags --target=loongarch64-linux-gnusf -mabi=lp64s -mno-lsx)
set(agent_link_flags -m elf64loongarch)
