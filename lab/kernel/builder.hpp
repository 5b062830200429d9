// SPDX-License-Identifier: MIT
// Builds the sides of a comparison: the base, the base with patches on it, the base moved by
// padding. Each by the kernel's own Kbuild, out of tree, for one architecture by one compiler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/base/error.hpp"
#include "lab/kernel/cached.hpp"
#include "lab/kernel/kbuild.hpp"
#include "lab/kernel/patched.hpp"
#include "lab/kernel/patches.hpp"
#include "lab/kernel/rebuilt.hpp"
#include "lab/kernel/source.hpp"
#include "lab/kernel/toolchain.hpp"
#include "lab/kernel/tree.hpp"

namespace kerntoll::lab::kernel {

/// One kernel to be built.
struct Side {
    std::string name = "base";                  ///< for people
    std::vector<Patch> patches = {};            ///< put on in this order
    std::string fragment = {};                  ///< more configuration
    std::optional<std::uint32_t> padding = {};  ///< the seed of a placebo
    [[nodiscard]] bool is_base() const { return patches.empty() && fragment.empty() && !padding; }
};

/// How kernels are built.
struct BuildPlan {
    Arch arch = Arch::x86_64;
    Toolchain toolchain;
    std::string config = {};  ///< a whole .config; empty: tinyconfig and fragments_of()
    unsigned jobs = 1;
    Say say = {};  ///< progress, told often; may be empty
};

/// The private copy, opened when the first kernel is not in the cache.
class Sources {
public:
    explicit Sources(Tree tree) : tree_(std::move(tree)) {}
    [[nodiscard]] const Tree& tree() const { return tree_; }
    [[nodiscard]] Result<Source*> open(const Say& say);
    /// Lets others have it.
    void close() { source_.reset(); }

private:
    Tree tree_;
    std::optional<Source> source_;
};

class Builder {
public:
    /// `sources` must outlive the builder.
    Builder(Sources& sources, BuildPlan plan) : sources_(&sources), plan_(std::move(plan)) {}

    /// The kernel of a side, from the cache where it has it. A side other than the base is made
    /// from the base's objects. Fault::usage where a patch does not apply, Fault::measurement where
    /// it does not build.
    [[nodiscard]] Result<Built> build(const Side& side);

    /// Whether the patches apply, before minutes are spent on the base: Fault::usage where they do
    /// not. Of a ladder the last rung has them all. Looks at nothing that is in the cache.
    [[nodiscard]] Result<void> check_applies(const Side& side);

private:
    [[nodiscard]] Result<Built> find_or_build(const Side& side);
    [[nodiscard]] std::filesystem::path log_of(const Side& side) const;
    [[nodiscard]] Result<void> configure(const Source& source, const std::filesystem::path& objects,
                                         const Side& side, std::vector<std::string>& remarks);
    [[nodiscard]] Result<std::size_t> make(const Source& source,
                                           const std::filesystem::path& objects, const Side& side,
                                           std::vector<std::string> words);
    /// The folder in which every side is made. It is the same one for the base, whose objects are
    /// put away afterwards: what x86_64's build compiles for itself (objtool) knows the path that
    /// it was made in, and made anew it has the whole kernel made anew.
    [[nodiscard]] std::filesystem::path workshop(const Source& source) const;
    [[nodiscard]] Result<std::filesystem::path> base_objects(const Source& source);
    /// Configures, and makes the image; `changed` are the files that the patches change. An error
    /// where make(1) has written into the sources.
    [[nodiscard]] Result<void> make_side(const Source& source, const std::filesystem::path& objects,
                                         const Side& side, std::span<const std::string> changed,
                                         Built& facts);
    /// Makes a change from the base's objects. Returns what speaks against the outcome, which is
    /// then to be made from nothing; an empty text where nothing does. `on_it` are the files that
    /// are changed now.
    [[nodiscard]] Result<std::string> make_from_base(const Source& source, const Side& side,
                                                     const std::filesystem::path& objects,
                                                     const std::filesystem::path& base,
                                                     Built& facts, Rebuilt& rebuilt,
                                                     ChangedFiles& on_it);
    [[nodiscard]] Result<Built> build_change(const Source& source, const Side& side);
    [[nodiscard]] Result<std::vector<std::string>> change_sources(
        const Source& source, const Side& side, const std::filesystem::path& base);
    void say(const Side& side, const std::string& what) const;

    Sources* sources_;
    BuildPlan plan_;
};

}  // namespace kerntoll::lab::kernel
