// SPDX-License-Identifier: MIT
// One path, or the difference of two, as Markdown that fits a commit message: no line is wider than
// 72 columns, and tables read as well where nothing renders them.
#pragma once

#include <string>

#include "lab/path/explain.hpp"
#include "lab/path/explain_text.hpp"

namespace kerntoll::lab::path {

[[nodiscard]] std::string to_markdown(const Traced& traced, Listing list = Listing::brief);
[[nodiscard]] std::string to_markdown(const Explanation& explanation,
                                      Listing list = Listing::brief);

}  // namespace kerntoll::lab::path
