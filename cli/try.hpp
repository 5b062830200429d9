// SPDX-License-Identifier: MIT
// The parts of `kerntoll try`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit.hpp"
#include "cli/kernels.hpp"
#include "cli/options.hpp"
#include "lab/kernel/outcome.hpp"

namespace kerntoll::cli {

/// What is compared with the base, as typed.
struct ChangeOptions {
    std::vector<std::string> patches;
    std::optional<std::string> against;   ///< a commit: the base, and HEAD the change
    std::optional<std::string> append_b;  ///< words of the kernel's command line
    std::optional<std::string> config_b;  ///< a file of configuration
};

/// One kernel to be built and the command line that is its own.
struct TrySide {
    lab::kernel::Side side;
    lab::store::Role role = lab::store::Role::base;
    std::string append = {};
};

/// What is to be tried: the tree, and the base, the changes and the placebos in this order.
struct Changes {
    lab::kernel::Tree tree;
    std::vector<TrySide> sides;
    std::vector<std::string> remarks = {};     ///< sentences on what is left out
    std::vector<std::string> identities = {};  ///< "1.patch (SHA-256 0123…)", a change each
    std::string head = {};                     ///< the commit that is checked out, of a git tree
};

/// Reads tree and changes. Fault::usage where there is nothing to compare, or two kinds of it. The
/// files of the changes and the folder where the outcome is kept are no part of the tree.
[[nodiscard]] lab::Result<Changes> read_changes(const KernelOptions& kernels,
                                                const ChangeOptions& changes,
                                                std::uint32_t placebos,
                                                const std::optional<std::string>& save);

/// Remarks on the side that was built last what its kernel gives away about itself: options of the
/// user's configuration that the base has not, an image that is the base's.
void add_remarks(lab::kernel::PortOutcome& outcome, const std::string& config);

/// The command that repeats a trial, from what was typed and the options of `try`: without those
/// that change nothing of what is measured, and with the base's hash in place of --against's name,
/// which may be a branch and move on.
[[nodiscard]] std::vector<std::string> repeating_command(const std::vector<std::string>& argv,
                                                         const CLI::App& command,
                                                         const std::string& commit);

/// What a trial ends with. Where something was measured, and the architectures were not named one
/// by one, it is no failure that this machine cannot build or run some of them; everything else is.
enum class Asked { by_name, whatever_is_there };
[[nodiscard]] Exit exit_of_trial(const lab::kernel::Outcome& outcome, Asked asked,
                                 const std::vector<lab::Error>& missing);

/// Makes the folder, so that one that nothing can be kept in, or that has something in it already,
/// is refused before anything is built.
[[nodiscard]] lab::Result<void> make_save_folder(const std::filesystem::path& folder);
/// Keeps what was built and measured of a port in a folder: images, System.maps, configurations,
/// traces of base and changes and pictures of their differences. Says in the port's notes what
/// could not be kept.
void save_port(lab::kernel::PortOutcome& port, const std::filesystem::path& folder);
/// Keeps the whole outcome there, in all forms.
[[nodiscard]] lab::Result<void> save_outcome(const lab::kernel::Outcome& outcome,
                                             const std::filesystem::path& folder);

}  // namespace kerntoll::cli
