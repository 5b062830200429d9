// SPDX-License-Identifier: MIT
#include "lab/target/qemu.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ranges>
#include <string_view>
#include <vector>

#include "lab/base/subprocess.hpp"
#include "lab/target/qmp.hpp"
#include "lab/target/stepper.hpp"

namespace kerntoll::lab {

namespace {

/// How every panic begins, of Linux and of nano; what follows is the reason.
constexpr std::string_view linux_mark = "Kernel panic - not syncing";
constexpr std::string_view nano_mark = "nano: panic";

/// Without the registers and callers that nano prints behind the place.
std::string_view without_registers(std::string_view reason) {
    constexpr std::string_view before_place = " at ";
    const std::size_t at = reason.find(before_place);
    return at == reason.npos ? reason
                             : reason.substr(0, reason.find(' ', at + before_place.size()));
}

/// How long QEMU may take to end once it was told to.
constexpr std::chrono::seconds farewell{5};

class QemuHousing final : public Housing {
public:
    QemuHousing(Subprocess process, Qmp control, Fd complaints, std::optional<Stepper> stepper,
                const QemuPlan& plan)
        : process_(std::move(process)),
          control_(std::move(control)),
          complaints_(std::move(complaints)),
          stepper_(std::move(stepper)),
          pin_to_(plan.pin_to),
          ends_by_itself_(plan.recorder && !plan.recorder->plugin.empty()) {}
    QemuHousing(const QemuHousing&) = delete;
    QemuHousing& operator=(const QemuHousing&) = delete;
    ~QemuHousing() override;

    [[nodiscard]] int exit_fd() const override { return process_.exit_fd(); }
    [[nodiscard]] Result<void> prepare(Deadline deadline) override {
        return control_.negotiate(deadline);
    }
    // Machines that start side by side boot on all CPUs; only what is measured is pinned.
    [[nodiscard]] Result<void> settle() override {
        return pin_to_ < 0 ? Result<void>() : process_.pin(pin_to_);
    }
    [[nodiscard]] Result<void> pause(Deadline deadline) override {
        return control_.execute("stop", deadline);
    }
    [[nodiscard]] Result<void> go_on(Deadline deadline) override {
        return control_.execute("cont", deadline);
    }
    [[nodiscard]] std::optional<std::string> hopeless(const Console& console) const override;
    [[nodiscard]] std::optional<std::string> obituary(const Console& console) override;
    // What the host's counters say of QEMU is not what they would say of the guest.
    [[nodiscard]] Result<void> batch_begins(const Work& /*work*/) override {
        return stepper_ ? stepper_->prepare() : Result<void>();
    }
    [[nodiscard]] Result<void> batch_is_asked_for() override {
        return stepper_ ? stepper_->record(control_) : Result<void>();
    }
    [[nodiscard]] Result<CounterReading> batch_ended() override { return CounterReading{}; }

private:
    [[nodiscard]] std::string complaint() const;

