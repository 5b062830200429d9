// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

namespace kerntoll::nano {

/// What a user may do with a page. There is no page that may be both written and executed.
enum class Access : uint8_t { read, read_write, read_execute };

}  // namespace kerntoll::nano
