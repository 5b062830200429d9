// SPDX-License-Identifier: MIT
#pragma once

#include "agent/arch/generic_numbers.hpp"
