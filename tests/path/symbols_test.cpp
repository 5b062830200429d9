// SPDX-License-Identifier: MIT
// Symbols as text, what is made of them, and what is none.
#include "lab/path/symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;

Symbols parsed(std::string_view text) {
    auto symbols = Symbols::parse(text, "given");
    EXPECT_TRUE(symbols.has_value()) << symbols.error().message;
    return *std::move(symbols);
}

std::vector<std::string> names(const Symbols& symbols) {
    std::vector<std::string> result;
    for (const Function& function : symbols.functions()) {
        result.push_back(function.name);
    }
    return result;
}

std::string name_at(const Symbols& symbols, std::uint64_t address) {
    const auto place = symbols.at(address);
    return place ? place->function->name : "nothing";
}

std::string complaint(std::string_view bytes) {
    const auto symbols = Symbols::parse(bytes, "given");
    if (symbols) {
        return "taken";
    }
    EXPECT_EQ(symbols.error().fault, Fault::usage);
    return symbols.error().message;
}

TEST(SymbolText, FunctionReachesToTheNextSymbol) {
    const Symbols symbols = parsed(
        "ffffffff81000000 T first\n"
        "ffffffff81000010 t second\n"
        "ffffffff81000030 D data\n");
    EXPECT_EQ(name_at(symbols, 0xffffffff80ffffff), "nothing");
    EXPECT_EQ(name_at(symbols, 0xffffffff81000000), "first");
    EXPECT_EQ(name_at(symbols, 0xffffffff8100000f), "first");
    EXPECT_EQ(name_at(symbols, 0xffffffff81000010), "second");
    EXPECT_EQ(name_at(symbols, 0xffffffff8100002f), "second");
    EXPECT_EQ(name_at(symbols, 0xffffffff81000030), "nothing");
}

TEST(SymbolText, LastFunctionDoesNotReachToTheEndOfMemory) {
    const Symbols symbols = parsed("ffffffff81000000 T last\n");
    EXPECT_EQ(name_at(symbols, 0xffffffff81000fff), "last");
    EXPECT_EQ(name_at(symbols, 0xffffffff81001000), "nothing");
    EXPECT_EQ(name_at(parsed("fffffffffffffff0 T last\n"), 0xfffffffffffffffe), "last");
}

TEST(SymbolText, OnlyLettersOfCodeAreFunctions) {
    const Symbols symbols = parsed(
        "0000000000000020 A an_absolute_number\n"
        "0000000000000040 D per_cpu_data\n"
        "ffffffff81000000 T global_code\n"
        "ffffffff81000010 t local_code\n"
        "ffffffff81000020 W weak_code\n"
        "ffffffff81000030 w weak_local_code\n"
        "ffffffff81000040 R constant\n"
        "ffffffff81000050 d data\n"
        "ffffffff81000060 V weak_object\n"
        "ffffffff81000070 B zeros\n"
        "ffffffff81000080 ? unknown\n");
    EXPECT_THAT(names(symbols),
                ElementsAre("global_code", "local_code", "weak_code", "weak_local_code"));
}

TEST(SymbolText, AbsoluteNumberEndsNoFunction) {
    // s390x links its text low enough for such numbers to fall into it.
    const Symbols symbols = parsed(
        "0000000000100000 T function\n"
        "0000000000100008 A a_number\n"
        "0000000000100010 T next\n");
    EXPECT_EQ(name_at(symbols, 0x10000c), "function");
}

TEST(SymbolText, OrderDoesNotMatter) {
    // kallsyms lists modules one after the other, wherever they were loaded.
    const Symbols symbols = parsed(
        "ffffffffc0400000 t late\t[module_b]\n"
        "ffffffffc0000000 t early\t[module_a]\n"
        "ffffffff81000000 T kernel\n");
    EXPECT_THAT(names(symbols), ElementsAre("kernel", "early", "late"));
    EXPECT_EQ(name_at(symbols, 0xffffffffc0000010), "early");
}

