// SPDX-License-Identifier: MIT
// Symbols, inlined functions and lines of real ELF files: inlined.c, built for several machines.
#include "lab/path/symbols_elf.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lab/path/symbols.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;
using Names = std::vector<std::string>;

std::filesystem::path program(const std::string& arch) {
    return std::filesystem::path(KERNTOLL_TEST_ELFS) / arch;
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// "tests/path/inlined.c:11" for the line of inlined.c that ends in this comment.
std::string line_of(const std::string& comment) {
    std::istringstream lines(bytes_of(KERNTOLL_TEST_SOURCE));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.ends_with("/* " + comment + " */")) {
            return "tests/path/inlined.c:" + std::to_string(number);
        }
    }
    return "no such line";
}

/// The sources of a function's addresses, by what is inlined there.
std::map<Names, std::set<std::string>> inlined_in(const Symbols& symbols, std::string_view name) {
    std::map<Names, std::set<std::string>> found;
    const Function* function = symbols.find(name);
    if (function == nullptr) {
        return found;
    }
    for (std::uint64_t address = function->start; address < function->end; ++address) {
        const auto place = symbols.at(address);
        if (place) {
            EXPECT_EQ(place->function, function);
            found[place->inlined].insert(place->source);
        }
    }
    return found;
}

class ElfSymbols : public testing::TestWithParam<std::string> {
protected:
    Result<Symbols> read_ = Symbols::read(program(GetParam()));
    void SetUp() override { ASSERT_TRUE(read_) << read_.error().message; }
};

INSTANTIATE_TEST_SUITE_P(Machines, ElfSymbols, testing::Values("x86_64", "riscv64", "s390x"),
                         [](const auto& each) { return each.param; });

TEST_P(ElfSymbols, AreFunctionsAndLabelsInCode) {
    Names names;
    for (const Function& function : read_->functions()) {
        names.push_back(function.name);
    }
    EXPECT_THAT(names, UnorderedElementsAre("outer", "plain", "_start", "sized", "sized_inner",
                                            "stub", "stub_middle", "stub_alias"));
}

TEST_P(ElfSymbols, DoNotOverlap) {
    std::uint64_t end = 0;
    for (const Function& function : read_->functions()) {
        EXPECT_LE(end, function.start) << function.name;
        EXPECT_LT(function.start, function.end) << function.name;
        end = function.end;
    }
}

TEST_P(ElfSymbols, LabelReachesToTheNextSymbolOrToTheEndOfItsSection) {
    for (const std::string_view label : {"stub", "stub_middle", "stub_alias"}) {
        const Function* function = read_->find(label);
        ASSERT_NE(function, nullptr);
        EXPECT_EQ(function->end - function->start, 16U) << label;
    }
    EXPECT_FALSE(read_->at(read_->find("stub_middle")->end)) << "data";
    EXPECT_FALSE(read_->at(read_->find("stub_alias")->end)) << "the end of the section";
}

TEST_P(ElfSymbols, FunctionEndsWhereItsSizeSaysAndIsSplitByLabelsInIt) {
    const Function* sized = read_->find("sized");
    const Function* inner = read_->find("sized_inner");
    ASSERT_TRUE(sized != nullptr && inner != nullptr);
    EXPECT_EQ(sized->end, sized->start + 8);
    EXPECT_EQ(inner->start, sized->start + 8);
    EXPECT_EQ(inner->end, sized->start + 16);
    EXPECT_FALSE(read_->at(sized->start + 16));
}

TEST_P(ElfSymbols, BuildIdIsInHexadecimalDigits) {
    EXPECT_EQ(read_->build_id(), "0123456789abcdef");
}

TEST_P(ElfSymbols, InlinedFramesAreNamedFromTheOutermost) {
    const auto found = inlined_in(*read_, "outer");
    EXPECT_THAT(found, UnorderedElementsAre(Key(IsEmpty()), Key(ElementsAre("middle")),
                                            Key(ElementsAre("middle", "innermost"))));
}

