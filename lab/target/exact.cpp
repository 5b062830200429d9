// SPDX-License-Identifier: MIT
#include "lab/target/exact.hpp"

#include <utility>

#include "lab/target/agent_code.hpp"
#include "lab/target/agent_path.hpp"

namespace kerntoll::lab {
namespace {

Result<QemuPlan::Recorder> recorder_for(const Recording& recording, Arch arch,
                                        const WireSettings& settings, const Qemu& qemu) {
    const auto code = agent_code(arch, recording.workload, pad_of(settings.setup));
    if (!code) {
        return std::unexpected(code.error());
    }
    QemuPlan::Recorder recorder{{}, *code, recording, settings.patience};
    if (recording.by == RecordedBy::plugin) {
        const auto plugin = recorder_path(qemu.version);
        if (!plugin) {
            return std::unexpected(plugin.error());
        }
        recorder.plugin = plugin->string();
    }
    return recorder;
}

}  // namespace

Result<void> check_recorder_loads(const Qemu& qemu) {
    const auto plugin = recorder_path(qemu.version);
    return plugin ? check_plugin(qemu, plugin->string()) : std::unexpected(plugin.error());
}

Result<void> make_exact(QemuPlan& plan, WireSettings& settings, const Launch& how,
                        const Qemu& qemu) {
    if (how.recording != nullptr) {
        auto recorder = recorder_for(*how.recording, plan.row->arch, settings, qemu);
        if (!recorder) {
            return std::unexpected(recorder.error());
        }
        plan.recorder = *std::move(recorder);
    }
    if (how.count || how.recording != nullptr) {
        plan.accelerator = Accelerator::tcg;
        plan.icount = QemuPlan::Icount::exact;
        settings.time = WireSettings::Time::counted;
        settings.uncounted_per_call = plan.row->trap_is_counted ? 0 : 1;
        constexpr std::uint64_t ns_per_second = 1'000'000'000;
        settings.counter_hz =
            ns_per_second * plan.row->tick_ns_denominator / plan.row->tick_ns_numerator;
    }
    return {};
}

}  // namespace kerntoll::lab
