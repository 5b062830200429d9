// SPDX-License-Identifier: MIT
// The measured loops, read from the disassembly: how many instructions an op is, that nothing but
// the trap differs between real and hollow, and what the pad adds.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

struct Instruction {
    std::uint64_t address = 0;
    std::string text;
};

using Function = std::vector<Instruction>;

/// All functions of a program by their names.
std::map<std::string, Function> disassemble(const std::string& program) {
    const std::string command = std::string(KERNTOLL_OBJDUMP
                                            " --disassemble --demangle --no-show-raw-insn "
                                            "--no-print-imm-hex '") +
                                program + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    static const std::regex head("^[0-9a-f]+ <(.*)>:\\s*$");
    static const std::regex line("^\\s*([0-9a-f]+):\\s+(\\S.*?)\\s*$");
    std::map<std::string, Function> functions;
    Function* current = nullptr;
    std::array<char, 4096> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), output.get()) != nullptr) {
        std::string text = buffer.data();
        text.erase(text.find_last_not_of('\n') + 1);
        std::smatch found;
        if (std::regex_match(text, found, head)) {
            current = &functions[found[1]];
        } else if (current != nullptr && std::regex_match(text, found, line)) {
            current->push_back({std::stoull(found[1], nullptr, 16), found[2]});
        }
    }
    return functions;
}

/// Where an instruction of a function branches to within it. The disassembler says it as
/// `<FUNCTION+0xOFFSET>`, on s390x as an address.
std::optional<std::uint64_t> target_of(const Instruction& branch, const std::string& name,
                                       const Function& function) {
    const std::size_t symbol = branch.text.find('<' + name);
    if (symbol != std::string::npos) {
        const std::string offset = branch.text.substr(symbol + 1 + name.size());
        return function.front().address +
               (offset == ">" ? 0 : std::stoull(offset.substr(1), nullptr, 16));
    }
    static const std::regex address("0x([0-9a-f]+)$");
    std::smatch found;
    if (std::regex_search(branch.text, found, address)) {
        return std::stoull(found[1], nullptr, 16);
    }
    return std::nullopt;
}

/// The loop in a function: from the target of its first backward branch to that branch.
Function loop_in(const std::string& name, const Function& function) {
    for (const Instruction& branch : function) {
        const auto to = target_of(branch, name, function);
        if (!to || *to < function.front().address || *to > branch.address) {
            continue;
        }
        Function loop;
        for (const Instruction& instruction : function) {
            if (instruction.address >= *to && instruction.address <= branch.address) {
                loop.push_back(instruction);
            }
        }
        return loop;
    }
    return {};
}

struct Mnemonics {
    std::regex trap;
    std::regex no_op;
    std::regex call;
    std::regex pad;
};

const Mnemonics& mnemonics(const Port& port) {
    static const std::map<std::string, Mnemonics> all = {
        {"x86_64",
         {std::regex("syscall"), std::regex("nop"), std::regex("callq?\\s+\\*%.*"),
          std::regex("xorq\\s+%rcx, %rax")}},
        {"arm64",
         {std::regex("svc\\s+#0(x0)?"), std::regex("nop"), std::regex("blr\\s+x.*"),
          std::regex("eor\\s+x9, x9, x10")}},
        {"riscv64",
         {std::regex("ecall"), std::regex("nop"), std::regex("jalr\\s+t0, .*"),
          std::regex("xor\\s+t1, t1, t2")}},
        {"s390x",
         {std::regex("svc\\s+0"), std::regex("nopr\\s+%r0"), std::regex("basr\\s+%r14, .*"),
          std::regex("xgr\\s+%r0, %r1")}},
        {"loongarch64",
         {std::regex("syscall\\s+0"), std::regex("nop"), std::regex("jirl\\s+\\$ra, .*"),
          std::regex("xor\\s+\\$t0, \\$t0, \\$t1")}},
    };
    return all.at(port.name);
}

std::size_t count(const Function& function, const std::regex& wanted) {
    std::size_t found = 0;
    for (const Instruction& instruction : function) {
        found += std::regex_match(instruction.text, wanted) ? 1U : 0U;
    }
    return found;
}

// The types of agent/workloads/ and their system calls per op.
const std::map<std::string, std::size_t> workloads = {
    {"Getpid", 1}, {"Getppid", 1}, {"Getpgid", 1}, {"Mix", 5},   {"Close", 2},
    {"Read", 1},   {"Write", 1},   {"Stat", 1},    {"Fstat", 1}, {"Open", 2},
    {"Seek", 14},  {"Invalid", 1}, {"Clock", 1},   {"Empty", 0},
};

class EveryLoop : public ::testing::TestWithParam<Port> {
protected:
    std::map<std::string, Function> functions = disassemble(agent_with_symbols(GetParam()));

