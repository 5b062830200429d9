# SPDX-License-Identifier: MIT
# No floating point, no vectors: a process that touches none makes the kernel save none.
set(agent_compile_flags --target=loongarch64-linux-gnusf -mabi=lp64s -mno-lsx
  # LLVM's own limit here is 16 bytes of padding, which would leave most loops unaligned.
  -mllvm -max-bytes-for-alignment=64)
set(agent_link_flags -m elf64loongarch)
