// SPDX-License-Identifier: MIT
#include "lab/target/disassembler.hpp"

#include <capstone/capstone.h>
#include <fmt/format.h>

#include <utility>

namespace kerntoll::lab {

Result<Disassembler> Disassembler::open(Arch arch) {
    csh handle = 0;
    const bool is_x86 = arch == Arch::x86_64;
    const cs_err opened = is_x86 ? cs_open(CS_ARCH_X86, CS_MODE_64, &handle)
                                 : cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle);
    if (opened != CS_ERR_OK) {
        return fail(Fault::environment,
                    fmt::format("Capstone cannot disassemble {} ({}); install the libcapstone of "
                                "this distribution",
                                name(arch), cs_strerror(opened)));
    }
    Disassembler disassembler(handle);
    if (is_x86) {
        cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    }
    cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);  // an unknown one is bytes
    return disassembler;
}

Disassembler::Disassembler(Disassembler&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)) {}

Disassembler::~Disassembler() {
    if (handle_ != 0) {
        cs_close(&handle_);
    }
}

Result<Disassembled> Disassembler::disassemble(std::uint64_t address,
                                               std::string_view bytes) const {
    cs_insn* found = nullptr;
    const auto* code = reinterpret_cast<const std::uint8_t*>(bytes.data());
    if (cs_disasm(handle_, code, bytes.size(), address, 1, &found) != 1) {
        return fail(Fault::measurement,
                    fmt::format("there is no whole instruction at {:#x}", address));
    }
    Disassembled result{.size = found->size,
                        .text = fmt::format("{} {}", found->mnemonic, found->op_str)};
    cs_free(found, 1);
    return result;
}

}  // namespace kerntoll::lab