    [[nodiscard]] Function loop(const std::string& workload, bool is_hollow, bool is_padded) const {
        const std::string name = "void kerntoll::agent::loop<kerntoll::agent::" + workload +
                                 ", (kerntoll::agent::Trap)" + (is_hollow ? "1" : "0") +
                                 ", (kerntoll::agent::Pad)" + (is_padded ? "1" : "0") + ">";
        for (const auto& [function, body] : functions) {
            if (function.starts_with(name)) {
                return loop_in(function, body);
            }
        }
        return {};
    }
};

INSTANTIATE_TEST_SUITE_P(Agent, EveryLoop, ::testing::ValuesIn(ports()),
                         [](const auto& info) { return std::string(info.param.name); });

// Instructions per op as docs/wire.md has them: what a user who knows the loop takes off a count.
TEST_P(EveryLoop, HasAsManyInstructionsAsTheDocumentSays) {
    struct Row {
        const char* workload;
        std::map<std::string, std::size_t> instructions;
    };
    const auto row = [](const char* workload, std::size_t x86_64, std::size_t arm64,
                        std::size_t riscv64, std::size_t s390x, std::size_t loongarch64) {
        return Row{workload,
                   {{"x86_64", x86_64},
                    {"arm64", arm64},
                    {"riscv64", riscv64},
                    {"s390x", s390x},
                    {"loongarch64", loongarch64}}};
    };
    for (const Row& expected : {
             row("Getpid", 4, 4, 4, 4, 4),
             row("Getppid", 4, 4, 4, 4, 4),
             row("Getpgid", 5, 5, 5, 5, 5),
             row("Mix", 15, 14, 14, 14, 14),
             row("Close", 8, 7, 7, 7, 7),
             row("Read", 4, 7, 5, 5, 5),
             row("Write", 4, 7, 5, 5, 5),
             row("Stat", 5, 6, 5, 5, 5),
             row("Fstat", 4, 6, 5, 5, 5),
             row("Open", 9, 7, 7, 7, 7),
             row("Seek", 56, 76, 71, 64, 71),
             row("Invalid", 4, 4, 4, 4, 4),
             row("Clock", 4, 6, 5, 5, 5),
             row("Empty", 2, 2, 2, 2, 2),
         }) {
        EXPECT_EQ(loop(expected.workload, false, false).size(),
                  expected.instructions.at(GetParam().name))
            << expected.workload;
    }
}

TEST_P(EveryLoop, EveryOpTrapsAsOftenAsTheTableSays) {
    const Mnemonics& is = mnemonics(GetParam());
    for (const auto& [workload, calls] : workloads) {
        for (const bool is_padded : {false, true}) {
            EXPECT_EQ(count(loop(workload, false, is_padded), is.trap), calls) << workload;
            EXPECT_EQ(count(loop(workload, true, is_padded), is.trap), 0U) << workload;
        }
    }
}

