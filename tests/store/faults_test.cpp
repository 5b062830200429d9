// SPDX-License-Identifier: MIT
// Files that are no results file, that cannot be written, or that a newer kerntoll wrote; a disk
// that fills up. One sentence each, and nothing that was stored before is lost.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/store/child.hpp"
#include "tests/store/example.hpp"

namespace kerntoll::lab::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

/// The sentence with which a store refuses to open.
std::string refusal(const std::filesystem::path& path, OpenMode mode) {
    const auto store = Store::open(path, mode);
    if (store) {
        return "opened";
    }
    EXPECT_EQ(store.error().fault, Fault::store);
    return store.error().message;
}

void sql(const std::filesystem::path& path, const char* statements) {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, statements, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection);
    sqlite3_close(connection);
}

class StoreFaults : public testing::Test {
protected:
    TemporaryDirectory directory_;
};

TEST_F(StoreFaults, reading_what_is_not_there_says_so) {
    EXPECT_THAT(refusal(directory_ / "none.db", OpenMode::read),
                AllOf(HasSubstr("there is no results file"), HasSubstr("none.db")));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "none.db"));
}

TEST_F(StoreFaults, a_directory_is_refused) {
    std::filesystem::create_directory(directory_ / "d");
    EXPECT_THAT(refusal(directory_ / "d", OpenMode::write), HasSubstr("is a directory"));
    EXPECT_THAT(refusal(directory_ / "d", OpenMode::read), HasSubstr("is a directory"));
}

TEST_F(StoreFaults, a_pipe_is_refused_and_not_waited_for) {
    ASSERT_EQ(mkfifo((directory_ / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(refusal(directory_ / "pipe", OpenMode::write), HasSubstr("not a regular file"));
}

TEST_F(StoreFaults, a_file_in_the_way_of_the_directory_is_named) {
    std::ofstream(directory_ / "file") << "x";
    EXPECT_THAT(refusal(directory_ / "file/results.db", OpenMode::write),
                AllOf(HasSubstr("file"), HasSubstr("Not a directory")));
}

TEST_F(StoreFaults, a_directory_that_cannot_be_made_is_named) {
    EXPECT_THAT(refusal("/proc/kerntoll/results.db", OpenMode::write),
                AllOf(HasSubstr("/proc/kerntoll"), HasSubstr("cannot be made")));
}

TEST_F(StoreFaults, a_file_of_another_kind_is_refused) {
    std::ofstream(directory_ / "text")
        << "This is not a database, however long it may be. " << std::string(2000, 'x');
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
        EXPECT_THAT(refusal(directory_ / "text", mode), HasSubstr("not an SQLite database"));
    }
}

TEST_F(StoreFaults, another_programs_database_is_refused_and_left_alone) {
    sql(directory_ / "other.db", "CREATE TABLE bookmarks (url TEXT)");
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
        EXPECT_THAT(refusal(directory_ / "other.db", mode),
                    HasSubstr("not a results file of kerntoll"));
    }
    sql(directory_ / "other.db", "INSERT INTO bookmarks VALUES ('still there')");
    sql(directory_ / "marked.db", "PRAGMA application_id = 1");
    EXPECT_THAT(refusal(directory_ / "marked.db", OpenMode::write),
                HasSubstr("not a results file of kerntoll"));
}

TEST_F(StoreFaults, an_empty_file_becomes_a_results_file) {
    std::ofstream(directory_ / "empty.db");
    EXPECT_TRUE(Store::open(directory_ / "empty.db", OpenMode::write));
}

TEST_F(StoreFaults, a_newer_schema_is_refused_and_both_versions_are_named) {
    must(Store::open(directory_ / "new.db", OpenMode::write));
    sql(directory_ / "new.db", "PRAGMA user_version = 1000");
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
        EXPECT_THAT(refusal(directory_ / "new.db", mode),
                    MatchesRegex(".*schema version 1000.*newer kerntoll.*versions up to [0-9]+.*"));
    }
}

TEST_F(StoreFaults, a_damaged_arm_is_named) {
    Store store = must(Store::open(directory_ / "d.db", OpenMode::write));
    const RunId id = must(store.begin_run(example_run()));
    sql(directory_ / "d.db", "UPDATE arms SET grade = 'divine' WHERE arm = 2");
    EXPECT_THAT(store.load(id).error().message, AllOf(HasSubstr("arm 2"), HasSubstr("divine")));
}

