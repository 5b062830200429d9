// SPDX-License-Identifier: MIT
// As on the machine that the program runs on.
#pragma once

#if defined __x86_64__
#include "../x86_64/nospec.hpp"
#elif defined __aarch64__
#include "../arm64/nospec.hpp"
#elif defined __riscv
#include "../riscv64/nospec.hpp"
#elif defined __s390x__
#include "../s390x/nospec.hpp"
#elif defined __loongarch64
#include "../loongarch64/nospec.hpp"
#else
#error "hosted runs on the machines that there is a port for: see entry/arch"
#endif
