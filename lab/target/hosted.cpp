// SPDX-License-Identifier: MIT
#include "lab/target/hosted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/target/agent_path.hpp"
#include "lab/target/digest.hpp"
#include "lab/target/files.hpp"
#include "lab/target/host_facts.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/options.hpp"
#include "lab/target/process.hpp"
#include "lab/target/variant.hpp"

namespace kerntoll::lab {
namespace {

/// Everything that a `hosted:` target was found to be.
struct HostedParts {
    TargetSpec spec;
    Arch arch = Arch::x86_64;
    Variant variant;
    LayoutChoice layout;
    std::filesystem::path program_path;
    MemoryFile program;  ///< of a layout that is not drawn; else of the one that the linker gives
    std::string program_sha256;
    std::vector<std::string> left_to_compiler;  ///< what it made of the steps with the value auto
    std::vector<std::pair<std::string, std::string>> setup;
};

class HostedTarget final : public Target {
public:
    explicit HostedTarget(HostedParts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] const TargetSpec& spec() const override { return parts_.spec; }
    [[nodiscard]] Grade grade() const override { return host_nature().grade; }
    // Unlike the agent of `host`, the code that is measured is the program's own, which lies at the
    // same addresses in every process.
    [[nodiscard]] Scope scope() const override { return drawn() ? Scope::layouts : Scope::images; }
    [[nodiscard]] Entrance entrance() const override { return Entrance::call; }
    [[nodiscard]] bool can_count() const override { return true; }
    [[nodiscard]] std::string layout_key() const override { return parts_.program_sha256; }
    [[nodiscard]] Provenance provenance() const override;
    [[nodiscard]] std::vector<std::string> remarks() const override {
        std::vector<std::string> all = parts_.left_to_compiler;
        all.emplace_back(
            "the entry path is called as a function: no trap, no change of mode; calls for files "
            "and the clock go on to the host's kernel, and take its time too, but of their "
            "instructions the one that asks it alone is counted");
        return all;
    }
    [[nodiscard]] Result<void> check_recorder() const override;
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override;

private:
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch_stepped(const Launch& how,
                                                                  WireSettings settings) const;
    [[nodiscard]] bool drawn() const { return parts_.layout.kind == LayoutChoice::Kind::drawn; }

    HostedParts parts_;
};

Provenance HostedTarget::provenance() const {
    return {{"image", parts_.program_path.string()},
            {"image_sha256", parts_.program_sha256},
            {"variant", choices_text(parts_.variant)},
            {"compiler", parts_.variant.compiler}};
}

Result<void> HostedTarget::check_recorder() const {
    return fail(Fault::environment,
                "the entry path is called as a function on this CPU, without a trap, where no "
                "plugin of QEMU's sees its memory");
}

/// Of what is the same in every layout, that of the linker is counted and recorded.
Result<std::unique_ptr<Machine>> HostedTarget::launch(const Launch& how) {
    WireSettings settings;
    settings.label = parts_.spec.text;
    settings.arch = parts_.arch;
    settings.setup = parts_.setup;
    if (how.count || how.recording != nullptr) {
        return launch_stepped(how, std::move(settings));
    }
    // What the kernel executes meanwhile is not what is measured.
    const auto start = [&](const MemoryFile& program) {
        return start_process(MemoryFile::path(program.fd()), how.cpu, KernelCounters::none,
                             std::move(settings));
    };
    if (!drawn()) {
        return start(parts_.program);
    }
    const auto program = draw_image(parts_.variant, how);
    return program ? start(*program) : std::unexpected(program.error());
}

Result<std::unique_ptr<Machine>> HostedTarget::launch_stepped(const Launch& how,
                                                              WireSettings settings) const {
    ProcessStepPlan plan{
        .arch = parts_.arch, .pad = pad_of(settings.setup), .recording = std::nullopt};
    if (how.recording != nullptr) {
        if (how.recording->by == RecordedBy::plugin) {
            return fail(Fault::usage, fmt::format("'{}' cannot be recorded by a plugin of QEMU: it "
                                                  "runs on this CPU, and is recorded by single "
                                                  "steps; leave --recorder out",
                                                  parts_.spec.text));
        }
        plan.recording = *how.recording;
    }
    return start_stepped_process(MemoryFile::path(parts_.program.fd()), how.cpu, std::move(plan),
                                 std::move(settings));
}

}  // namespace

Result<std::unique_ptr<Target>> open_hosted(const TargetSpec& spec) {
    const auto arch = host_arch();
    if (!arch) {
        return fail(Fault::environment,
                    fmt::format("the target '{}' runs on x86_64 and arm64 alone, and this machine "
                                "is neither; nano:ARCH has the same path under QEMU",
                                spec.text));
    }
    auto variant = read_variant(spec, "hosted");
    const auto layout = read_layout(spec);
    auto setup = read_treatments(spec);
    const std::array<const Error*, 3> errors{variant ? nullptr : &variant.error(),
                                             layout ? nullptr : &layout.error(),
                                             setup ? nullptr : &setup.error()};
    if (const auto* first = std::ranges::find_if(errors, [](const Error* error) { return error; });
        first != errors.end()) {
        return std::unexpected(**first);
    }
    const auto path = build_variant(*variant, layout->kind == LayoutChoice::Kind::seeded
                                                  ? std::optional(layout->seed)
                                                  : std::nullopt);
    if (!path) {
        return std::unexpected(path.error());
    }
    const auto bytes = read_file(*path);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    auto program = MemoryFile::holding("hosted", *bytes);
    if (!program) {
        return std::unexpected(program.error());
    }
    std::string digest = sha256_of(std::as_bytes(std::span(*bytes)));
    auto chosen = left_to_compiler(*variant, *bytes);
    return std::make_unique<HostedTarget>(HostedParts{spec, *arch, *std::move(variant), *layout,
                                                      *path, *std::move(program), std::move(digest),
                                                      std::move(chosen), *std::move(setup)});
}

}  // namespace kerntoll::lab
