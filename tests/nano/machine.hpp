// SPDX-License-Identifier: MIT
// A machine under QEMU that runs nano with some first program to its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nano/parameters.hpp"
#include "nano/places.hpp"

namespace kerntoll::nano_test {

/// What QEMU needs for one port of nano.
struct Machine {
    std::string_view arch;
    std::vector<std::string> qemu;  ///< the program and its machine
    nano::Places places;
    bool has_exit_status;
    bool decodes_class;           ///< the axis `vector` is there
    bool has_debug_exit = false;  ///< isa-debug-exit: a status n that is not 0 comes as 2 n + 1
};

/// The ports whose images and programs were built.
[[nodiscard]] const std::vector<Machine>& machines();

/// All images that were built for a machine: one per compiler.
[[nodiscard]] std::vector<std::string> images_of(const Machine& machine);

/// What came of a run.
struct Ending {
    std::string output;
    int status = -1;  ///< QEMU's
};

/// Runs to the end or to a limit on the wall clock. `parameters` with program_size filled in is
/// right; without parameters none are placed.
[[nodiscard]] Ending run_nano(const Machine& machine, const std::string& image,
                              std::string_view program,
                              const std::optional<nano::Parameters>& parameters);
/// The same with parameters that are right for the program.
[[nodiscard]] Ending run_nano(const Machine& machine, const std::string& image,
                              std::string_view program);

/// Whether there is such a program for a machine: not every port has one of its own.
[[nodiscard]] bool has_program(const Machine& machine, std::string_view name);
/// The bytes of a program of tests/nano/programs.
[[nodiscard]] std::string read_program(const Machine& machine, std::string_view name);

/// Makes an image by nano/build, `choices` being its words; its path, or nothing and a test failure
/// with what nano/build printed.
[[nodiscard]] std::string make_image(const Machine& machine,
                                     const std::vector<std::string>& choices);

/// The lines of a text that begin so.
[[nodiscard]] std::vector<std::string> lines_with(std::string_view text, std::string_view begin);

}  // namespace kerntoll::nano_test
