// SPDX-License-Identifier: MIT
// The tables of the results file and how an older file becomes one of today. docs/store.md
// describes them for whoever reads the file with other tools.
#pragma once

#include "lab/store/database.hpp"

namespace kerntoll::lab::store {

/// Makes sure that the file is a results file of kerntoll in today's schema: makes the tables in an
/// empty one, brings an older one forward, refuses anything else with a sentence.
[[nodiscard]] Result<void> bring_up_to_date(const Database& database);

}  // namespace kerntoll::lab::store
