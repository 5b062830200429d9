// SPDX-License-Identifier: MIT
// What lies beside an image may be of any kernel: it is tried, and left out where it is another's.
#include "lab/path/find_symbols.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "lab/path/symbols_table.hpp"
#include "tests/path/scene.hpp"

namespace kerntoll::lab::path {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* right = "10000 T stub\n20000 T called\n30000 T end\n";
constexpr const char* stale = "0ff00 T earlier\n20ff0 T later\n30000 T end\n";

class FindSymbols : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "/symbolsXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        write("Image", "no ELF file");
        scene_.run(0x10000, "callq 0x20000").run(0x20000, "retq ").run(0x10004, "sysretq ");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    [[nodiscard]] Result<FoundSymbols> find() {
        return find_symbols({.file = folder_ / "Image", .release = "6.12.0", .build_id = ""},
                            scene_.trace(), scene_.path(), scene_.arch(),
                            [this](const Trace&, const Path&) -> Result<Symbols> {
                                ++asked_;
                                if (guest_.empty()) {
                                    return fail(Fault::environment, "it has no /proc");
                                }
                                return Symbols::of(guest_);
                            });
    }

    std::filesystem::path folder_;
    Scene scene_;
    std::vector<Label> guest_;
    int asked_ = 0;
};

TEST_F(FindSymbols, TakesTheMapOfTheReleaseBeforeOneOfAnyKernel) {
    write("System.map", stale);
    write("System.map-6.12.0", right);
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_NE(found->symbols, nullptr);
    EXPECT_EQ(found->symbols->origin(), folder_ / "System.map-6.12.0");
    EXPECT_THAT(found->remarks, IsEmpty());
    EXPECT_EQ(asked_, 0);
}

TEST_F(FindSymbols, LeavesOutAnotherKernelsMapAndTriesTheNextOne) {
    write("System.map-6.12.0", stale);
    write("System.map", right);
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_NE(found->symbols, nullptr);
    EXPECT_EQ(found->symbols->origin(), folder_ / "System.map");
    EXPECT_THAT(
        found->remarks,
        ElementsAre(
            AllOf(HasSubstr("Left out"), HasSubstr("System.map-6.12.0"),
                  HasSubstr("another kernel's, or not all of its own: the path enters 0x10000"))));
}

TEST_F(FindSymbols, AsksTheGuestWhereNoMapIsItsOwn) {
    write("System.map", stale);
    guest_ = {{.name = "stub", .address = 0x10000, .size = 8, .code = true},
              {.name = "called", .address = 0x20000, .size = 4, .code = true}};
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_NE(found->symbols, nullptr);
    EXPECT_THAT(found->remarks, ElementsAre(HasSubstr("/System.map"),
                                            "Names of functions are those of the guest's own "
                                            "/proc/kallsyms."));
}

TEST_F(FindSymbols, SaysWhatWasLeftOutWhereTheGuestDoesNotTellEither) {
    write("System.map", stale);
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->symbols, nullptr);
    EXPECT_EQ(found->why_none, "it has no /proc");
    EXPECT_THAT(found->remarks, ElementsAre(HasSubstr("/System.map")));
}

TEST_F(FindSymbols, SkipsWhatIsNoListOfSymbols) {
    write("vmlinux", "ffffffffffffffff B the system map lies elsewhere");
    write("System.map-6.12.0", "a stub");
    write("System.map", right);
    const auto found = find();
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(found->remarks, IsEmpty());
    EXPECT_EQ(found->symbols->origin(), folder_ / "System.map");
}

}  // namespace
}  // namespace kerntoll::lab::path