    Subprocess process_;
    Qmp control_;
    Fd complaints_;  ///< QEMU's standard error
    std::optional<Stepper> stepper_;
    int pin_to_;           ///< CPU; -1: none
    bool ends_by_itself_;  ///< as far as it can; else it is killed
};

/// A recorder that came to no end writes what it has when QEMU ends by itself.
QemuHousing::~QemuHousing() {
    if (ends_by_itself_ && !process_.poll() && control_.execute("quit", Clock::now() + farewell)) {
        std::array watched{pollfd{process_.exit_fd(), POLLIN, 0}};
        (void)wait_for_events(watched, Clock::now() + farewell);
    }
}

std::optional<std::string> QemuHousing::hopeless(const Console& console) const {
    if (const std::string panic = console.last_with(linux_mark); !panic.empty()) {
        return fmt::format("the kernel panicked{}", panic.substr(linux_mark.size()));
    }
    if (const std::string panic = console.last_with(nano_mark); !panic.empty()) {
        return fmt::format("the kernel panicked{}",
                           without_registers(std::string_view(panic).substr(nano_mark.size())));
    }
    return std::nullopt;
}

/// The first line of QEMU's standard error that is not a warning.
std::string QemuHousing::complaint() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = read(complaints_.get(), bytes.data(), bytes.size());
    Console lines;
    lines.add(std::string_view(bytes.data(), static_cast<std::size_t>(got < 0 ? 0 : got)));
    for (const std::string& line : lines.tail()) {
        if (line.find("warning:") == std::string::npos) {
            return line;
        }
    }
    return "without a word";
}

std::optional<std::string> QemuHousing::obituary(const Console& console) {
    const auto status = process_.poll();
    if (!status) {
        return std::nullopt;
    }
    if (status->signal) {
        return fmt::format("QEMU {}", status->sentence());
    }
    if (auto panic = hopeless(console)) {
        return panic;
    }
    if (status->code != 0) {
        return fmt::format("QEMU {}: {};", status->sentence(), complaint());
    }
    const std::string reason = control_.shutdown_reason();
    if (reason == "guest-reset") {
        return "the machine reset itself (it would go on doing so)";
    }
    // Some power switches end QEMU on the spot, before it can give a reason.
    if (reason == "guest-shutdown" || reason.empty()) {
        return "the machine powered itself off";
    }
    return fmt::format("QEMU ended ({})", reason);
}

/// The ends of the sockets that QEMU gets.
struct Lines {
    int control = -1;
    int gdb = -1;  ///< -1: none
};

std::vector<std::string> arguments(const QemuPlan& plan, const Lines& lines) {
    const MachineRow& row = *plan.row;
    std::vector<std::string> all{
        plan.program, "-no-user-config", "-nodefaults", "-no-reboot",
        // Nothing but the chardevs below connects the machine to the world.
        "-display", "none", "-machine", plan.machine, "-accel", std::string(name(plan.accelerator)),
        "-cpu", plan.cpu, "-m", fmt::to_string(plan.memory_mib), "-smp", "1", "-chardev",
        // Standard input is a socket, standard output a pipe.
        "stdio,id=console,signal=off", "-chardev",
        fmt::format("socket,id=control,fd={}", lines.control), "-mon",
        "chardev=control,mode=control", "-kernel", MemoryFile::path(plan.kernel->fd())};
    if (plan.initramfs != nullptr) {
        all.insert(all.end(), {"-initrd", MemoryFile::path(plan.initramfs->fd()), "-append",
                               plan.command_line});
    }
    for (const auto& [file, address] : plan.loaded) {
        all.insert(all.end(), {"-device", fmt::format("loader,file={},addr={:#x},force-raw=on",
                                                      MemoryFile::path(file->fd()), address)});
    }
    for (const auto word : plan.arguments | std::views::split(' ')) {
        if (!word.empty()) {
            all.emplace_back(word.begin(), word.end());
        }
    }
    for (std::string& argument : console_arguments(row, "console")) {
        all.push_back(std::move(argument));
    }
    if (plan.icount == QemuPlan::Icount::exact) {
        // sleep=on: while the guest waits for a request its time runs with the host's; without, it
        // would race ahead and burn a core.
        all.insert(all.end(), {"-icount", "shift=0,sleep=on"});
    }
    if (plan.icount == QemuPlan::Icount::repeatable) {
        // An instruction is 16 ns: kernels calibrate clocks and wait for devices in loops, which at
        // one nanosecond an instruction takes x86 guests three times as long to boot. The clock of
        // the day begins where it began before, and no random number is drawn.
        all.insert(all.end(), {"-icount", "shift=4,sleep=off", "-rtc",
                               "base=2020-01-01T00:00:00,clock=vm", "-seed", "1"});
    }
    if (plan.recorder && lines.gdb >= 0) {
        all.insert(all.end(), {"-chardev", fmt::format("socket,id=gdb,fd={}", lines.gdb), "-gdb",
                               "chardev:gdb"});
    } else if (plan.recorder) {
        const auto& [plugin, code, what, patience] = *plan.recorder;
        all.insert(
            all.end(),
            {"-plugin",
             fmt::format("{},text={:#x}-{:#x},loop={:#x}-{:#x},warm_up={},rounds={},limit={},fd={}",
                         plugin, code.text.low, code.text.high, code.loop.low, code.loop.high,
                         what.warm_up, what.rounds, what.limit, what.fd)});
    }
    return all;
}

}  // namespace

std::string_view name(Accelerator accelerator) {
    return accelerator == Accelerator::kvm ? "kvm" : "tcg";
}

Result<QemuMachine> start_qemu(const QemuPlan& plan) {
    auto console = make_socketpair();
    auto control = make_socketpair();
    // Firmware prints byte by byte. A socket takes a few hundred such portions until they are read,
    // then QEMU tries again by the host's clock, which a guest can see; a pipe takes all of them.
    auto printed = make_pipe();
    auto complaints = make_pipe();
    for (const auto* made : {&console, &control, &printed, &complaints}) {
        if (!*made) {
            return std::unexpected(made->error());
        }
    }
    // QEMU's standard error is read once, after its end. A full pipe must not stop it before that.
    for (const Fd* end : {&complaints->first, &complaints->second}) {
        if (auto made = make_nonblocking(*end); !made) {
            return std::unexpected(made.error());
        }
    }
    const bool steps = plan.recorder && plan.recorder->plugin.empty();
    auto gdb = steps ? make_socketpair() : FdPair{};
    if (!gdb) {
        return std::unexpected(gdb.error());
    }
    SpawnPlan spawn;
    spawn.argv = arguments(plan, {control->second.get(), gdb->second.get()});
    spawn.standard_input = console->second.get();
    spawn.standard_output = printed->second.get();
    spawn.standard_error = complaints->second.get();
    spawn.inherited = {control->second.get(), plan.kernel->fd()};
    if (plan.initramfs != nullptr) {
        spawn.inherited.push_back(plan.initramfs->fd());
    }
    for (const QemuPlan::Loaded& loaded : plan.loaded) {
        spawn.inherited.push_back(loaded.file->fd());
    }
    std::optional<Stepper> stepper;
    if (steps) {
        spawn.inherited.push_back(gdb->second.get());
        stepper.emplace(StepPlan{plan.row, plan.recorder->code, plan.recorder->recording,
                                 plan.recorder->patience},
                        std::move(gdb->first));
    } else if (plan.recorder) {
        spawn.inherited.push_back(plan.recorder->recording.fd);
    }
    auto process = Subprocess::spawn(spawn);
    if (!process) {
        return std::unexpected(process.error());
    }
    return QemuMachine{
        std::make_unique<QemuHousing>(*std::move(process), Qmp(std::move(control->first)),
                                      std::move(complaints->first), std::move(stepper), plan),
        Line(std::move(console->first), std::move(printed->first))};
}

}  // namespace kerntoll::lab
