// SPDX-License-Identifier: MIT
#include "lab/target/linux.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/target/agent_path.hpp"
#include "lab/target/exact.hpp"
#include "lab/target/files.hpp"
#include "lab/target/image.hpp"
#include "lab/target/initramfs.hpp"
#include "lab/target/kvm_probe.hpp"
#include "lab/target/machines.hpp"
#include "lab/target/options.hpp"
#include "lab/target/qemu.hpp"
#include "lab/target/requests.hpp"
#include "lab/target/wire_machine.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {

namespace {

constexpr std::chrono::milliseconds default_patience{60'000};

/// Everything that a `linux:` target was found to be.
struct LinuxParts {
    TargetSpec spec;
    Image image;
    Qemu qemu;
    MemoryFile initramfs;
    QemuPlan plan;  ///< points into image and initramfs once they have their place
    std::chrono::milliseconds patience{};
    Treatments setup;
    std::vector<std::string> remarks;
};

class LinuxTarget final : public Target {
public:
    explicit LinuxTarget(LinuxParts parts) : parts_(std::move(parts)) {
        parts_.plan.kernel = parts_.image.kernel.get();
        parts_.plan.initramfs = &parts_.initramfs;
    }

    [[nodiscard]] const TargetSpec& spec() const override { return parts_.spec; }
    [[nodiscard]] Grade grade() const override {
        return parts_.plan.accelerator == Accelerator::kvm ? Grade::virtualised : Grade::emulated;
    }
    [[nodiscard]] Scope scope() const override { return Scope::images; }
    // TCG, which counts, knows no CPU model "host".
    [[nodiscard]] bool can_count() const override { return parts_.plan.cpu != "host"; }
    [[nodiscard]] std::string layout_key() const override { return parts_.image.sha256; }
    [[nodiscard]] Provenance provenance() const override;
    [[nodiscard]] std::vector<std::string> remarks() const override { return parts_.remarks; }
    [[nodiscard]] Result<void> check_recorder() const override;
    [[nodiscard]] Result<std::unique_ptr<Machine>> launch(const Launch& how) override;

private:
    [[nodiscard]] Result<MemoryFile> scripted_initramfs(const Recording& recording) const;

    LinuxParts parts_;
};

Result<MemoryFile> pack_initramfs(const TargetSpec& spec, Arch arch, std::string_view script = {}) {
    const auto agent = agent_path(arch);
    if (!agent) {
        return std::unexpected(agent.error());
    }
    std::ifstream file(*agent, std::ios::binary);
    const std::vector<char> program{std::istreambuf_iterator<char>(file), {}};
    if (!file || program.empty()) {
        return fail(Fault::environment, fmt::format("cannot read the agent {}", agent->string()));
    }
    std::vector<std::string> files;
    if (const auto wanted = spec.option("file")) {
        files.emplace_back(*wanted);
    }
    const auto archive = make_initramfs(program, files, script);
    if (!archive) {
        return std::unexpected(archive.error());
    }
    auto memory = MemoryFile::create("initramfs");
    if (!memory) {
        return memory;
    }
    if (auto written = memory->append(std::as_bytes(std::span(*archive))); !written) {
        return std::unexpected(written.error());
    }
    if (auto sealed = memory->seal(); !sealed) {
        return std::unexpected(sealed.error());
    }
    return memory;
}

Provenance LinuxTarget::provenance() const {
    const Image& image = parts_.image;
    const QemuPlan& plan = parts_.plan;
    return {{"image", image.path},
            {"image_sha256", image.sha256},
            {"image_size", fmt::to_string(image.size)},
            {"image_form", image.description()},
            {"kernel_release", image.release},
            {"kernel_version", image.banner},
            {"kernel_build_id", image.build_id},
            {"command_line", plan.command_line},
            {"qemu", plan.program},
            {"qemu_version", parts_.qemu.version_text},
            {"machine", std::string(plan.row->machine)},
            {"cpu_model", plan.cpu},
            {"accelerator", std::string(name(plan.accelerator))},
            {"memory_mib", fmt::to_string(plan.memory_mib)}};
}

Result<void> LinuxTarget::check_recorder() const {
    return check_recorder_loads(parts_.qemu);
}

Result<MemoryFile> LinuxTarget::scripted_initramfs(const Recording& recording) const {
    std::vector<std::string> requests;
    if (!parts_.setup.empty()) {
        auto setup = setup_request(parts_.spec.text, parts_.setup);
        if (!setup) {
            return std::unexpected(setup.error());
        }
        requests.push_back(*std::move(setup));
    }
    requests.push_back(workload_request(wire::verb::run, {.workload = recording.workload},
                                        wire::key::n, recording.ops()));
    return pack_initramfs(parts_.spec, parts_.image.arch, script_of(requests));
}

Result<std::unique_ptr<Machine>> LinuxTarget::launch(const Launch& how) {
    QemuPlan plan = parts_.plan;
    plan.pin_to = how.cpu;
    WireSettings settings;
    settings.label = parts_.spec.text;
    settings.arch = parts_.image.arch;
    settings.patience = parts_.patience;
    settings.setup = parts_.setup;
    if (auto prepared = make_exact(plan, settings, how, parts_.qemu); !prepared) {
        return std::unexpected(prepared.error());
    }
    std::optional<MemoryFile> scripted;  // QEMU has its own descriptor once it was started
    if (how.recording != nullptr && how.recording->by == RecordedBy::plugin) {
        auto initramfs = scripted_initramfs(*how.recording);
        if (!initramfs) {
            return std::unexpected(initramfs.error());
        }
        scripted = *std::move(initramfs);
        plan.initramfs = &*scripted;
        plan.icount = QemuPlan::Icount::repeatable;
        settings.requests = WireSettings::Requests::scripted;
    }
    if (how.recording != nullptr || how.fixed_addresses) {
        // Nothing is drawn: what was recorded once is recorded again, byte by byte.
        plan.command_line += " nokaslr norandmaps";
    }
    auto machine = start_qemu(plan);
    if (!machine) {
        return std::unexpected(machine.error());
    }
    return std::make_unique<WireMachine>(std::move(settings), std::move(machine->housing),
                                         std::move(machine->console));
}

/// prove_kvm(), once per program: it starts a process and may wait for it.
const Result<void>& kvm_works(Arch guest) {
    static std::map<Arch, Result<void>> known;
    auto found = known.find(guest);
    if (found == known.end()) {
        found = known.emplace(guest, prove_kvm(guest)).first;
    }
    return found->second;
}

Result<Accelerator> choose_accelerator(const TargetSpec& spec, Arch arch,
                                       std::vector<std::string>& remarks) {
    const std::string_view wanted = spec.option("accel").value_or("auto");
    if (wanted == "tcg") {
        return Accelerator::tcg;
    }
    if (wanted != "auto" && wanted != "kvm") {
        return bad_option(spec, "accel", "auto, tcg or kvm");
    }
    if (wanted == "kvm" && arch != host_arch()) {
        return fail(
            Fault::usage,
            fmt::format("the target '{}' has accel=kvm, but its image is for {} and KVM runs "
                        "this machine's own architecture alone; leave accel out",
                        spec.text, name(arch)));
    }
    if (arch != host_arch()) {
        return Accelerator::tcg;  // the only one: nothing to remark
    }
    const auto& works = kvm_works(arch);
    if (works) {
        return Accelerator::kvm;
    }
    if (wanted == "kvm") {
        remarks.push_back(
            fmt::format("KVM is used because accel=kvm says so, but {}", works.error().message));
        return Accelerator::kvm;
    }
    remarks.push_back(fmt::format("{}, so TCG", works.error().message));
    return Accelerator::tcg;
}

Result<void> check_arch(const TargetSpec& spec, const Image& image) {
    const auto wanted = spec.option("arch");
    if (!wanted) {
        return {};
    }
    const auto arch = arch_from_name(*wanted);
    if (!arch) {
        return bad_option(spec, "arch", "x86_64, arm64, riscv64, s390x or loongarch64");
    }
    if (*arch != image.arch) {
        return fail(Fault::usage, fmt::format("the target '{}' asks for arch={}, but {} is for {}",
                                              spec.text, *wanted, image.path, name(image.arch)));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Target>> open_linux(const TargetSpec& spec) {
    auto image = read_image(spec.subject);
    if (!image) {
        return std::unexpected(image.error());
    }
    if (auto same = check_arch(spec, *image); !same) {
        return std::unexpected(same.error());
    }
    const MachineRow& row = machine_row(image->arch);
    std::vector<std::string> remarks;
    const auto accelerator = choose_accelerator(spec, image->arch, remarks);
    const auto memory = read_mebibytes(spec, "mem", row.memory_mib);
    const auto patience = read_duration(spec, "timeout", default_patience);
    auto setup = read_treatments(spec);
    if (!accelerator) {
        return std::unexpected(accelerator.error());
    }
    if (!memory) {
        return std::unexpected(memory.error());
    }
    if (!patience) {
        return std::unexpected(patience.error());
    }
    if (!setup) {
        return std::unexpected(setup.error());
    }
    auto qemu = find_qemu(row, spec.option("qemu"));
    if (!qemu) {
        return std::unexpected(qemu.error());
    }
    if (auto boots = check_boots_linux(row, *qemu); !boots) {
        return std::unexpected(boots.error());
    }
    auto initramfs = pack_initramfs(spec, image->arch);
    if (!initramfs) {
        return std::unexpected(initramfs.error());
    }
    QemuPlan plan;
    plan.row = &row;
    plan.program = qemu->program;
    plan.machine = row.machine;
    plan.cpu = spec.option("cpu").value_or(row.cpu);
    plan.memory_mib = *memory;
    plan.accelerator = *accelerator;
    plan.command_line = kernel_command_line(row, spec.option("append").value_or(""));
    if (plan.accelerator == Accelerator::kvm) {
        remarks.push_back(
            fmt::format("instructions are counted under TCG, on its CPU model {}, where the kernel "
                        "may take other paths than under KVM",
                        plan.cpu));
    }
    return std::make_unique<LinuxTarget>(
        LinuxParts{spec, *std::move(image), *std::move(qemu), *std::move(initramfs),
                   std::move(plan), *patience, *std::move(setup), std::move(remarks)});
}

}  // namespace kerntoll::lab