TEST_P(ElfSymbols, LineIsThatOfTheInnermostFrame) {
    auto found = inlined_in(*read_, "outer");
    EXPECT_THAT(found[{}], Contains(line_of("outer's line")));
    EXPECT_THAT(found[{}], Not(Contains(line_of("middle's line"))));
    EXPECT_THAT((found[{"middle"}]), ElementsAre(line_of("middle's line")));
    EXPECT_THAT((found[{"middle", "innermost"}]), ElementsAre(line_of("innermost's line")));
}

TEST_P(ElfSymbols, NothingIsInlinedIntoAPlainFunction) {
    auto found = inlined_in(*read_, "plain");
    EXPECT_EQ(found.size(), 1U);
    EXPECT_THAT(found[{}], Contains(line_of("plain's line")));
}

TEST_P(ElfSymbols, AssemblyHasNoFrames) {
    const auto found = inlined_in(*read_, "stub_middle");
    EXPECT_EQ(found.size(), 1U);
    EXPECT_TRUE(found.contains({}));
}

TEST_P(ElfSymbols, SlideMovesDebugInformationToo) {
    const auto before = inlined_in(*read_, "outer");
    const std::uint64_t start = read_->find("outer")->start;
    const std::uint64_t size = read_->find("outer")->end - start;
    read_->slide(0x3ffe0000000);
    std::map<Names, std::set<std::string>> after;
    for (std::uint64_t i = 0; i < size; ++i) {
        const auto place = read_->at(0x3ffe0000000 + start + i);
        ASSERT_TRUE(place);
        after[place->inlined].insert(place->source);
    }
    EXPECT_EQ(before, after);
}

TEST_P(ElfSymbols, OfBytesAreThoseOfTheFile) {
    const auto parsed = [&] {
        const std::string bytes = bytes_of(program(GetParam()));
        return Symbols::parse(bytes, "given");  // keeps a copy: the bytes are gone afterwards
    }();
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(inlined_in(*parsed, "outer"), inlined_in(*read_, "outer"));
    EXPECT_EQ(parsed->build_id(), read_->build_id());
}

class UnusualDebugInformation : public testing::Test {
protected:
    [[nodiscard]] Place at(std::string_view function, std::uint64_t offset) const {
        const Function* found = read_->find(function);
        return read_->at(found->start + offset).value();
    }
    Result<Symbols> read_ = Symbols::read(program("quirks"));
    void SetUp() override { ASSERT_TRUE(read_) << read_.error().message; }
};

TEST_F(UnusualDebugInformation, MayListFunctionsInAnyOrder) {
    EXPECT_THAT(at("first", 0).inlined, ElementsAre("inner"));
    EXPECT_THAT(at("first", 4).inlined, IsEmpty());
    EXPECT_THAT(at("second", 0).inlined, Not(IsEmpty()));
}

TEST_F(UnusualDebugInformation, MayLackRangesOfAFrameAroundAnother) {
    EXPECT_THAT(at("second", 3).inlined, ElementsAre("outer", "inner"));
    EXPECT_THAT(at("second", 4).inlined, IsEmpty());
}

TEST_F(UnusualDebugInformation, MayHaveCodeOfNoLine) {
    EXPECT_EQ(at("first", 0).source, "near.c:10");
    EXPECT_EQ(at("first", 4).source, "");
}

TEST_F(UnusualDebugInformation, NamesAFileByTheShorterWayToIt) {
    EXPECT_EQ(at("second", 0).source, "near.c:20");
    EXPECT_EQ(at("second", 4).source, "/include/far.h:30");
}

TEST_F(UnusualDebugInformation, IsThatOfAKernelWithoutBuildId) {
    EXPECT_EQ(read_->build_id(), "");
}

TEST(ObjectFile, IsRefused) {
    const auto symbols = Symbols::read(program("x86_64.o"));
    ASSERT_FALSE(symbols);
    EXPECT_EQ(symbols.error().fault, Fault::usage);
    EXPECT_THAT(symbols.error().message, HasSubstr("is an object file or kernel module"));
}