// The numbers once more, by hand from the kernel's tables: a wrong one would be measured in
// silence.
TEST_P(EveryLoop, EveryTrapHasTheNumberOfItsCall) {
    using Numbers = std::map<std::string, std::string>;
    const Numbers generic = {{"dup", "23"},        {"openat", "56"},  {"close", "57"},
                             {"lseek", "62"},      {"read", "63"},    {"write", "64"},
                             {"newfstatat", "79"}, {"fstat", "80"},   {"clock_gettime", "113"},
                             {"getpgid", "155"},   {"umask", "166"},  {"getpid", "172"},
                             {"getppid", "173"},   {"getuid", "174"}, {"invalid", "2000"}};
    const std::map<std::string, Numbers> numbers = {{"x86_64",
                                                     {{"read", "0"},
                                                      {"write", "1"},
                                                      {"close", "3"},
                                                      {"fstat", "5"},
                                                      {"lseek", "8"},
                                                      {"dup", "32"},
                                                      {"getpid", "39"},
                                                      {"umask", "95"},
                                                      {"getuid", "102"},
                                                      {"getppid", "110"},
                                                      {"getpgid", "121"},
                                                      {"clock_gettime", "228"},
                                                      {"openat", "257"},
                                                      {"newfstatat", "262"},
                                                      {"invalid", "2000"}}},
                                                    {"s390x",
                                                     {{"read", "3"},
                                                      {"write", "4"},
                                                      {"close", "6"},
                                                      {"lseek", "19"},
                                                      {"getpid", "20"},
                                                      {"dup", "41"},
                                                      {"umask", "60"},
                                                      {"getppid", "64"},
                                                      {"fstat", "108"},
                                                      {"getpgid", "132"},
                                                      {"getuid", "199"},
                                                      {"clock_gettime", "260"},
                                                      {"openat", "288"},
                                                      {"newfstatat", "293"},
                                                      {"invalid", "2000"}}},
                                                    {"arm64", generic},
                                                    {"riscv64", generic},
                                                    {"loongarch64", generic}};
    const std::map<std::string, std::regex> loads = {
        {"x86_64", std::regex("(?:movl\\s+\\$([0-9]+)|xorl\\s+%eax), %eax.*")},
        {"arm64", std::regex("mov\\s+x8, #([0-9]+).*")},
        {"riscv64", std::regex("li\\s+a7, ([0-9]+)")},
        {"s390x", std::regex("lghi\\s+%r1, ([0-9]+)")},
        {"loongarch64", std::regex("(?:ori|addi\\.w)\\s+\\$a7, \\$zero, ([0-9]+)")}};
    const std::string seek = "lseek";
    const std::map<std::string, std::vector<std::string>> sequences = {
        {"Getpid", {"getpid"}},
        {"Getppid", {"getppid"}},
        {"Getpgid", {"getpgid"}},
        {"Mix", {"dup", "close", "getpid", "getuid", "umask"}},
        {"Close", {"dup", "close"}},
        {"Read", {"read"}},
        {"Write", {"write"}},
        {"Stat", {"newfstatat"}},
        {"Fstat", {"fstat"}},
        {"Open", {"openat", "close"}},
        {"Seek",
         {seek, "write", seek, "read", seek, seek, seek, seek, seek, seek, seek, seek, seek, seek}},
        {"Invalid", {"invalid"}},
        {"Clock", {"clock_gettime"}},
        {"Empty", {}}};

    const std::string port = GetParam().name;
    for (const auto& [workload, calls] : sequences) {
        std::vector<std::string> expected;
        for (const std::string& call : calls) {
            expected.push_back(numbers.at(port).at(call));
        }
        std::vector<std::string> found;
        std::string number;
        for (const Instruction& instruction : loop(workload, false, false)) {
            std::smatch match;
            if (std::regex_match(instruction.text, match, loads.at(port))) {
                number = match[1].matched ? match[1].str() : "0";
            } else if (std::regex_match(instruction.text, mnemonics(GetParam()).trap)) {
                found.push_back(std::exchange(number, ""));
            }
        }
        EXPECT_EQ(found, expected) << workload;
    }
}

TEST_P(EveryLoop, HollowDiffersFromRealInTheTrapAlone) {
    const Mnemonics& is = mnemonics(GetParam());
    for (const auto& [workload, calls] : workloads) {
        for (const bool is_padded : {false, true}) {
            const Function real = loop(workload, false, is_padded);
            const Function hollow = loop(workload, true, is_padded);
            ASSERT_GE(real.size(), 2U) << workload;
            ASSERT_EQ(real.size(), hollow.size()) << workload;
            for (std::size_t i = 0; i < real.size(); ++i) {
                EXPECT_EQ(real[i].address - real[0].address, hollow[i].address - hollow[0].address)
                    << workload << ": " << real[i].text;
                if (std::regex_match(real[i].text, is.trap)) {
                    EXPECT_TRUE(std::regex_match(hollow[i].text, is.no_op)) << hollow[i].text;
                } else if (i + 1 < real.size()) {  // the last is the branch to its own loop
                    EXPECT_EQ(real[i].text, hollow[i].text) << workload;
                }
            }
        }
    }
}

TEST_P(EveryLoop, BeginsAtACacheLine) {
    for (const auto& [workload, calls] : workloads) {
        for (const bool is_hollow : {false, true}) {
            for (const bool is_padded : {false, true}) {
                const Function found = loop(workload, is_hollow, is_padded);
                ASSERT_FALSE(found.empty()) << workload;
                EXPECT_EQ(found[0].address % 64, 0U) << workload;
            }
        }
    }
}

TEST_P(EveryLoop, PadAddsOneCallAndWhatTheSledHolds) {
    const Mnemonics& is = mnemonics(GetParam());
    for (const auto& [workload, calls] : workloads) {
        const Function plain = loop(workload, false, false);
        const Function padded = loop(workload, false, true);
        EXPECT_EQ(padded.size(), plain.size() + 1) << workload;
        EXPECT_EQ(count(padded, is.call), 1U) << workload;
        EXPECT_EQ(count(plain, is.call), 0U) << workload;
    }
    const Function& sled = functions["kerntoll_agent_sled"];
    EXPECT_EQ(count(sled, is.pad), 1024U);
    // One return behind it, in the same function or, where the disassembler sees the label of the
    // end, in a function of its own.
    const Function& end = functions["kerntoll_agent_sled_end"];
    EXPECT_EQ(sled.size() + end.size(), 1025U);
}

}  // namespace
}  // namespace kerntoll::agent
