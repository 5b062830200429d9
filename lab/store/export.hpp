// SPDX-License-Identifier: MIT
// A run's raw batches for other tools. docs/store.md names the columns.
#pragma once

#include <cstdio>

#include "lab/store/store.hpp"

namespace kerntoll::lab::store {

/// Every batch as one line of comma-separated values (RFC 4180), streamed: also those of replicates
/// that were cut short, marked in the column `complete`.
[[nodiscard]] Result<void> export_csv(const Store& store, RunId id, std::FILE* out);

/// The run with arms, counts and events, and every batch as a row of an array; streamed.
[[nodiscard]] Result<void> export_json(const Store& store, RunId id, std::FILE* out);

}  // namespace kerntoll::lab::store