/// Asks for everything that the symbols know.
void ask_all(const Symbols& symbols) {
    for (const Function& function : symbols.functions()) {
        const std::uint64_t end = std::min(function.end, function.start + 64);
        for (std::uint64_t address = function.start; address < end; ++address) {
            EXPECT_TRUE(symbols.at(address));
        }
    }
}

TEST(DamagedElf, CutShortAnywhereIsRefusedOrRead) {
    const std::string whole = bytes_of(program("x86_64"));
    ASSERT_GT(whole.size(), 1000U);
    std::size_t refused = 0;
    for (std::size_t size = 4; size < whole.size(); size += 61) {
        const auto symbols = Symbols::parse(std::string_view(whole).substr(0, size), "given");
        if (symbols) {
            ask_all(*symbols);
        } else {
            ++refused;
            EXPECT_THAT(symbols.error().message, HasSubstr("\"given\" "));
            EXPECT_THAT(symbols.error().message, HasSubstr("expected a kernel's System.map"));
        }
    }
    EXPECT_GT(refused, 0U);
}

TEST(DamagedElf, OverwrittenAnywhereIsRefusedOrRead) {
    for (const char* arch : {"x86_64", "riscv64", "s390x"}) {
        const std::string whole = bytes_of(program(arch));
        ASSERT_GT(whole.size(), 1000U);
        std::uint32_t random = 1;  // the same damage in every run
        for (int i = 0; i < 1500; ++i) {
            std::string bytes = whole;
            for (int flips = 0; flips < 4; ++flips) {
                random = random * 1664525U + 1013904223U;
                bytes[(random >> 8U) % bytes.size()] = static_cast<char>(random >> 3U);
            }
            const auto symbols = Symbols::parse(bytes, "given");
            if (symbols) {
                ask_all(*symbols);
            } else {
                EXPECT_THAT(symbols.error().message, HasSubstr("\"given\" "));
            }
        }
    }
}

TEST(SymbolElf, SectionsAndLabelsTellTheImagesSizeEachInItsWay) {
    const auto symbols = Symbols::read(program("bounds"));
    ASSERT_TRUE(symbols) << symbols.error().message;
    const store::ImageSizes& image = symbols->image();
    ASSERT_TRUE(image.sections);
    EXPECT_EQ(image.sections->text, 2U);
    EXPECT_EQ(image.sections->rodata, 16U);  // the linker puts .rodata.more into it
    ASSERT_TRUE(image.labels);
    EXPECT_EQ(image.labels->text, 16U);
    EXPECT_EQ(image.labels->rodata, 16U);
}

TEST(SymbolElf, AllFunctionsAddUpByTheirSizes) {
    const int file = open(program("bounds").c_str(), O_RDONLY | O_CLOEXEC);
    const auto elf = ElfFile::map(Fd(file));
    ASSERT_TRUE(elf);
    EXPECT_EQ(elf->code_bytes(), 2U + 65536U);  // body and the vectors; no label, no filling
}

TEST(SymbolElf, TheArrayThatVectorsAreCopiedIntoIsCodeToItsEnd) {
    const auto symbols = Symbols::read(program("bounds"));
    ASSERT_TRUE(symbols) << symbols.error().message;
    const Function* vectors = symbols->find("exception_handlers");
    ASSERT_NE(vectors, nullptr);
    EXPECT_EQ(vectors->end - vectors->start, 65536U);
    EXPECT_EQ(symbols->find("other_data"), nullptr);
}

TEST(SymbolElf, AnImagesSizeIsNotKnownWithoutReadOnlyData) {
    const auto symbols = Symbols::read(program("x86_64"));
    ASSERT_TRUE(symbols) << symbols.error().message;
    EXPECT_FALSE(symbols->image().sections);
    EXPECT_FALSE(symbols->image().labels);
}

}  // namespace
}  // namespace kerntoll::lab::path