/// Root may write anywhere, so these look at the file as another user.
void become_nobody() {
    constexpr unsigned nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) {
        _exit(70);
    }
}

TEST_F(StoreFaults, a_file_that_cannot_be_written_can_be_read_and_only_that) {
    const auto path = directory_ / "ro/results.db";
    RunId id = 0;
    {
        Store store = must(Store::open(path, OpenMode::write));
        id = must(store.begin_run(example_run()));
        auto sink = must(store.sink(id));
        must(sink->batch(example_batch(0, 0, 0)));
        must(sink->replicate_done(0, 1));
        must(sink->finish(RunState::finished, ""));
    }
    std::filesystem::permissions(
        path.parent_path().parent_path(),
        std::filesystem::perms::others_exec | std::filesystem::perms::owner_all);
    std::filesystem::permissions(path, std::filesystem::perms{0444});
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms{0555});
    const std::string said = in_child([&](Writer say) {
        become_nobody();
        say(refusal(path, OpenMode::write));
        say(" / ");
        const auto store = Store::open(path, OpenMode::read);
        say(store ? fmt::format("{} batches", all_batches(*store, id).size())
                  : store.error().message);
    });
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms{0755});
    EXPECT_THAT(said, AllOf(HasSubstr("cannot be written"), HasSubstr(" / 1 batches")));
}

TEST_F(StoreFaults, a_directory_that_cannot_be_written_is_named) {
    const auto path = directory_ / "results.db";
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms{0555});
    const std::string said = in_child([&](Writer say) {
        become_nobody();
        say(refusal(path, OpenMode::write));
    });
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms{0755});
    EXPECT_THAT(said, HasSubstr("results.db cannot be"));
}

/// Writes batches until the store refuses one; says why, and how many it took.
std::string write_until_refused(const std::filesystem::path& path) {
    Store store = must(Store::open(path, OpenMode::write));
    const RunId id = must(store.begin_run(example_run()));
    auto sink = must(store.sink(id));
    for (std::uint32_t replicate = 0; replicate < 100'000; ++replicate) {
        auto kept = sink->batch(example_batch(replicate, 0, 0));
        if (kept) {
            kept = sink->replicate_done(replicate, replicate);
        }
        if (!kept) {
            return fmt::format("{} / {}", replicate, kept.error().message);
        }
    }
    return "never";
}

std::uint32_t number_before_slash(const std::string& said) {
    return static_cast<std::uint32_t>(std::stoul(said));
}

TEST_F(StoreFaults, a_file_that_may_not_grow_keeps_what_it_has) {
    const auto path = directory_ / "results.db";
    const std::string said = in_child([&](Writer say) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1'000'000, 1'000'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        say(write_until_refused(path));
    });
    EXPECT_THAT(said, AllOf(HasSubstr("cannot be read or written"), HasSubstr("is kept")));
    const Store store = must(Store::open(path, OpenMode::read));
    EXPECT_GE(all_batches(store, 1).size(), number_before_slash(said));
    EXPECT_GT(number_before_slash(said), 10U);
    EXPECT_EQ(must(store.load(1)).state, RunState::interrupted);
}

TEST_F(StoreFaults, a_full_disk_is_named_and_keeps_what_it_has) {
    const auto mount_point = directory_ / "disk";
    std::filesystem::create_directory(mount_point);
    const std::string said = in_child([&](Writer say) {
        // A mount namespace of the child's own: the little disk goes away with it.
        const bool root = geteuid() == 0;
        if (unshare(root ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
            mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount("none", mount_point.c_str(), "tmpfs", 0, "size=1m") != 0) {
            say("no mount");
            return;
        }
        const std::string why = write_until_refused(mount_point / "results.db");
        say(why);
        const auto store = Store::open(mount_point / "results.db", OpenMode::read);
        say(store && all_batches(*store, 1).size() >= number_before_slash(why) ? " / all there"
                                                                               : " / lost");
    });
    if (said == "no mount") {
        GTEST_SKIP() << "this machine lets the test mount nothing";
    }
    EXPECT_THAT(said, AllOf(HasSubstr("the disk is full"), HasSubstr("/ all there")));
}

}  // namespace
}  // namespace kerntoll::lab::store
