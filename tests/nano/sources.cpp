// SPDX-License-Identifier: MIT
#include "sources.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "lab/base/subprocess.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;

std::string read(const files::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Sources::Sources(const Machine& machine)
    : arch_(machine.arch),
      root_(files::path(KERNTOLL_TEST_IMAGES) / ("changed-" + std::to_string(getpid()))) {
    files::create_directories(root_);
    for (const char* part : {"nano", "entry"}) {
        files::copy(files::path(KERNTOLL_SOURCE_DIR) / part, root_ / part,
                    files::copy_options::recursive | files::copy_options::overwrite_existing);
    }
}

Sources::~Sources() {
    files::remove_all(root_);
}

void Sources::put(std::string_view file, std::string_view of_the_tests) const {
    write(file, read(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano" / of_the_tests));
}

void Sources::write(std::string_view file, std::string_view text) const {
    std::ofstream(root_ / file) << text;
}

void Sources::replace(std::string_view file, std::string_view what, std::string_view by) const {
    std::string text = read(root_ / file);
    const size_t place = text.find(what);
    ASSERT_NE(place, std::string::npos) << what << " is not in " << file;
    write(file, text.replace(place, what.size(), by));
}

std::string Sources::make_image(const std::vector<std::string>& choices) const {
    const std::string image = root_ / "image";
    std::vector<std::string> words = {root_ / "nano/build", arch_};
    words.insert(words.end(), choices.begin(), choices.end());
    words.insert(words.end(),
                 {"-o", image, "--cache", std::string(KERNTOLL_TEST_IMAGES) + "/cache"});
    const auto built = lab::run_captured(words, 100s);
    EXPECT_TRUE(built && built->status.code == 0)
        << (built ? built->output : built.error().message);
    return image;
}

}  // namespace kerntoll::nano_test
