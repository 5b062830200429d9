// SPDX-License-Identifier: MIT
#include "lab/target/agent_code.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "lab/base/fd.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/wire_text.hpp"
#include "lab/target/workloads.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {
namespace {

using ElfFile = std::unique_ptr<Elf, decltype(&elf_end)>;

/// How every hosted program calls what the gate leads to (entry/).
constexpr std::string_view gate_name = "kerntoll_entry_from_user";

/// What the mangled name of the workload's loop holds: `loop<Getpid, Trap::real, Pad::off>`
/// (agent/workload.hpp).
std::string loop_name(const Work& work, Pad pad) {
    std::string type = work.workload;
    type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
    return fmt::format("4loopINS0_{}{}ELNS0_4TrapE{}ELNS0_3PadE{}EE", type.size(), type,
                       work.hollow ? 1 : 0, pad == Pad::on ? 1 : 0);
}

AddressRange text_of(Elf* elf) {
    std::size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (std::size_t index = 0; index < count; ++index) {
        GElf_Phdr header{};
        if (gelf_getphdr(elf, static_cast<int>(index), &header) != nullptr &&
            header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
            return {header.p_vaddr, header.p_vaddr + header.p_memsz};
        }
    }
    return {};
}

template <class Test>
AddressRange function_whose_name(Elf* elf, Test passes) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0) {
            continue;
        }
        Elf_Data* data = elf_getdata(section, nullptr);
        for (std::size_t index = 0; index < header.sh_size / header.sh_entsize; ++index) {
            GElf_Sym symbol{};
            if (gelf_getsym(data, static_cast<int>(index), &symbol) == nullptr) {
                continue;
            }
            const char* text = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (text != nullptr && passes(std::string_view(text))) {
                return {symbol.st_value, symbol.st_value + symbol.st_size};
            }
        }
    }
    return {};
}

/// Opens what a descriptor holds; null where that is no ELF file.
ElfFile elf_of(int fd) {
    elf_version(EV_CURRENT);
    return {elf_begin(fd, ELF_C_READ, nullptr), &elf_end};
}

/// The loop of a workload in an agent's file, whatever that is made into.
Result<AddressRange> loop_of(Elf* elf, const Work& work, Pad pad, std::string_view file) {
    const auto loop = [&](const Work& one) {
        if (elf == nullptr || one.workload.empty()) {
            return AddressRange{};
        }
        return function_whose_name(elf, [name = loop_name(one, pad)](std::string_view mangled) {
            return mangled.contains(name);
        });
    };
    if (loop({}).empty()) {
        return fail(Fault::environment,
                    fmt::format("{} does not say where its loops lie; build it again, or install "
                                "the agents of this version of kerntoll",
                                file));
    }
    const AddressRange found = loop(work);
    return found.empty() ? fail(Fault::usage, no_such_workload(work.workload, agent_workloads))
                         : Result<AddressRange>(found);
}

}  // namespace

Pad pad_of(const Treatments& treatments) {
    const bool pads = std::ranges::any_of(treatments, [](const auto& treatment) {
        return treatment.first == as_view(wire::key::pad);
    });
    return pads ? Pad::on : Pad::off;
}

Result<AgentCode> agent_code(Arch arch, std::string_view workload, Pad pad) {
    const auto file = agent_path(arch);
    if (!file) {
        return std::unexpected(file.error());
    }
    const Fd fd(open(file->c_str(), O_RDONLY | O_CLOEXEC));
    const ElfFile elf = elf_of(fd.get());
    const auto loop = loop_of(elf.get(), {.workload = std::string(workload)}, pad, file->string());
    return loop ? Result<AgentCode>({text_of(elf.get()), *loop}) : std::unexpected(loop.error());
}

Result<HostedCode> hosted_code(int program, const Work& work, Pad pad) {
    const ElfFile elf = elf_of(program);
    const auto loop = loop_of(elf.get(), work, pad, "the hosted program");
    if (!loop) {
        return std::unexpected(loop.error());
    }
    const AddressRange gate =
        function_whose_name(elf.get(), [](std::string_view name) { return name == gate_name; });
    return HostedCode{*loop, gate.low};
}

}  // namespace kerntoll::lab
