// SPDX-License-Identifier: MIT
#include "lab/kernel/toolchain.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "lab/base/subprocess.hpp"
#include "lab/target/agent_path.hpp"
#include "lab/target/machines.hpp"

namespace kerntoll::lab::kernel {
namespace {

/// The version that this project asks for everywhere (tools/packages).
constexpr std::string_view llvm_suffix = "-19";

/// What a program answers to one word, on one line.
std::string first_line_of(const std::string& program, const std::string& word = "--version") {
    const auto answer = run_captured({program, word}, std::chrono::seconds(20));
    return answer ? answer->output.substr(0, answer->output.find('\n')) : std::string{};
}

/// Tells a program's file from the one that stood there before: compilers are rebuilt under one
/// version by those who work on them.
std::string stamp_of(const std::string& program) {
    const auto found = find_program(program);
    std::error_code failed;
    const auto size = found ? std::filesystem::file_size(*found, failed) : 0;
    const auto time = found ? std::filesystem::last_write_time(*found, failed)
                            : std::filesystem::file_time_type{};
    return fmt::format("; {} {} {}", program, size, time.time_since_epoch().count());
}

/// The last word of "riscv64-linux-gnu-gcc (Debian 12.2.0-13) 12.2.0", or what follows "version".
std::string number_in(const std::string& line) {
    constexpr std::string_view mark = "version ";
    const auto at = line.find(mark);
    if (at == std::string::npos) {
        return line.substr(line.rfind(' ') + 1);
    }
    const std::string rest = line.substr(at + mark.size());
    return rest.substr(0, rest.find(' '));
}

std::unexpected<Error> missing(std::string_view program, std::string_view package, Arch arch) {
    return fail(Fault::environment,
                fmt::format("{} is not installed, and building {} kernels needs it; install "
                            "Debian's package {}",
                            program, name(arch), package));
}

Toolchain describe(Compiler compiler, const std::string& program, const std::string& linker,
                   std::vector<std::string> variables) {
    const std::string line = first_line_of(program);
    std::string identity = line + "; " + first_line_of(linker) + stamp_of(program);
    if (compiler == Compiler::gcc) {  // what it calls for its steps
        for (const char* step : {"cc1", "as", "ld"}) {
            identity += stamp_of(first_line_of(program, fmt::format("-print-prog-name={}", step)));
        }
    } else {
        identity += stamp_of(linker);
    }
    return {compiler, fmt::format("{} {}", name(compiler), number_in(line)), std::move(identity),
            std::move(variables)};
}

}  // namespace

std::string_view name(Compiler compiler) {
    return compiler == Compiler::gcc ? "gcc" : "clang";
}

Result<Toolchain> find_toolchain(const KbuildRow& row, Compiler compiler) {
    if (compiler == Compiler::clang) {
        const std::string program = fmt::format("clang{}", llvm_suffix);
        const std::string linker = fmt::format("ld.lld{}", llvm_suffix);
        if (!find_program(program)) {
            return missing(program, program, row.arch);
        }
        if (!find_program(linker)) {
            return missing(linker, fmt::format("lld{}", llvm_suffix), row.arch);
        }
        return describe(compiler, program, linker, {fmt::format("LLVM={}", llvm_suffix)});
    }
    if (row.gcc_prefix.empty()) {
        return fail(Fault::environment,
                    fmt::format("Debian has no gcc for {}; use --cc clang", name(row.arch)));
    }
    // Debian's gcc of the machine's own architecture goes by the same name as the others.
    const std::string prefix(row.gcc_prefix);
    if (!find_program(prefix + "gcc")) {
        return missing(prefix + "gcc", row.gcc_package, row.arch);
    }
    return describe(compiler, prefix + "gcc", prefix + "ld", {"CROSS_COMPILE=" + prefix});
}

}  // namespace kerntoll::lab::kernel
