// SPDX-License-Identifier: MIT
// What is kept of kernels: who may have it, when it goes, and what stands in the way of keeping it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include "lab/base/fd.hpp"
#include "lab/kernel/source.hpp"
#include "lab/kernel/tidy.hpp"
#include "tests/kernel/kernel_build.hpp"

namespace kerntoll::lab::kernel {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class KernelCache : public KernelBuild {
protected:
    [[nodiscard]] fs::path cache() const { return scratch() / "cache/kerntoll/kernels"; }
    /// Something that was used so long ago: a folder with the file that tells.
    void put(const fs::path& folder, const char* mark, std::chrono::hours ago,
             std::size_t bytes = 0) const {
        fs::create_directories(cache() / folder);
        write_text(cache() / folder / "content", std::string(bytes, 'x'));
        write_text(cache() / folder / mark, "");
        fs::last_write_time(cache() / folder / mark, fs::file_time_type::clock::now() - ago);
    }
    [[nodiscard]] bool is_there(const fs::path& what) const { return fs::exists(cache() / what); }
    [[nodiscard]] static Fd locked(const fs::path& file, int how) {
        Fd lock(open(file.c_str(), O_RDONLY | O_CLOEXEC));
        EXPECT_EQ(flock(lock.get(), how), 0);
        return lock;
    }
};

TEST_F(KernelCache, WaitsForAnotherOneThatHasTheCopy) {
    (void)built({});
    sources_.close();
    Fd lock(open((work() / "lock").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
    std::jthread lets_go([&] {
        std::this_thread::sleep_for(500ms);
        lock.reset();
    });
    (void)built(header_change());
    EXPECT_THAT(said, HasSubstr("waiting for another kerntoll"));
}

TEST_F(KernelCache, OfTwoThatWaitedTheSecondTakesWhatTheFirstHasBuilt) {
    Sources others(read());
    Builder other(others, plan());
    (void)built({});
    const Built first = built(header_change());
    // The second one has looked for it before the first one was done.
    const fs::path aside = scratch() / "aside";
    fs::rename(first.image.parent_path(), aside);
    std::jthread done([&] {
        std::this_thread::sleep_for(500ms);
        fs::rename(aside, first.image.parent_path());
        sources_.close();
    });
    const auto second = other.build(header_change());
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->cached);
}

TEST_F(KernelCache, AKernelThatIsThereStays) {
    const Built first = built({});
    const auto facts = [&] {
        return fs::hard_link_count(first.image) == 1 ? fs::last_write_time(first.image)
                                                     : fs::file_time_type{};
    };
    const auto before = facts();
    fs::remove_all(work() / "objects");
    (void)built(header_change());  // makes the base anew, for its objects
    EXPECT_EQ(facts(), before);
}

TEST_F(KernelCache, IsMadeAnewWhereTheCopyWasTakenAwayMeanwhile) {
    const Built first = built({});
    sources_.close();
    {
        const Fd lock = locked(work() / "lock", LOCK_EX);
        std::jthread goes([&] {
            std::this_thread::sleep_for(300ms);
            fs::remove_all(work());
            flock(lock.get(), LOCK_UN);
        });
        EXPECT_NE(built(header_change()).image_sha256, first.image_sha256);
    }
    EXPECT_TRUE(fs::exists(work() / "lock"));
}

TEST_F(KernelCache, LosesAttemptsOfKilledOnes) {
    (void)built({});
    sources_.close();
    fs::create_directories(work() / "objects/0123.part/kernel");
    (void)built(header_change());
    EXPECT_FALSE(fs::exists(work() / "objects/0123.part"));
}

TEST_F(KernelCache, KeepsTheCopiesThatWereUsedLast) {
    put("work/a", "lock", 1h);
    put("work/b", "lock", 3h);
    put("work/c", "lock", 2h);
    put("work/d", "lock", 4h);
    const Tidied tidied = tidy_cache({.copies = 2});
    EXPECT_EQ(tidied.copies, 2U);
    EXPECT_EQ(tidied.text(), "2 copies of trees");
    EXPECT_TRUE(is_there("work/a"));
    EXPECT_TRUE(is_there("work/c"));
    EXPECT_FALSE(is_there("work/b"));
    EXPECT_FALSE(is_there("work/d"));
    EXPECT_EQ(tidy_cache({.copies = 2}).text(), "");
}

TEST_F(KernelCache, ForgetsWhatNobodyHasUsedForWeeks) {
    put("work/old", "lock", 24h * 15);
    put("work/young", "lock", 24h * 13);
    for (const char* name : {"logs/old.log", "logs/young.log", "trees/old"}) {
        fs::create_directories((cache() / name).parent_path());
        write_text(cache() / name, "x");
    }
    for (const char* name : {"logs/old.log", "trees/old"}) {
        fs::last_write_time(cache() / name, fs::file_time_type::clock::now() - 24h * 15);
    }
    EXPECT_EQ(tidy_cache().copies, 1U);
    for (const char* name : {"work/old", "logs/old.log", "trees/old"}) {
        EXPECT_FALSE(is_there(name)) << name;
    }
    EXPECT_TRUE(is_there("work/young"));
    EXPECT_TRUE(is_there("logs/young.log"));
}

TEST_F(KernelCache, KeepsTheBasesThatWereUsedLast) {
    put("work/a", "lock", 0h);
    put("work/a/objects/1", complete, 3h);
    put("work/a/objects/2", complete, 1h);
    put("work/a/objects/3", complete, 2h);
    EXPECT_EQ(tidy_cache({.bases = 2}).text(), "1 tree of objects");
    EXPECT_FALSE(is_there("work/a/objects/1"));
    EXPECT_TRUE(is_there("work/a/objects/2"));
    EXPECT_TRUE(is_there("work/a/objects/3"));
}

TEST_F(KernelCache, KeepsKernelsUpToASize) {
    put("images/a", facts_file, 1h, 400);
    put("images/b", facts_file, 3h, 400);
    put("images/c", facts_file, 2h, 400);
    EXPECT_EQ(tidy_cache({.image_bytes = 1000}).text(), "1 kernel");
    EXPECT_FALSE(is_there("images/b"));
    EXPECT_TRUE(is_there("images/a"));
    EXPECT_TRUE(is_there("images/c"));
}

TEST_F(KernelCache, AKernelThatWasFoundCountsAsUsed) {
    const Built base = built({});
    const fs::path facts = base.image.parent_path() / facts_file;
    fs::last_write_time(facts, fs::file_time_type::clock::now() - 100h);
    (void)built({});
    EXPECT_GT(fs::last_write_time(facts), fs::file_time_type::clock::now() - 1h);
}

TEST_F(KernelCache, NeverLosesWhatIsInUse) {
    auto base = std::optional(built({}));
    const fs::path image = base->image;
    const fs::path copy = work();
    const CacheLimits nothing{.copies = 0, .bases = 0, .image_bytes = 0};
    EXPECT_EQ(tidy_cache(nothing).text(), "");
    EXPECT_TRUE(fs::exists(image));
    EXPECT_TRUE(fs::exists(copy));
    base.reset();
    sources_.close();
    EXPECT_EQ(tidy_cache(nothing).text(), "1 copy of a tree and 1 kernel");
    EXPECT_FALSE(fs::exists(image));
    EXPECT_FALSE(fs::exists(copy));
    EXPECT_FALSE(built({}).cached);
}

TEST_F(KernelCache, LosesWhatKilledOnesLeftAfterADay) {
    for (const char* name : {"work/x.17.part", "images/y.17.part", "images/z.18.part"}) {
        fs::create_directories(cache() / name);
    }
    for (const char* name : {"work/x.17.part", "images/y.17.part"}) {
        fs::last_write_time(cache() / name, fs::file_time_type::clock::now() - 25h);
    }
    (void)tidy_cache();
    EXPECT_FALSE(is_there("work/x.17.part"));
    EXPECT_FALSE(is_there("images/y.17.part"));
    EXPECT_TRUE(is_there("images/z.18.part"));
}

TEST_F(KernelCache, WhatItRemembersOfATreeIsNotTakenHalf) {
    const std::string content = read().content;
    const fs::path note = *fs::directory_iterator(cache() / "trees");
    const std::string text = text_of(note);
    write_text(note, text.substr(0, text.size() - 20));  // as on a disk that was full
    EXPECT_EQ(read().content, content);
    EXPECT_EQ(text_of(note), text);
}

TEST_F(KernelCache, ThatCannotBeWrittenIsOneSentence) {
    // Nobody is stopped by permissions who is root.
    const bool root = geteuid() == 0;
    constexpr uid_t nobody = 65534;
    constexpr auto readable = fs::perms::owner_read | fs::perms::owner_exec |
                              fs::perms::others_read | fs::perms::others_exec;
    fs::permissions(scratch(), readable, fs::perm_options::add);
    fs::create_directories(cache());
    fs::permissions(cache(), readable);
    ASSERT_EQ(root ? seteuid(nobody) : 0, 0);
    const auto failed = build({});
    ASSERT_EQ(root ? seteuid(0) : 0, 0);
    fs::permissions(cache(), fs::perms::owner_write, fs::perm_options::add);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::environment);
    EXPECT_THAT(failed.error().message,
                AllOf(HasSubstr("cannot make "), HasSubstr("Permission denied"),
                      HasSubstr("point XDG_CACHE_HOME to a folder that can be written")));
}

/// What an action says where the kernel answers a system call with an error, by a filter that a
/// process of its own has.
std::string where_fails(int call, int error, const std::function<std::string()>& action) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        std::array<sock_filter, 4> filter{
            {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, unsigned(call), 0, 1),
             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | unsigned(error)),
             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
        const sock_fprog program{.len = filter.size(), .filter = filter.data()};
        std::string said = "no filter can be set";
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) {
            said = action();
        }
        (void)!write(ends[1], said.data(), said.size());
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    std::array<char, 512> some{};
    for (ssize_t count = 0; (count = read(ends[0], some.data(), some.size())) > 0;) {
        said.append(some.data(), static_cast<size_t>(count));
    }
    close(ends[0]);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    return said;
}

