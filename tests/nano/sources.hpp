// SPDX-License-Identifier: MIT
// Nano's own sources with something changed, and images of them: kernels with a bug, or on a
// machine that nano does not set up so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"

namespace kerntoll::nano_test {

/// A copy of nano/ and entry/, which goes with the object. What is wrong with a change or an image
/// is a test failure.
class Sources {
public:
    explicit Sources(const Machine& machine);
    Sources(const Sources&) = delete;
    Sources& operator=(const Sources&) = delete;
    ~Sources();

    /// The folder that has them, where a test may put more.
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    /// Puts a file of tests/nano/ in another's place.
    void put(std::string_view file, std::string_view of_the_tests) const;
    /// The same with text.
    void write(std::string_view file, std::string_view text) const;
    /// Replaces the first occurrence in a file; there must be one.
    void replace(std::string_view file, std::string_view what, std::string_view by) const;
    /// Makes the image of a variant; its path, which the next one takes, too.
    [[nodiscard]] std::string make_image(const std::vector<std::string>& choices) const;

private:
    std::string arch_;
    std::filesystem::path root_;
};

}  // namespace kerntoll::nano_test
