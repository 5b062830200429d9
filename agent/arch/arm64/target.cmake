# SPDX-License-Identifier: MIT
# No SIMD: a process that touches no vector register makes the kernel save none.
set(agent_compile_flags --target=aarch64-linux-gnu -mgeneral-regs-only -mno-outline-atomics)
set(agent_link_flags -m aarch64linux)
