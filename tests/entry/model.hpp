// SPDX-License-Identifier: MIT
// The reference: what an entry path must do, written for a reader and not for a machine. It shares
// no code with the path.
#pragma once

#include "tests/entry/scenario.hpp"

namespace kerntoll::test {

/// What of a policy a user can notice.
struct Visible {
    bool work = true;
    bool checks = false;
};

/// Acts the scenario out.
[[nodiscard]] Story tell_model(const Scenario& scenario, Visible visible);

}  // namespace kerntoll::test