TEST(SymbolText, LinesMayEndAsThoseOfOtherSystemsDo) {
    EXPECT_THAT(names(parsed("1000 T one\r\n2000 T two\r\n")), ElementsAre("one", "two"));
}

TEST(SymbolText, LastLineNeedsNoEnd) {
    EXPECT_THAT(names(parsed("1000 T one\n2000 T two")), ElementsAre("one", "two"));
}

struct Rivals {
    std::string name;
    std::string better;
    std::string worse;
};

class SharedAddress : public testing::TestWithParam<Rivals> {};

TEST_P(SharedAddress, GoesByTheNameThatReadsBest) {
    const auto& [_, better, worse] = GetParam();
    const std::string address = "ffffffff81000000 ";
    EXPECT_THAT(names(parsed(address + better + "\n" + address + worse + "\n")),
                ElementsAre(better.substr(2)));
    EXPECT_THAT(names(parsed(address + worse + "\n" + address + better + "\n")),
                ElementsAre(better.substr(2)));
}

INSTANTIATE_TEST_SUITE_P(
    Names, SharedAddress,
    testing::Values(Rivals{"global_before_local", "T __x64_sys_sync", "t __do_sys_sync"},
                    Rivals{"local_before_weak_alias", "t cpu_show_not_affected", "W cpu_show_gds"},
                    Rivals{"global_before_weak_alias", "T sys_ni_syscall", "W sys_bpf"},
                    Rivals{"code_before_data", "t code", "D data"},
                    Rivals{"not_the_padding", "t a_local", "T __pfx_a_global"},
                    Rivals{"not_the_type_hash", "t a_local", "T __cfi_a_global"},
                    Rivals{"not_the_early_copy", "t a_local", "T __pi_a_global"},
                    Rivals{"not_the_cold_part", "t a_local", "T a_global.cold"},
                    Rivals{"not_the_mark_of_text", "t pvh_start_xen", "T _stext"},
                    Rivals{"not_the_mark_of_start", "t set_up", "T __irqentry_text_start"},
                    Rivals{"not_the_mark_of_end", "t rest_init", "T __noinstr_text_end"},
                    Rivals{"fewer_underscores", "T do_sys_setfsgid", "T __se_setfsgid"},
                    Rivals{"shorter", "T ret_from_fork", "T ret_from_exception_end"},
                    Rivals{"always_the_same", "T abc", "T abd"}),
    [](const auto& each) { return each.param.name; });

TEST(SymbolText, FunctionIsFoundByEveryNameOfItsAddress) {
    const Symbols symbols = parsed(
        "ffffffff81000000 T _stext\n"
        "ffffffff81000000 T startup\n"
        "ffffffff81000000 D data\n"
        "ffffffff81000100 t later\n");
    ASSERT_NE(symbols.find("_stext"), nullptr);
    EXPECT_EQ(symbols.find("_stext"), symbols.find("startup"));
    EXPECT_EQ(symbols.find("startup")->name, "startup");
    EXPECT_EQ(symbols.find("later")->start, 0xffffffff81000100);
    EXPECT_EQ(symbols.find("data"), nullptr);
    EXPECT_EQ(symbols.find("absent"), nullptr);
}

TEST(SymbolText, FirstOfEqualNamesIsFound) {
    const Symbols symbols = parsed("3000 t same\n1000 t same\n2000 t same\n");
    ASSERT_NE(symbols.find("same"), nullptr);
    EXPECT_EQ(symbols.find("same")->start, 0x1000U);
}

