// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "lab/store/database.hpp"
#include "lab/store/records.hpp"

namespace kerntoll::lab::store {

/// A sink that commits every record to the results file as it comes.
[[nodiscard]] Result<std::unique_ptr<Sink>> make_sink(std::shared_ptr<Database> database, RunId id);

}  // namespace kerntoll::lab::store
