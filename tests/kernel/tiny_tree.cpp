// SPDX-License-Identifier: MIT
#include "tests/kernel/tiny_tree.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "lab/kernel/git.hpp"

namespace kerntoll::lab::kernel {

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

Patch patch_of(const std::string& file, const std::string& before, const std::string& after,
               const std::string& name) {
    std::istringstream lines(text_of(fs::path(KERNTOLL_TINY_TREE) / file));
    std::vector<std::string> all;
    std::size_t at = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line == before) {
            at = all.size();
        }
        all.push_back(line);
    }
    const std::size_t first = at > 0 ? at - 1 : 0;
    const std::size_t last = std::min(at + 1, all.size() - 1);
    std::string hunk;
    for (std::size_t index = first; index <= last; ++index) {
        hunk += index == at ? fmt::format("-{}\n+{}\n", before, after)
                            : fmt::format(" {}\n", all[index]);
    }
    const std::size_t count = last - first + 1;
    return {name,
            fmt::format("A change\n\ndiff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -{1},{2} "
                        "+{1},{2} @@\n{3}",
                        file, first + 1, count, hunk)};
}

TinyTree::TinyTree() {
    std::string name = fs::temp_directory_path() / "kerntoll-kernel-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    scratch_ = name;
    fs::copy(KERNTOLL_TINY_TREE, tree(), fs::copy_options::recursive);
    setenv("XDG_CACHE_HOME", (scratch_ / "cache").c_str(), 1);
}

TinyTree::~TinyTree() {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
}

std::string TinyTree::commit_all(const std::string& message) {
    const auto run = [&](std::vector<std::string> words) {
        const auto done = git({.folder = tree(), .words = std::move(words)});
        EXPECT_TRUE(done) << done.error().message;
        return done.value_or("");
    };
    run({"init", "--quiet"});
    run({"add", "--all"});
    run({"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--no-gpg-sign", "-m",
         message});
    const std::string hash = run({"rev-parse", "HEAD"});
    return hash.substr(0, hash.find('\n'));
}

std::map<std::string, std::string> TinyTree::state() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(tree())) {
        const std::string name = entry.path().lexically_relative(tree());
        if (entry.is_regular_file()) {
            all[name] = fmt::format("{} {}", entry.last_write_time().time_since_epoch().count(),
                                    text_of(entry.path()));
        } else {
            all[name] = "";
        }
    }
    return all;
}

BuildPlan TinyTree::plan() {
    BuildPlan plan;
    plan.arch = Arch::x86_64;
    auto toolchain = find_toolchain(kbuild_row(plan.arch), Compiler::gcc);
    EXPECT_TRUE(toolchain) << toolchain.error().message;
    plan.toolchain = toolchain.value_or(Toolchain{});
    plan.config = "CONFIG_TINY=y\n";
    plan.jobs = 2;
    plan.say = [this](const std::string& what) { said += what + "\n"; };
    return plan;
}

Tree TinyTree::read() const {
    auto read = read_tree(tree());
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(Tree{});
}

}  // namespace kerntoll::lab::kernel
