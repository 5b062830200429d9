// SPDX-License-Identifier: MIT
// Printed text, line by line, for the tests of all that is printed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace kerntoll {

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The first line that holds `what`, or a sentence that none does.
inline std::string line_with(const std::string& text, const std::string& what) {
    for (const std::string& line : lines_of(text)) {
        if (line.contains(what)) {
            return line;
        }
    }
    return "no line has " + what;
}

}  // namespace kerntoll