TEST(SymbolText, MappingSymbolsAndLocalLabelsSplitNothing) {
    const Symbols symbols = parsed(
        "1000 T function\n"
        "1000 t $x\n"
        "1008 t $d.12\n"
        "1010 t .Lagain\n"
        "1018 t __pi_$x\n"
        "1020 t __efistub_.Lagain\n"
        "1030 T next\n"
        "1040 T _etext\n");
    EXPECT_THAT(names(symbols), ElementsAre("function", "next", "_etext"));
    EXPECT_EQ(name_at(symbols, 0x102f), "function");
    EXPECT_EQ(symbols.find("$x"), nullptr);
}

TEST(SymbolText, DerivedNameStaysWhereItStandsAlone) {
    EXPECT_THAT(names(parsed("1000 t __pfx_f\n1010 t f\n2000 t f.cold\n")),
                ElementsAre("__pfx_f", "f", "f.cold"));
}

TEST(Slide, MovesTheFileAndNotItsFunctions) {
    // s390x runs far above where it was linked; others far below.
    for (const std::uint64_t slide : {std::uint64_t{0x3ffe0000000}, ~std::uint64_t{0xfffff}}) {
        Symbols symbols = parsed("0000000000100000 T one\n0000000000100010 T two\n");
        symbols.slide(0x10);
        symbols.slide(slide);
        EXPECT_EQ(symbols.slide(), slide);
        EXPECT_EQ(name_at(symbols, 0x100000 + slide), "one");
        EXPECT_EQ(name_at(symbols, 0x100010 + slide), "two");
        EXPECT_EQ(name_at(symbols, 0x100000), "nothing");
        EXPECT_EQ(symbols.functions().front().start, 0x100000U);
        EXPECT_EQ(symbols.find("two")->start, 0x100010U);
    }
}

TEST(SymbolText, SaysNothingOfInliningLinesAndBuild) {
    const Symbols symbols = parsed("1000 T one\n");
    const auto place = symbols.at(0x1000);
    ASSERT_TRUE(place);
    EXPECT_THAT(place->inlined, ElementsAre());
    EXPECT_EQ(place->source, "");
    EXPECT_EQ(symbols.build_id(), "");
}

struct Stranger {
    std::string name;
    std::string bytes;
    std::string found;
};

class StrangeSymbols : public testing::TestWithParam<Stranger> {};

TEST_P(StrangeSymbols, AreRefusedInOneShortSentence) {
    const std::string message = complaint(GetParam().bytes);
    EXPECT_THAT(message, HasSubstr("\"given\" " + GetParam().found));
    EXPECT_THAT(message, HasSubstr("expected a kernel's System.map"));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_LT(message.size(), 250U);
}

INSTANTIATE_TEST_SUITE_P(
    Strangers, StrangeSymbols,
    testing::Values(
        Stranger{"empty", "", "is empty"}, Stranger{"blank", "\n\n\n", "holds no symbols"},
        Stranger{"garbage", "\x00\x01\x02\xff\xfe"s, "holds no symbols"},
        Stranger{"prose", "This is a text.\nOf two lines.\n", "holds no symbols"},
        Stranger{"long_line", std::string(1U << 20U, 'f'), "holds no symbols"},
        Stranger{"long_name", "1000 T one\n1000 T " + std::string(1U << 20U, 'n') + "\n",
                 "is damaged: line 2"},
        Stranger{"cut_short", "1000 T one\n2000 T two\n3000", "is damaged: line 3"},
        Stranger{"wide_address", "1000 T one\n1ffffffff81000000 T two\n", "is damaged: line 2"},
        Stranger{"negative_address", "1000 T one\n-1000 T two\n", "is damaged: line 2"},
        Stranger{"no_hexadecimal", "1000 T one\n10g0 T two\n", "is damaged: line 2"},
        Stranger{"long_letter", "1000 T one\n2000 TT two\n", "is damaged: line 2"},
        Stranger{"control_character", "1000 T one\n2000 T tw\x1b[0mo\n", "is damaged: line 2"},
        Stranger{"no_module", "1000 T one\n2000 T two three\n", "is damaged: line 2"},
        Stranger{"behind_module", "1000 T one\n2000 T two\t[three] four\n", "is damaged: line 2"},
        Stranger{"only_data", "1000 D one\n2000 B two\n", "holds no symbol of code"},
        Stranger{"only_numbers", "1000 A one\n", "holds no symbol of code"},
        Stranger{"only_mapping_symbols", "1000 t $x\n", "holds no symbol of code"},
        Stranger{"start_of_elf",
                 "\x7f"
                 "ELF",
                 "is a damaged ELF file"},
        Stranger{"hidden", "0000000000000000 T _text\n0000000000000000 t one\t[module]\n",
                 "hides its addresses: all are zero (kernel.kptr_restrict)"}),
    [](const auto& each) { return each.param.name; });

