# SPDX-License-Identifier: MIT
# No floating point: a process that touches none makes the kernel save none. No compressed
# instructions and no linker relaxation: the trap and the no-op in its place have one length, and
# what was aligned stays so.
set(agent_compile_flags --target=riscv64-linux-gnu -march=rv64ima_zicsr -mabi=lp64 -mno-relax)
set(agent_link_flags -m elf64lriscv)
