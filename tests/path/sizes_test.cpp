// SPDX-License-Identifier: MIT
// What a change costs in bytes, of images and of the functions on the path.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "lab/path/explain_json.hpp"
#include "lab/path/explain_text.hpp"
#include "lab/path/symbols_table.hpp"
#include "lab/report/plain.hpp"
#include "tests/lines.hpp"
#include "tests/path/round_trip.hpp"

namespace kerntoll::lab::path {
namespace {

using nlohmann::json;
using report::harmless;
using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Traced getpid(WayOut way_out) {
    return {.target = "linux:a/Image",
            .workload = "getpid",
            .anatomy = getpid_path(way_out, 0xffffffff80001000)};
}

TEST(Sizes, give_the_sizes_of_the_images) {
    Traced base = getpid(WayOut::called);
    Traced change = getpid(WayOut::inlined);
    base.image = {.sections = store::ImageSize{4000, 900}, .labels = store::ImageSize{5000, 950}};
    change.image = {.sections = store::ImageSize{4040, 900}, .labels = store::ImageSize{5000, 951}};
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Contains("The images' code: 4000 → 4040 bytes (+40); their read-only data: 900 "
                         "bytes (0); by the sections .text and .rodata."));
    change.image.sections.reset();
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Contains("The images' code: 5000 bytes (0); their read-only data: 950 → 951 bytes "
                         "(+1); by the labels around text and rodata."));
    const json parsed = json::parse(to_json(explain(base, change)));
    EXPECT_EQ(parsed["base"]["image"]["by"], "labels");
    EXPECT_EQ(parsed["base"]["image"]["text_bytes"], 5000);
    EXPECT_EQ(parsed["change"]["image"]["rodata_bytes"], 951);
}

TEST(Sizes, say_where_the_linker_hides_a_difference_in_size) {
    Traced base = getpid(WayOut::called);
    base.image.labels = store::ImageSize{6U << 20U, 900};
    Traced change = base;
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Contains(HasSubstr("up to whole pages")));
    change.image.labels->text += 4096;
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Not(Contains(HasSubstr("up to whole pages"))));
}

TEST(Sizes, say_that_the_sizes_of_the_images_are_not_known) {
    Traced base = getpid(WayOut::called);
    Traced change = getpid(WayOut::inlined);
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Contains(HasSubstr("The images' sizes are not known: give symbols=FILE")));
    base.image.sections = store::ImageSize{4000, 900};
    change.image.labels = store::ImageSize{4000, 900};
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Contains(HasSubstr("not known of both in the same way")));
}

TEST(Sizes, count_what_the_image_holds_of_functions_off_the_path) {
    const auto with_copy = Symbols::parse(
        "ffffffff80001000 T do_trap_ecall_u\n"
        "ffffffff80002000 T syscall_exit_to_user_mode\n"
        "ffffffff80002046 T behind\n",
        "given");
    const auto without = Symbols::parse("ffffffff80001000 T do_trap_ecall_u\n", "given");
    ASSERT_TRUE(with_copy && without);
    Traced base = getpid(WayOut::called);
    Traced change = getpid(WayOut::inlined);
    const auto row = [&] {
        const auto explanation = explain(base, change);
        return json::parse(to_json(explanation))["functions"][5];
    };
    EXPECT_EQ(row()["size_bytes"]["change"], nullptr);
    change.symbols = &*without;
    EXPECT_EQ(row()["size_bytes"]["change"], 0);
    EXPECT_THAT(sentences(explain(base, change), harmless),
                Not(Contains(HasSubstr("still in B's image"))));
    change.symbols = &*with_copy;
    EXPECT_EQ(row()["name"], "syscall_exit_to_user_mode");
    EXPECT_EQ(row()["size_bytes"]["change"], 70);
    EXPECT_THAT(
        sentences(explain(base, change), harmless),
        Contains("Off the path, but still in B's image: syscall_exit_to_user_mode (70 bytes)."));
    EXPECT_THAT(line_with(to_text(explain(base, change), {100}, Listing::brief),
                          "syscall_exit_to_user_mode"),
                MatchesRegex("syscall_exit_to_user_mode +22 +0 +-22  inlined +[0-9]+ → 70"));
    // The other way round it appears, and A's image has it all along.
    const auto back = explain(change, base);
    EXPECT_EQ(json::parse(to_json(back))["functions"][5]["size_bytes"]["base"], 70);
}

TEST(Sizes, do_not_say_that_an_image_lacks_what_its_kernel_was_not_asked_for) {
    Traced base = getpid(WayOut::called);
    Traced change = getpid(WayOut::inlined);
    const Symbols asked =
        Symbols::of({{.name = "do_trap_ecall_u", .address = 0xffffffff80001000, .code = true}});
    change.symbols = &asked;
    const auto explanation = explain(base, change);
    const json row = json::parse(to_json(explanation))["functions"][5];
    EXPECT_EQ(row["name"], "syscall_exit_to_user_mode");
    EXPECT_EQ(row["size_bytes"]["change"], nullptr);
    EXPECT_THAT(line_with(to_text(explanation, {100}, Listing::brief), "syscall_exit_to_user_mode"),
                MatchesRegex("syscall_exit_to_user_mode +22 +0 +-22  inlined +[0-9]+ → [?]"));
}

TEST(Sizes, do_not_add_up_sizes_of_which_one_is_not_known) {
    Traced base = getpid(WayOut::called);
    base.anatomy.functions[2].size = 0;
    EXPECT_THAT(sentences(explain(base, getpid(WayOut::inlined)), harmless),
                Not(Contains(HasSubstr("The code of the functions"))));
}

}  // namespace
}  // namespace kerntoll::lab::path