/// A folder of its own for each test, gone afterwards.
class SymbolFile : public testing::Test {
protected:
    SymbolFile() {
        std::string name = std::filesystem::temp_directory_path() / "kerntoll-symbols-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~SymbolFile() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::filesystem::path path(const std::string& name) const {
        return folder_ / name;
    }

private:
    std::filesystem::path folder_;
};

std::string complaint_of_file(const std::filesystem::path& file) {
    const auto symbols = Symbols::read(file);
    return symbols ? "taken" : symbols.error().message;
}

TEST_F(SymbolFile, IsToldByItsContent) {
    std::ofstream(path("vmlinux")) << "1000 T one\n2000 T two\n";
    const auto symbols = Symbols::read(path("vmlinux"));
    ASSERT_TRUE(symbols) << symbols.error().message;
    EXPECT_THAT(names(*symbols), ElementsAre("one", "two"));
}

TEST_F(SymbolFile, ThatIsNoneIsNamedForWhatItIs) {
    EXPECT_THAT(complaint_of_file(path("")), HasSubstr("is a directory"));
    EXPECT_THAT(complaint_of_file(path("absent")),
                AllOf(HasSubstr(path("absent")), HasSubstr("No such file")));
    EXPECT_THAT(complaint_of_file("/dev/zero"), HasSubstr("is no regular file"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_THAT(complaint_of_file(path("pipe")), HasSubstr("is no regular file"));
    std::ofstream(path("empty")) << "";
    EXPECT_THAT(complaint_of_file(path("empty")), HasSubstr("is empty"));
}

TEST_F(SymbolFile, OfZerosIsNotReadForHours) {
    std::ofstream(path("disk")) << "";
    std::filesystem::resize_file(path("disk"), 1ULL << 40U);
    EXPECT_THAT(complaint_of_file(path("disk")), HasSubstr("larger than 64 MiB"));
}

constexpr const char* bounded =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T first\n"
    "ffffffff81000123 D _etext\n"
    "ffffffff81200000 D __start_rodata\n"
    "ffffffff81200040 R __end_rodata\n";

TEST(SymbolText, LabelsAroundTextAndReadOnlyDataTellTheImagesSize) {
    const store::ImageSizes image = parsed(bounded).image();
    ASSERT_TRUE(image.labels);
    EXPECT_EQ(image.labels->text, 0x123U);
    EXPECT_EQ(image.labels->rodata, 0x40U);
    EXPECT_FALSE(image.sections);
}

TEST(SymbolText, AnImagesSizeIsNotKnownWhereALabelIsMissingOrMisplaced) {
    for (const char* label : {"_stext", "_etext", "__start_rodata", "__end_rodata"}) {
        std::string text = bounded;
        text.replace(text.find(label), 1, "x");
        EXPECT_FALSE(parsed(text).image().labels) << label;
    }
    EXPECT_FALSE(parsed("ffffffff81000000 T f\n"
                        "0000000000000200 T _stext\n"
                        "0000000000000100 T _etext\n"
                        "0000000000000300 D __start_rodata\n"
                        "0000000000000400 D __end_rodata\n")
                     .image()
                     .labels);
}

}  // namespace
}  // namespace kerntoll::lab::path
