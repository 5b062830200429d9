// SPDX-License-Identifier: MIT
// What the linker made: small, static, and no memory that is both writable and executable.
#include <elf.h>
#include <gmock/gmock.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/agent/agent_process.hpp"

namespace kerntoll::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A 64-bit ELF file of either byte order.
class Elf {
public:
    explicit Elf(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] bool is_elf64() const {
        return bytes_.size() > sizeof(Elf64_Ehdr) && bytes_.starts_with(ELFMAG) &&
               bytes_[EI_CLASS] == ELFCLASS64;
    }
    [[nodiscard]] Elf64_Ehdr header() const {
        auto header = copied<Elf64_Ehdr>(0);
        for (auto* field :
             {&header.e_type, &header.e_machine, &header.e_phnum, &header.e_phentsize}) {
            *field = in_our_order(*field);
        }
        header.e_phoff = in_our_order(header.e_phoff);
        header.e_entry = in_our_order(header.e_entry);
        return header;
    }
    [[nodiscard]] std::vector<Elf64_Phdr> segments() const {
        const Elf64_Ehdr file = header();
        std::vector<Elf64_Phdr> found;
        for (std::size_t i = 0; i < file.e_phnum; ++i) {
            auto segment = copied<Elf64_Phdr>(file.e_phoff + i * sizeof(Elf64_Phdr));
            segment.p_type = in_our_order(segment.p_type);
            segment.p_flags = in_our_order(segment.p_flags);
            segment.p_vaddr = in_our_order(segment.p_vaddr);
            segment.p_memsz = in_our_order(segment.p_memsz);
            found.push_back(segment);
        }
        return found;
    }

private:
    template <class T>
    [[nodiscard]] T copied(std::size_t offset) const {
        T value{};
        if (offset + sizeof value <= bytes_.size()) {
            std::memcpy(&value, bytes_.data() + offset, sizeof value);
        }
        return value;
    }
    template <std::unsigned_integral Number>
    [[nodiscard]] Number in_our_order(Number value) const {
        const bool is_big = bytes_[EI_DATA] == ELFDATA2MSB;
        return is_big == (std::endian::native == std::endian::big) ? value : std::byteswap(value);
    }

    std::string bytes_;
};

class EveryProgram : public ::testing::TestWithParam<Port> {
protected:
    Elf elf{agent_program(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Agent, EveryProgram, ::testing::ValuesIn(ports()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(EveryProgram, IsSmallerThan64KiB) {
    ASSERT_TRUE(elf.is_elf64());
    EXPECT_LT(elf.bytes().size(), 64U * 1024);
}

TEST_P(EveryProgram, IsForItsArchitecture) {
    ASSERT_TRUE(elf.is_elf64());
    constexpr unsigned loongarch = 258;  // EM_LOONGARCH, younger than Debian 12's elf.h
    const std::map<std::string, unsigned> machines = {{"x86_64", EM_X86_64},
                                                      {"arm64", EM_AARCH64},
                                                      {"riscv64", EM_RISCV},
                                                      {"s390x", EM_S390},
                                                      {"loongarch64", loongarch}};
    EXPECT_EQ(elf.header().e_machine, machines.at(GetParam().name));
}

TEST_P(EveryProgram, NeedsNothingAndRunsNothingBeforeItsEntry) {
    ASSERT_TRUE(elf.is_elf64());
    EXPECT_EQ(elf.header().e_type, ET_EXEC);
    for (const Elf64_Phdr& segment : elf.segments()) {
        EXPECT_NE(segment.p_type, Elf64_Word{PT_INTERP});
        EXPECT_NE(segment.p_type, Elf64_Word{PT_DYNAMIC});
        EXPECT_NE(segment.p_type, Elf64_Word{PT_TLS});
    }
    EXPECT_THAT(elf.bytes(), Not(HasSubstr(".init_array")));
}

TEST_P(EveryProgram, HasNoMemoryThatIsWritableAndExecutable) {
    ASSERT_TRUE(elf.is_elf64());
    bool has_stack_header = false;
    unsigned executable = 0;
    for (const Elf64_Phdr& segment : elf.segments()) {
        EXPECT_NE(segment.p_flags & (PF_W | PF_X), unsigned{PF_W | PF_X});
        if (segment.p_type == PT_GNU_STACK) {
            has_stack_header = true;
            EXPECT_EQ(segment.p_flags & PF_X, 0U);
        }
        executable += segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 ? 1U : 0U;
    }
    EXPECT_TRUE(has_stack_header) << "without it the stack is executable";
    EXPECT_EQ(executable, 1U);
}

// arm64 and loongarch64 kernels may have pages of 64 KiB: two segments in one page would have to
// share their rights.
TEST_P(EveryProgram, HasSegmentsThatShareNoPageOf64KiB) {
    constexpr std::uint64_t page = 64 * 1024;
    std::uint64_t first_free = 0;
    for (const Elf64_Phdr& segment : elf.segments()) {
        if (segment.p_type == PT_LOAD) {
            EXPECT_GE(segment.p_vaddr / page, first_free);
            first_free = (segment.p_vaddr + segment.p_memsz - 1) / page + 1;
        }
    }
    EXPECT_GT(first_free, 0U);
}

}  // namespace
}  // namespace kerntoll::agent
