// SPDX-License-Identifier: MIT
// A machine under QEMU that runs nano with some first program to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"
#include "nano/parameters.hpp"
#include "nano/places.hpp"

namespace kerntoll::nano_test {

/// What QEMU needs for one port of nano.
struct Machine {
    std::string_view arch;
    std::vector<std::string> qemu;  ///< the program and its machine
    nano::Places places;
    bool is_big_endian;
    /// Numbers of calls.
    int64_t clone;
    int64_t getpid;
    /// The choices under which most can go wrong with registers, stacks and interrupts.
    std::vector<std::string> hardest;
    /// QEMU's exit status where nano powers off with status 3.
    int status_3;
};

/// Names of all architectures that there are or may be ports for.
inline constexpr const char* arch_names[] = {"x86_64", "arm64", "riscv64", "s390x", "loongarch64"};

/// The machine of an architecture; nothing where its image or programs were not built.
[[nodiscard]] std::optional<Machine> find_machine(std::string_view arch);

/// All images that were built for a machine: one per compiler.
[[nodiscard]] std::vector<std::string> images_of(const Machine& machine);

/// What came of a run.
struct Ending {
    std::string output;
    /// What nano says that the first program ended with: as a shell, 128 more than a signal that
    /// killed it. unusable or panicked where there was nothing to run or a bug; -1 where QEMU did
    /// not end by itself.
    int status = -1;
    int qemu_status = -1;
};
inline constexpr int unusable = 102;
inline constexpr int panicked = 101;

/// A machine that is ready to be started: QEMU and its words, and the files that these name.
struct Start {
    std::vector<std::string> argv;
    lab::Fd program;
    lab::Fd parameters;
};
[[nodiscard]] Start prepare(const Machine& machine, const std::string& image,
                            std::string_view program,
                            const std::optional<nano::Parameters>& parameters);
/// What is to be said of a machine that printed this and ended so.
[[nodiscard]] Ending ending_of(std::string output, const lab::ExitStatus& status);

/// Runs to the end or to a limit on the wall clock. `parameters` with program_size filled in is
/// right; without parameters none are placed.
[[nodiscard]] Ending run_nano(const Machine& machine, const std::string& image,
                              std::string_view program,
                              const std::optional<nano::Parameters>& parameters);
/// The same with parameters that are right for the program.
[[nodiscard]] Ending run_nano(const Machine& machine, const std::string& image,
                              std::string_view program);

/// The bytes of a program of tests/nano/programs.
[[nodiscard]] std::string read_program(const Machine& machine, std::string_view name);

/// Makes an image by nano/build, `choices` being its words; its path, or nothing and a test failure
/// with what nano/build printed.
[[nodiscard]] std::string make_image(const Machine& machine,
                                     const std::vector<std::string>& choices);

/// The lines of a text that begin so.
[[nodiscard]] std::vector<std::string> lines_with(std::string_view text, std::string_view begin);

}  // namespace kerntoll::nano_test
