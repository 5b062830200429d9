// SPDX-License-Identifier: MIT
// The KVM self-test's machine monitor: https://docs.kernel.org/virt/kvm/api.html
#if defined(__x86_64__)

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "lab/base/fd.hpp"
#include "lab/target/kvm_guest.hpp"
#include "lab/target/kvm_probe.hpp"
#include "lab/target/kvm_run.hpp"

namespace kerntoll::lab {
namespace {

// Control registers: Intel SDM volume 3, 2.5 and 2.2.1.
constexpr std::uint64_t cr0 = 0x80050033;  // PG AM WP NE ET MP PE
constexpr std::uint64_t cr4 = 0x620;       // OSXMMEXCPT OSFXSR PAE
constexpr std::uint64_t efer = 0x501;      // LMA LME SCE
constexpr std::uint32_t msr_star = 0xc0000081;
constexpr std::uint32_t msr_lstar = 0xc0000082;
constexpr std::uint32_t msr_fmask = 0xc0000084;
constexpr std::uint64_t masked_flags = 0x47700;

struct Vm {
    Fd device;
    Fd vm;
    Fd cpu;
    std::span<std::byte> memory;
    kvm_run* run = nullptr;
};

void* map(std::size_t size, int flags, int fd) {
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, 0);
    return address == MAP_FAILED ? nullptr : address;
}

bool create(Vm& machine) {
    machine.vm = Fd(ioctl(machine.device.get(), KVM_CREATE_VM, 0));
    void* memory = map(kvm_guest::memory_size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!machine.vm || memory == nullptr) {
        return false;
    }
    machine.memory = {static_cast<std::byte*>(memory), kvm_guest::memory_size};
    kvm_guest::write_memory(machine.memory);
    kvm_userspace_memory_region region{};
    region.memory_size = machine.memory.size();
    region.userspace_addr = reinterpret_cast<std::uintptr_t>(machine.memory.data());
    if (ioctl(machine.vm.get(), KVM_SET_USER_MEMORY_REGION, &region) != 0) {
        return false;
    }
    // Some Intel processors need a place for this; elsewhere it is refused, which does not matter.
    ioctl(machine.vm.get(), KVM_SET_TSS_ADDR, 0xfffbd000UL);
    machine.cpu = Fd(ioctl(machine.vm.get(), KVM_CREATE_VCPU, 0));
    const int run_size = ioctl(machine.device.get(), KVM_GET_VCPU_MMAP_SIZE, 0);
    if (!machine.cpu || run_size <= 0) {
        return false;
    }
    machine.run = static_cast<kvm_run*>(
        map(static_cast<std::size_t>(run_size), MAP_SHARED, machine.cpu.get()));
    return machine.run != nullptr;
}

/// What kvm_cpuid2 and kvm_msrs begin with. Debian 12's header declares their arrays in a way that
/// C++ gives another layout, and the request numbers hold the size, so both are spelt out here.
struct ListHead {
    std::uint32_t count;
    std::uint32_t padding;
};
constexpr unsigned long get_supported_cpuid = _IOWR(KVMIO, 0x05, ListHead);
constexpr unsigned long set_cpuid = _IOW(KVMIO, 0x90, ListHead);
constexpr unsigned long set_msrs = _IOW(KVMIO, 0x89, ListHead);

template <class Entry, std::size_t Size>
struct List {
    ListHead head;
    std::array<Entry, Size> entries;
};

/// Gives the guest the features of the host: without them it may not enter long mode.
bool set_features(const Vm& machine) {
    List<kvm_cpuid_entry2, 256> features{};
    features.head.count = features.entries.size();
    return ioctl(machine.device.get(), get_supported_cpuid, &features) == 0 &&
           ioctl(machine.cpu.get(), set_cpuid, &features) == 0;
}

kvm_segment segment(std::uint16_t selector, std::uint8_t type, bool is_code) {
    kvm_segment result{};
    result.limit = 0xffffffff;
    result.selector = selector;
    result.type = type;
    result.present = 1;
    result.dpl = selector & 3U;
    result.s = 1;
    result.l = is_code ? 1 : 0;
    result.db = is_code ? 0 : 1;
    result.g = 1;
    return result;
}

/// Puts the CPU into user code, in long mode.
bool set_registers(const Vm& machine) {
    constexpr std::uint8_t code_type = 11;
    constexpr std::uint8_t data_type = 3;
    kvm_sregs system{};
    if (ioctl(machine.cpu.get(), KVM_GET_SREGS, &system) != 0) {
        return false;
    }
    system.cr0 = cr0;
    system.cr3 = kvm_guest::top_table;
    system.cr4 = cr4;
    system.efer = efer;
    system.cs = segment(kvm_guest::user_code_selector, code_type, true);
    system.ss = segment(kvm_guest::user_data_selector, data_type, false);
    system.ds = system.es = system.fs = system.gs = system.ss;
    system.gdt = {
        .base = kvm_guest::segment_table, .limit = kvm_guest::segment_table_limit, .padding = {}};
    system.idt = {.base = kvm_guest::interrupt_table,
                  .limit = kvm_guest::interrupt_table_limit,
                  .padding = {}};
    system.tr = {};
    system.tr.base = kvm_guest::task_segment;
    system.tr.limit = 0x67;
    system.tr.selector = kvm_guest::task_selector;
    system.tr.type = 11;
    system.tr.present = 1;
    kvm_regs general{};
    general.rip = kvm_guest::user_code;
    general.rsp = kvm_guest::user_stack_top;
    general.rflags = 2;
    List<kvm_msr_entry, 3> model{};
    model.head.count = model.entries.size();
    model.entries = {{{.index = msr_star, .reserved = 0, .data = kvm_guest::star},
                      {.index = msr_lstar, .reserved = 0, .data = kvm_guest::handler},
                      {.index = msr_fmask, .reserved = 0, .data = masked_flags}}};
    return ioctl(machine.cpu.get(), KVM_SET_SREGS, &system) == 0 &&
           ioctl(machine.cpu.get(), KVM_SET_REGS, &general) == 0 &&
           ioctl(machine.cpu.get(), set_msrs, &model) == 3;
}

std::uint64_t memory_at(const Vm& machine, std::uint64_t address) {
    std::uint64_t value = 0;
    if (address <= machine.memory.size() - sizeof(value)) {
        std::memcpy(&value, machine.memory.data() + address, sizeof(value));
    }
    return value;
}

/// A call that arrives in ring 3 shows as a fault on the handler's first instruction: the handler's
/// page and its port are the kernel's. The frame of the exception tells where it was taken.
KvmReport judge_fault(const Vm& machine, unsigned vector, unsigned calls) {
    kvm_regs general{};
    if (ioctl(machine.cpu.get(), KVM_GET_REGS, &general) != 0) {
        return {KvmStep::run_guest, errno, 0, calls};
    }
    constexpr std::uint32_t vectors_with_error_code = 0x00227d00;
    const std::uint64_t frame =
        general.rsp + (vector < 32 && (vectors_with_error_code >> vector & 1U) != 0 ? 8 : 0);
    const auto level = static_cast<unsigned>(memory_at(machine, frame + 8) & 3U);
    if (memory_at(machine, frame) == kvm_guest::handler && level != 0) {
        return {KvmStep::wrong_level, 0, level, calls};
    }
    return {KvmStep::guest_fault, 0, vector, calls};
}

/// Runs the guest up to its next port access and judges it; nothing while all is well.
std::optional<KvmReport> run_once(const Vm& machine, unsigned calls) {
    while (ioctl(machine.cpu.get(), KVM_RUN, 0) != 0) {
        if (errno != EINTR) {
            return KvmReport{KvmStep::run_guest, errno, 0, calls};
        }
    }
    const kvm_run& run = *machine.run;
    if (run.exit_reason != KVM_EXIT_IO) {
        return KvmReport{KvmStep::guest_stopped, 0, run.exit_reason, calls};
    }
    std::uint32_t value = 0;
    const auto* data = reinterpret_cast<const std::byte*>(machine.run) + run.io.data_offset;
    std::memcpy(&value, data, std::min<std::size_t>(run.io.size, sizeof(value)));
    if (run.io.port == kvm_guest::fault_port) {
        return judge_fault(machine, value, calls);
    }
    kvm_sregs system{};
    if (ioctl(machine.cpu.get(), KVM_GET_SREGS, &system) != 0) {
        return KvmReport{KvmStep::run_guest, errno, 0, calls};
    }
    const unsigned level = system.cs.selector & 3U;
    if (level != 0 || system.ss.dpl != 0) {
        return KvmReport{KvmStep::wrong_level, 0, level, calls};
    }
    if (run.io.port != kvm_guest::call_port || value != calls + 1) {
        return KvmReport{KvmStep::lost_call, 0, value, calls};
    }
    return std::nullopt;
}

}  // namespace

KvmReport run_kvm_guest() {
    Vm machine;
    machine.device = Fd(open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (!machine.device) {
        return {KvmStep::open_device, errno, 0, 0};
    }
    if (!create(machine) || !set_features(machine) || !set_registers(machine)) {
        return {KvmStep::create_machine, errno, 0, 0};
    }
    for (unsigned calls = 0; calls < kvm_guest::calls; ++calls) {
        if (const auto wrong = run_once(machine, calls)) {
            return *wrong;
        }
    }
    return {KvmStep::done, 0, 0, kvm_guest::calls};
}

}  // namespace kerntoll::lab

#endif
