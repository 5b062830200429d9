// SPDX-License-Identifier: MIT
#include "lab/target/nano.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/target/digest.hpp"
#include "lab/target/exact.hpp"
#include "lab/target/files.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/memory_file.hpp"
#include "lab/target/options.hpp"
#include "lab/target/qemu.hpp"
#include "lab/target/variant.hpp"
#include "lab/target/wire_machine.hpp"
#include "nano/parameters.hpp"

namespace kerntoll::lab {
namespace {

namespace fs = std::filesystem;

/// It answers within a tenth of a second; what takes longer is stuck.
constexpr std::chrono::milliseconds default_patience{20'000};

/// Everything that a `nano:` target was found to be.
struct NanoParts {
    TargetSpec spec;
    Arch arch = Arch::x86_64;
    Variant variant;
    LayoutChoice layout;
    fs::path image_path;
    std::string image;  ///< of a layout that is not drawn; else of the one that the linker gives
    std::string image_sha256;
    MemoryFile program;  ///< the agent
    nano::Parameters parameters;
    Qemu qemu;
    QemuPlan plan;
    std::chrono::milliseconds patience{};
    std::vector<std::pair<std::string, std::string>> setup;
};

template <class Number>
void put(std::string& bytes, Number number, std::endian order) {
    std::array<char, sizeof number> raw{};
    std::memcpy(raw.data(), &number, sizeof number);
    if (order != std::endian::native) {
        std::ranges::reverse(raw);
    }
    bytes.append(raw.data(), raw.size());
}

/// The block as nano reads it, in the byte order of its machine.
std::string parameter_block(const nano::Parameters& block, Arch arch) {
    const std::endian order = arch == Arch::s390x ? std::endian::big : std::endian::little;
    std::string bytes;
    put(bytes, block.magic, order);
    put(bytes, block.version, order);
    put(bytes, block.size, order);
    put(bytes, block.program_size, order);
    put(bytes, block.switches, order);
    put(bytes, block.zero, order);
    put(bytes, block.traced_call, order);
    put(bytes, block.replaced_by, order);
    return bytes;
}

class NanoTarget final : public Target {
public:
    explicit NanoTarget(NanoParts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] const TargetSpec& spec() const override { return parts_.spec; }
    [[nodiscard]] Grade grade() const override { return Grade::emulated; }
    [[nodiscard]] Scope scope() const override { return drawn() ? Scope::layouts : Scope::images; }
    [[nodiscard]] bool can_count() const override { return true; }
    [[nodiscard]] std::string layout_key() const override { return parts_.image_sha256; }
    [[nodiscard]] Provenance provenance() const override;
    [[nodiscard]] std::vector<std::string> remarks() const override {
        return left_to_compiler(parts_.variant, parts_.image);
    }
    [[nodiscard]] Result<void> check_recorder() const override {
        return check_recorder_loads(parts_.qemu);
    }
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override;

private:
    [[nodiscard]] bool drawn() const { return parts_.layout.kind == LayoutChoice::Kind::drawn; }
    [[nodiscard]] Result<MemoryFile> image_for(const Launch& how) const;

    NanoParts parts_;
};

Provenance NanoTarget::provenance() const {
    const QemuPlan& plan = parts_.plan;
    return {{"image", parts_.image_path.string()},
            {"image_sha256", parts_.image_sha256},
            {"variant", choices_text(parts_.variant)},
            {"compiler", parts_.variant.compiler},
            {"qemu", plan.program},
            {"qemu_version", parts_.qemu.version_text},
            {"machine", plan.machine},
            {"cpu_model", plan.cpu},
            {"accelerator", std::string(name(plan.accelerator))},
            {"memory_mib", fmt::to_string(plan.memory_mib)}};
}

/// A drawn layout is another one for every machine; where paths are recorded and instructions are
/// counted nothing is drawn, since no layout changes either.
Result<MemoryFile> NanoTarget::image_for(const Launch& how) const {
    if (!drawn() || how.count || how.recording != nullptr) {
        return MemoryFile::holding("image", parts_.image);
    }
    return draw_image(parts_.variant, how);
}

Result<std::unique_ptr<Machine>> NanoTarget::launch(const Launch& how) {
    auto image = image_for(how);
    if (!image) {
        return std::unexpected(image.error());
    }
    QemuPlan plan = parts_.plan;
    plan.kernel = &*image;
    const nano::Places& places = plan.row->nano.places;
    nano::Parameters block = parts_.parameters;
    if (how.count || how.recording != nullptr) {
        // QEMU 7.2 now and then forgets to wake a guest that rests where instructions make the
        // time.
        block.switches |= static_cast<std::uint32_t>(nano::Switch::sleepless);
    }
    const auto parameters = MemoryFile::holding("parameters", parameter_block(block, parts_.arch));
    if (!parameters) {
        return std::unexpected(parameters.error());
    }
    plan.loaded = {{&*parameters, places.parameters}, {&parts_.program, places.program}};
    plan.pin_to = how.cpu;
    WireSettings settings;
    settings.label = parts_.spec.text;
    settings.arch = parts_.arch;
    settings.patience = parts_.patience;
    settings.setup = parts_.setup;
    if (auto prepared = make_exact(plan, settings, how, parts_.qemu); !prepared) {
        return std::unexpected(prepared.error());
    }
    auto machine = start_qemu(plan);
    if (!machine) {
        return std::unexpected(machine.error());
    }
    return std::make_unique<WireMachine>(std::move(settings), std::move(machine->housing),
                                         std::move(machine->console));
}

/// What nano itself turns on, by the options' names. `seccomp` is both: on is nano's, allow and
/// args are filters that the agent installs.
struct SwitchOption {
    std::string_view key;
    nano::Switch bit;
};
constexpr std::array switches{
    SwitchOption{"tracer", nano::Switch::tracer},
    SwitchOption{"seccomp", nano::Switch::seccomp},
    SwitchOption{"tracepoint", nano::Switch::tracepoint},
    SwitchOption{"audit", nano::Switch::audit},
    SwitchOption{"user_dispatch", nano::Switch::user_dispatch},
};

/// What no call of this target would ever notice is refused: nano's switches, and what the agent
/// sets up to the same end.
Result<void> check_work(const TargetSpec& spec) {
    std::vector<std::string_view> keys{"sud", "rseq"};
    std::ranges::transform(switches, std::back_inserter(keys), &SwitchOption::key);
    const auto idle =
        std::ranges::find_if(keys, [&](auto key) { return spec.option(key).has_value(); });
    if (spec.option("work") != "none" || idle == keys.end()) {
        return {};
    }
    return fail(Fault::usage,
                fmt::format("the target '{}' turns {} on, which work=none never looks "
                            "at; leave one of them out",
                            spec.text, *idle));
}

Result<std::uint32_t> read_switches(const TargetSpec& spec) {
    if (auto looks = check_work(spec); !looks) {
        return std::unexpected(looks.error());
    }
    std::uint32_t chosen = 0;
    for (const SwitchOption& option : switches) {
        const auto value = spec.option(option.key);
        const bool treats = option.key == "seccomp" && (value == "allow" || value == "args");
        if (!value || treats) {
            continue;
        }
        if (*value != "on") {
            return bad_option(
                spec, option.key,
                option.key == "seccomp" ? "on, allow or args" : "on; leave it out otherwise");
        }
        chosen |= static_cast<std::uint32_t>(option.bit);
    }
    return chosen;
}

}  // namespace

Result<std::unique_ptr<Target>> open_nano(const TargetSpec& spec) {
    const auto arch = arch_from_name(spec.subject);
    if (!arch) {
        return fail(Fault::usage,
                    fmt::format("the target '{}' does not name one of nano's ports: x86_64, arm64, "
                                "riscv64, s390x and loongarch64",
                                spec.text));
    }
    const MachineRow& row = machine_row(*arch);
    auto variant = read_variant(spec, name(*arch));
    const auto layout = read_layout(spec);
    const auto chosen = read_switches(spec);
    const auto patience = read_duration(spec, "timeout", default_patience);
    // seccomp=on is nano's own and no treatment.
    TargetSpec treated = spec;
    std::erase(treated.options, std::pair<std::string, std::string>{"seccomp", "on"});
    auto setup = read_treatments(treated);
    const std::array<const Error*, 5> errors{
        variant ? nullptr : &variant.error(), layout ? nullptr : &layout.error(),
        chosen ? nullptr : &chosen.error(), patience ? nullptr : &patience.error(),
        setup ? nullptr : &setup.error()};
    if (const auto* first = std::ranges::find_if(errors, [](const Error* error) { return error; });
        first != errors.end()) {
        return std::unexpected(**first);
    }
    auto qemu = find_qemu(row, spec.option("qemu"));
    if (!qemu) {
        return std::unexpected(qemu.error());
    }
    const auto agent = read_agent(*arch);
    if (!agent) {
        return std::unexpected(agent.error());
    }
    auto program = MemoryFile::holding("agent", *agent);
    if (!program) {
        return std::unexpected(program.error());
    }
    nano::Parameters block;
    block.program_size = program->size();
    block.switches = *chosen;
    const auto image = build_variant(*variant, layout->kind == LayoutChoice::Kind::seeded
                                                   ? std::optional(layout->seed)
                                                   : std::nullopt);
    if (!image) {
        return std::unexpected(image.error());
    }
    auto bytes = read_file(*image);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    std::string digest = sha256_of(std::as_bytes(std::span(*bytes)));
    QemuPlan plan;
    plan.row = &row;
    plan.program = qemu->program;
    plan.machine = row.nano.machine;
    plan.cpu = spec.option("cpu").value_or(row.nano.cpu);
    plan.memory_mib = row.nano.memory_mib;
    plan.arguments = row.nano.arguments;
    return std::make_unique<NanoTarget>(NanoParts{spec, *arch, *std::move(variant), *layout, *image,
                                                  *std::move(bytes), std::move(digest),
                                                  *std::move(program), block, *std::move(qemu),
                                                  std::move(plan), *patience, *std::move(setup)});
}

}  // namespace kerntoll::lab
