// SPDX-License-Identifier: MIT
// What differs between the architectures when Linux is built: a row of a table each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/target/target.hpp"

namespace kerntoll::lab::kernel {

struct KbuildRow {
    Arch arch;
    std::string_view kbuild;        ///< ARCH=
    std::string_view gcc_prefix;    ///< CROSS_COMPILE=; empty where Debian has no such gcc
    std::string_view gcc_package;   ///< Debian's
    std::string_view image_target;  ///< what make is asked for
    std::string_view image;         ///< the file that comes of it, in the object tree
    std::string_view filler;        ///< the assembler's instruction that does nothing
};

[[nodiscard]] const KbuildRow& kbuild_row(Arch arch);
[[nodiscard]] std::span<const KbuildRow> kbuild_table();

}  // namespace kerntoll::lab::kernel
