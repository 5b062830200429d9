# SPDX-License-Identifier: MIT
# No floating point: a process that touches none makes the kernel save none.
set(agent_compile_flags --target=s390x-linux-gnu -msoft-float -mno-vx)
set(agent_link_flags -m elf64_s390)
