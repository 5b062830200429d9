// SPDX-License-Identifier: MIT
#include "lab/target/kvm_probe.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "lab/base/fd.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/kvm_run.hpp"

namespace kerntoll::lab {
namespace {

#if defined(__x86_64__)
constexpr KvmReport (*self_test)() = run_kvm_guest;
#else
constexpr KvmReport (*self_test)() = nullptr;
#endif

std::string_view ordinal(unsigned calls) {
    return calls == 0 ? "first" : "second";
}

}  // namespace

Result<std::optional<KvmReport>> run_in_child(KvmReport (*guest)(),
                                              std::chrono::milliseconds at_most) {
    auto pipe = make_pipe();
    if (!pipe) {
        return std::unexpected(pipe.error());
    }
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        return fail(Fault::environment, fmt::format("no process could be made for the KVM "
                                                    "self-test: {}",
                                                    std::strerror(errno)));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        KvmReport report;
        if (getppid() == parent) {
            report = guest();
        }
        const ssize_t wrote = write(pipe->second.get(), &report, sizeof(report));
        _exit(wrote == sizeof(report) ? 0 : 1);
    }
    pipe->second.reset();
    pollfd watched{pipe->first.get(), POLLIN, 0};
    const auto events = wait_for_events(std::span(&watched, 1), Clock::now() + at_most);
    KvmReport report;
    const bool reported =
        events && *events > 0 &&
        read(pipe->first.get(), &report, sizeof(report)) == static_cast<ssize_t>(sizeof(report));
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (!events) {
        return std::unexpected(events.error());
    }
    return reported ? std::optional(report) : std::nullopt;
}

std::string describe(const KvmReport& report) {
    const std::string error = std::strerror(report.error_number);
    switch (report.step) {
        case KvmStep::done:
            return {};
        case KvmStep::started:
            return "the KVM self-test did not start";
        case KvmStep::open_device:
            return fmt::format("/dev/kvm cannot be opened ({})", error);
        case KvmStep::create_machine:
            return fmt::format("KVM does not make a machine ({})", error);
        case KvmStep::run_guest:
            return fmt::format("KVM does not run a machine ({})", error);
        case KvmStep::guest_stopped:
            return fmt::format(
                "a KVM guest died on its {} system call (KVM exit reason {}): "
                "/dev/kvm exists but does not work here",
                ordinal(report.calls), report.value);
        case KvmStep::guest_fault:
            return fmt::format(
                "a KVM guest got exception {} instead of its {} system call: "
                "/dev/kvm exists but does not work here",
                report.value, ordinal(report.calls));
        case KvmStep::wrong_level:
            return fmt::format(
                "a KVM guest's {} system call arrived in ring {} and not in ring 0: "
                "/dev/kvm exists but does not work here",
                ordinal(report.calls), report.value);
        case KvmStep::lost_call:
            return fmt::format(
                "a KVM guest's {} system call arrived with the number {}: "
                "/dev/kvm exists but does not work here",
                ordinal(report.calls), report.value);
    }
    std::unreachable();
}

Result<void> prove_kvm(Arch guest, std::chrono::milliseconds at_most) {
    const auto host = host_arch();
    if (guest != host) {
        return fail(Fault::environment,
                    fmt::format("KVM runs guests of this machine's own architecture only, and the "
                                "guest is {}",
                                name(guest)));
    }
    if (self_test == nullptr) {
        return fail(Fault::environment,
                    fmt::format("there is no KVM self-test for {} yet", name(guest)));
    }
    const auto ended = run_in_child(self_test, at_most);
    if (!ended) {
        return std::unexpected(ended.error());
    }
    const std::optional<KvmReport> report = *ended;
    if (!report) {
        return fail(Fault::environment,
                    fmt::format("a KVM guest made no system call within {} ms: /dev/kvm exists "
                                "but does not work here",
                                at_most.count()));
    }
    const std::string why_not = describe(*report);
    return why_not.empty() ? Result<void>{} : fail(Fault::environment, why_not);
}

}  // namespace kerntoll::lab
