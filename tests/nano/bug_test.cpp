// SPDX-License-Identifier: MIT
// Kernels with a bug: what the hardware is told to forbid the kernel is forbidden, and a bug ends
// with one line and a failure, never with a hang or a shrug. Each image is made from nano's own
// sources with one file in another's place.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lab/base/subprocess.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string read(const files::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

class NanoBug : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const auto found = find_machine(GetParam());
        if (!found) {
            GTEST_SKIP() << "there is no port to " << GetParam() << " in this build";
        }
        machine_ = *found;
        program_ = read_program(machine_, "bugs");
        root_ = files::path(KERNTOLL_TEST_IMAGES) / ("bugs-" + std::to_string(getpid()));
        files::create_directories(root_);
        for (const char* part : {"nano", "entry"}) {
            files::copy(files::path(KERNTOLL_SOURCE_DIR) / part, root_ / part,
                        files::copy_options::recursive);
        }
    }
    void TearDown() override { files::remove_all(root_); }

    /// How a kernel with this bug ends.
    [[nodiscard]] Ending run(const std::string& bug) const {
        std::string source = read(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano/bug_in_umask.cpp");
        const std::string line = "constexpr Bug bug = none;";
        const size_t place = source.find(line);
        EXPECT_NE(place, std::string::npos);
        source.replace(place, line.size(), "constexpr Bug bug = " + bug + ";");
        std::ofstream(root_ / "nano/calls/umask.cpp") << source;
        const std::string image = root_ / "image";
        const auto built =
            lab::run_captured({root_ / "nano/build", std::string(machine_.arch), "-o", image,
                               "--cache", std::string(KERNTOLL_TEST_IMAGES) + "/cache"},
                              100s);
        EXPECT_TRUE(built && built->status.code == 0)
            << (built ? built->output : built.error().message);
        return run_nano(machine_, image, program_);
    }

    void expect_panic(const std::string& bug, const std::string& where) const {
        SCOPED_TRACE(bug);
        const Ending ending = run(bug);
        EXPECT_EQ(ending.status, panicked) << ending.output;
        EXPECT_NE(ending.qemu_status, -1) << "it did not power off";
        const auto lines = lines_with(ending.output, "nano: panic: ");
        ASSERT_THAT(lines, SizeIs(1)) << ending.output;
        EXPECT_THAT(lines.front(), HasSubstr(where));
        EXPECT_THAT(lines_with(ending.output, "end"), IsEmpty()) << "the program went on";
    }

    Machine machine_;

private:
    std::string program_;
    files::path root_;
};

TEST_P(NanoBug, IsNotThereWithoutOne) {
    EXPECT_EQ(run("none").status, 0);
}

TEST_P(NanoBug, EndsWithALineAndAFailure) {
    expect_panic("illegal_instruction", "umask");
}

/// Where the kernel's own memory is paged, it has rights too, and the user's memory is out of
/// reach.
class NanoPagedKernel : public NanoBug {};

TEST_P(NanoPagedKernel, HasNothingWhereNothingIs) {
    expect_panic("read_nowhere", "umask");
}

TEST_P(NanoPagedKernel, DoesNotTouchUserMemory) {
    expect_panic("read_user_data", "umask");
    expect_panic("write_user_data", "umask");
}

TEST_P(NanoPagedKernel, DoesNotRunUserCode) {
    expect_panic("execute_user_code", "umask");
}

TEST_P(NanoPagedKernel, DoesNotWriteItsTextAndConstants) {
    expect_panic("write_kernel_text", "umask");
    expect_panic("write_constant", "umask");
}

TEST_P(NanoPagedKernel, DoesNotRunItsData) {
    expect_panic("execute_kernel_data", "umask");
}

TEST_P(NanoBug, TellsThatItsStackIsUsedUp) {
    expect_panic("use_up_stack", "");
}

INSTANTIATE_TEST_SUITE_P(All, NanoBug, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoPagedKernel, testing::Values("x86_64", "arm64", "riscv64"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