TEST_F(KernelCache, OfAFileSystemWithoutLocksIsOneSentence) {
    const auto sentence = [&] {
        const auto failed = build({});
        return failed ? std::string("built") : failed.error().message;
    };
    EXPECT_THAT(where_fails(SYS_flock, ENOLCK, sentence),
                AllOf(HasSubstr("cannot lock "), HasSubstr("No locks available"),
                      HasSubstr("point XDG_CACHE_HOME at a folder of a local file system")));
}

TEST_F(KernelCache, TakesNoObjectsForCompleteThatTheDiskMayNotHave) {
    const auto sentence = [&] {
        const auto failed = build({});
        return failed ? std::string("built") : failed.error().message;
    };
    EXPECT_THAT(where_fails(SYS_syncfs, EIO, sentence), HasSubstr("cannot have the disk hold"));
    for (const auto& entry : fs::recursive_directory_iterator(cache() / "work")) {
        EXPECT_NE(entry.path().filename(), complete);
    }
}

TEST_F(KernelCache, AFileOfAKernelThatIsNotAsItWasHasItBuiltAgain) {
    for (const char* name : {"vmlinux", "System.map", "config"}) {
        const fs::path file = built({}).image.parent_path() / name;
        const std::string text = text_of(file);
        write_text(file, text.substr(0, text.size() / 2));
        EXPECT_FALSE(built({}).cached) << name;
        EXPECT_EQ(text_of(file), text) << name;
        EXPECT_TRUE(built({}).cached) << name;
    }
}

TEST_F(KernelCache, ACompilerThatWasKilledIsNotThePatchsFault) {
    Side killed = header_change();
    killed.patches.push_back(patch_of("Makefile", "\t@echo '  LD      vmlinux'",
                                      "\t@echo 'gcc: fatal error: Killed signal terminated program "
                                      "cc1'; exit 1"));
    const auto failed = build(killed);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::environment);
    EXPECT_THAT(failed.error().message, AllOf(HasSubstr("memory runs out"), HasSubstr("-j1")));
}

TEST_F(KernelCache, OnAFullDiskIsOneSentence) {
    Side full = header_change();
    full.patches.push_back(
        patch_of("Makefile", "\t@echo '  LD      vmlinux'",
                 "\t@echo 'ld: final link failed: No space left on device'; exit 1"));
    const auto failed = build(full);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().fault, Fault::environment);
    EXPECT_THAT(failed.error().message, HasSubstr("the disk is full"));
    EXPECT_THAT(failed.error().message, AllOf(HasSubstr("XDG_CACHE_HOME"),
                                              HasSubstr("compilers put their files (TMPDIR)")));
}

}  // namespace
}  // namespace kerntoll::lab::kernel
