// SPDX-License-Identifier: MIT
// Where the code of a function went that is no longer called.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lab/path/anatomy.hpp"

namespace kerntoll::lab::path {

/// The instructions of a path that the path before the change does not have.
class NewCode {
public:
    /// `texts` are comparable(change.steps); `matched` says which steps the other path has too.
    NewCode(const Anatomy& change, std::span<const std::string> texts,
            const std::vector<bool>& matched);

    /// The function that holds the code of `name`, whose steps and their comparable texts on the
    /// other path are `body` and `texts`: the one in which DWARF says that it was inlined, else the
    /// one whose new instructions are most like the body. Empty where neither tells.
    [[nodiscard]] std::string holder_of(std::string_view name, std::span<const Step> body,
                                        std::span<const std::string> texts) const;

private:
    [[nodiscard]] std::uint32_t number_of(const std::string& text) const;

    const Anatomy& change_;
    std::unordered_map<std::string, std::uint32_t> numbers_;  ///< of texts without registers
    std::vector<std::vector<std::uint32_t>> code_;            ///< new in each function
    std::unordered_map<std::string, std::string> inlined_;    ///< by DWARF: into which function
};

}  // namespace kerntoll::lab::path
