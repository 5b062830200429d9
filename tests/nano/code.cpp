// SPDX-License-Identifier: MIT
#include "code.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <fstream>
#include <ostream>
#include <set>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"

namespace kerntoll::nano_test {

namespace {

using namespace std::chrono_literals;

/// What a tool prints, line by line.
std::vector<std::string> lines_of(const std::vector<std::string>& argv) {
    const lab::Fd output(memfd_create("tool", 0));
    lab::SpawnPlan plan;
    plan.argv = argv;
    plan.standard_output = output.get();
    auto tool = lab::Subprocess::spawn(plan);
    if (!tool) {
        ADD_FAILURE() << tool.error().message;
        return {};
    }
    const auto status = tool->wait(60s);
    EXPECT_TRUE(status && *status && (*status)->code == 0) << argv.front();
    std::ifstream file("/proc/self/fd/" + std::to_string(output.get()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::optional<uint64_t> hexadecimal(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(value)
                                                                        : std::nullopt;
}

bool starts_with_one_of(std::string_view word, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](std::string_view begin) { return word.starts_with(begin); });
}
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

/// Whether an instruction that names an address goes there, and does not load or compute it.
bool goes_there(std::string_view arch, std::string_view mnemonic) {
    if (arch == "x86_64") {
        return starts_with_one_of(mnemonic, {"j", "call"});
    }
    if (arch == "arm64") {
        return is_one_of(mnemonic, {"b", "bl", "cbz", "cbnz", "tbz", "tbnz"}) ||
               mnemonic.starts_with("b.");
    }
    if (arch == "s390x") {
        return !mnemonic.ends_with("rl") && mnemonic != "lgfi";  // larl, lgrl, strl, exrl, …
    }
    return starts_with_one_of(mnemonic, {"b", "j", "tail"});
}

/// Whether an instruction without an address goes to one that it takes from a register or memory.
bool goes_anywhere(std::string_view arch, std::string_view mnemonic, std::string_view operands) {
    if (arch == "x86_64") {
        return starts_with_one_of(mnemonic, {"j", "call"}) && operands.starts_with('*');
    }
    if (arch == "arm64") {
        return starts_with_one_of(mnemonic, {"blr", "br"}) && mnemonic != "brk";
    }
    if (arch == "s390x") {
        return is_one_of(mnemonic, {"basr", "bassm"}) ||
               (mnemonic.starts_with('b') && mnemonic.ends_with('r') &&
                operands.starts_with("%r") && operands != "%r14");
    }
    return is_one_of(mnemonic, {"jr", "jalr", "jirl"});
}

/// The words of an operand list, a register by the same name however wide it is used.
std::vector<std::string> words_of(std::string_view arch, std::string_view operands) {
    std::vector<std::string> words(1);
    for (const char letter : operands) {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            words.back() += letter;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    std::erase(words, "");
    for (std::string& word : words) {
        if (arch == "arm64" && word.front() == 'w') {
            word.front() = 'x';
        } else if (arch == "x86_64" && word.front() == 'e') {
            word.front() = 'r';
        } else if (arch == "x86_64" && word.front() == 'r' && word.ends_with('d')) {
            word.pop_back();
        }
    }
    return words;
}

/// Whether the old value of its destination plays no part in what an instruction gives.
bool only_writes(std::string_view arch, std::string_view mnemonic) {
    if (arch == "x86_64") {
        return starts_with_one_of(mnemonic, {"mov", "lea"});
    }
    return arch != "s390x" || starts_with_one_of(mnemonic, {"l", "sllg", "srlg"});
}

}  // namespace

void PrintTo(const Edge& edge, std::ostream* out) {
    *out << edge.from << " → " << edge.to << " at " << std::hex << edge.at;
}

EntryCode EntryCode::of(const std::string& image, std::string_view arch) {
    EntryCode code;
    std::map<std::string, uint64_t> addresses;
    for (const std::string& line : lines_of({"llvm-nm-19", "--defined-only", image})) {
        const auto address = hexadecimal(std::string_view(line).substr(0, 16));
        const std::string name = line.substr(std::min<size_t>(line.size(), 19));
        if (!address || name.empty()) {
            continue;
        }
        if (!addresses.emplace(name, *address).second) {
            addresses[name] = 0;  // two local ones, and a label says not which
        }
        const bool is_code = std::string_view("TtWw").contains(line[17]);
        if (is_code && !starts_with_one_of(name, {"$", ".", "__kerntoll"})) {
            code.names_[*address] = name;
        }
    }
    code.start_ = addresses["__kerntoll_entry_text_start"];
    code.slow_ = addresses["__kerntoll_entry_slow_start"];
    code.end_ = addresses["__kerntoll_entry_text_end"];
    EXPECT_LT(code.start_, code.slow_) << image << " has no marks of kerntoll/entry/text.ld";

    std::vector<std::string> argv = {"llvm-objdump-19", "-d", "--no-show-raw-insn"};
    // The images do not say what they use of it.
    if (arch == "s390x") {
        argv.emplace_back("--mcpu=z13");
    } else if (arch == "riscv64") {
        argv.emplace_back("--mattr=+a");
    }
    argv.push_back("--start-address=" + std::to_string(code.start_));
    argv.push_back("--stop-address=" + std::to_string(code.end_));
    argv.push_back(image);
    std::string unknown;
    for (const std::string& line : lines_of(argv)) {
        const size_t colon = line.find(':');
        const size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const auto address =
            hexadecimal(std::string_view(line).substr(indent, colon - std::min(indent, colon)));
        const size_t first = line.find_first_not_of(" \t", colon + 1);
        if (!address || first == std::string::npos) {
            continue;
        }
        Instruction one{.address = *address,
                        .mnemonic = {},
                        .operands = {},
                        .target = {},
                        .is_indirect = false};
        const size_t tab = line.find_first_of(" \t", first);
        one.mnemonic = line.substr(first, tab - first);
        if (one.mnemonic == "<unknown>") {
            unknown =
                code.function_at(one.address);  // zeros between functions, unless code follows
            continue;
        }
        EXPECT_NE(unknown, code.function_at(one.address)) << "unknown instruction before " << line;
        if (const size_t rest = line.find_first_not_of(" \t", tab); rest != std::string::npos) {
            one.operands = line.substr(rest);
        }
        // The target is a label with an offset, "<name+0x10>", or, for s390x, the last operand.
        const size_t open = one.operands.rfind('<');
        if (goes_there(arch, one.mnemonic) && open != std::string::npos) {
            const std::string label =
                one.operands.substr(open + 1, one.operands.rfind('>') - open - 1);
            const size_t plus = label.rfind("+0x");
            const auto found = addresses.find(label.substr(0, plus));
            if (found == addresses.end() || found->second == 0) {
                ADD_FAILURE() << "not known which " << label << " is meant: " << line;
            } else {
                one.target =
                    found->second + (plus == std::string::npos
                                         ? 0
                                         : *hexadecimal(std::string_view(label).substr(plus + 3)));
            }
        } else if (const size_t hex = one.operands.rfind("0x");
                   goes_there(arch, one.mnemonic) && hex != std::string::npos && arch == "s390x") {
            one.target = hexadecimal(std::string_view(one.operands).substr(hex + 2));
        }
        one.is_indirect = !one.target && goes_anywhere(arch, one.mnemonic, one.operands);
        code.functions_[code.function_at(one.address)].push_back(one);
    }
    EXPECT_FALSE(code.functions_.empty()) << image;
    return code;
}

std::string EntryCode::function_at(uint64_t address) const {
    const auto behind = names_.upper_bound(address);
    if (behind == names_.begin()) {
        return "nothing";
    }
    const std::string& name = std::prev(behind)->second;
    return name.substr(0, name.find(".cold"));
}

const std::vector<Instruction>* EntryCode::find(std::string_view words) const {
    if (const auto exact = functions_.find(std::string(words)); exact != functions_.end()) {
        return &exact->second;
    }
    const std::vector<Instruction>* found = nullptr;
    for (const auto& [name, code] : functions_) {
        if (name.contains(words)) {
            EXPECT_EQ(found, nullptr) << "more than one function is called " << words;
            found = &code;
        }
    }
    return found;
}

std::vector<Edge> EntryCode::edges() const {
    std::vector<Edge> edges;
    for (const auto& [name, code] : functions_) {
        for (const Instruction& one : code) {
            if (one.target) {
                if (const std::string to = function_at(*one.target); to != name) {
                    edges.push_back({name, to, one.address});
                }
            }
        }
    }
    return edges;
}

std::vector<Edge> EntryCode::edges_from(std::string_view words) const {
    std::vector<Edge> some = edges();
    std::erase_if(some, [&](const Edge& edge) { return !edge.from.contains(words); });
    return some;
}

Part EntryCode::part_of(const std::string& function) const {
    for (const auto& [address, name] : names_) {
        if (name == function) {
            return address < start_ || address >= end_ ? Part::outside
                   : address < slow_                   ? Part::path
                                                       : Part::slow;
        }
    }
    return Part::outside;
}

bool depends_on(std::string_view arch, std::span<const Instruction> code) {
    std::set<std::string> tracked;  // registers
    for (const Instruction& one : code) {
        std::vector<std::string> words = words_of(arch, one.operands);
        const bool is_last = &one == &code.back();
        const bool is_store =
            starts_with_one_of(one.mnemonic, {"st", "sd", "sw", "sb"}) && one.mnemonic != "sbbq";
        const bool writes_memory = arch == "x86_64" ? one.operands.ends_with(')') : is_store;
        if (!is_last &&
            (words.empty() || one.target || writes_memory || one.mnemonic.starts_with("cmp"))) {
            continue;
        }
        if (arch == "x86_64") {
            std::ranges::reverse(words);
        }
        const auto uses = [&](const std::string& word) { return tracked.contains(word); };
        if (is_last) {
            return std::ranges::any_of(words, uses);
        }
        const std::string written = words.front();
        if (only_writes(arch, one.mnemonic)) {
            words.erase(words.begin());
        }
        if (&one == &code.front() || std::ranges::any_of(words, uses)) {
            tracked.insert(written);
        } else if (only_writes(arch, one.mnemonic)) {
            tracked.erase(written);
        }
    }
    return false;
}

int count_indirect(const std::vector<Instruction>& code) {
    return static_cast<int>(std::ranges::count_if(code, &Instruction::is_indirect));
}

}  // namespace kerntoll::nano_test
