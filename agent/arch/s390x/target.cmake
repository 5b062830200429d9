# SPDX-License-Identifier: MIT
# No floating point: a process that touches none makes the kernel save none.
set(agent_compile_flags --target=s390x-linux-gnu -msoft-float -mno-vx)
# User and kernel have address spaces of their own here, and a trace has addresses alone. Kernels
# that are mapped one to one (before Linux 6.11) run from 1 MiB on; this is far above them, and below
# the 512 MiB where nano's users end.
set(agent_link_flags -m elf64_s390 --image-base=0x18000000)
