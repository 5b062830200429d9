// SPDX-License-Identifier: MIT
#include "lab/target/agent_code.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <cctype>
#include <memory>
#include <string>

#include "lab/base/fd.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/workloads.hpp"

namespace kerntoll::lab {
namespace {

using ElfFile = std::unique_ptr<Elf, decltype(&elf_end)>;

/// What the mangled name of the workload's loop holds, with its trap: `loop<Getpid, Trap::real,
/// Pad::off>` (agent/workload.hpp).
std::string loop_name(std::string_view workload, Pad pad) {
    std::string type(workload);
    type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
    return fmt::format("4loopINS0_{}{}ELNS0_4TrapE0ELNS0_3PadE{}EE", type.size(), type,
                       pad == Pad::on ? 1 : 0);
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

AddressRange function_with(Elf* elf, std::string_view part_of_name) {
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
            if (text != nullptr && std::string_view(text).contains(part_of_name)) {
                return {symbol.st_value, symbol.st_value + symbol.st_size};
            }
        }
    }
    return {};
}

}  // namespace

Result<AgentCode> agent_code(Arch arch, std::string_view workload, Pad pad) {
    const auto file = agent_path(arch);
    if (!file) {
        return std::unexpected(file.error());
    }
    const Fd fd(open(file->c_str(), O_RDONLY | O_CLOEXEC));
    elf_version(EV_CURRENT);
    const ElfFile elf(elf_begin(fd.get(), ELF_C_READ, nullptr), &elf_end);
    const AgentCode code{elf ? text_of(elf.get()) : AddressRange{},
                         elf && !workload.empty()
                             ? function_with(elf.get(), loop_name(workload, pad))
                             : AddressRange{}};
    if (code.text.empty() || function_with(elf.get(), loop_name("getpid", pad)).empty()) {
        return fail(Fault::environment,
                    fmt::format("{} does not say where its loops lie; build it again, or install "
                                "the agents of this version of kerntoll",
                                file->string()));
    }
    if (code.loop.empty()) {
        return fail(Fault::usage, no_such_workload(workload, agent_workloads));
    }
    return code;
}

}  // namespace kerntoll::lab
