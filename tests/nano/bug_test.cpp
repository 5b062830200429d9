// SPDX-License-Identifier: MIT
// Kernels with a bug: what the hardware is told to forbid the kernel is forbidden, and a bug ends
// with one line and a failure, never with a hang or a shrug. Each image is made from nano's own
// sources with one file in another's place.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lab/base/subprocess.hpp"
#include "lab/target/target.hpp"
#include "machine.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
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

    /// Makes this bug one of the kernel's in root_.
    void plant(const std::string& bug) const {
        std::string source = read(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano/bug_in_umask.cpp");
        const std::string line = "constexpr Bug bug = none;";
        const size_t place = source.find(line);
        EXPECT_NE(place, std::string::npos);
        source.replace(place, line.size(), "constexpr Bug bug = " + bug + ";");
        std::ofstream(root_ / "nano/calls/umask.cpp") << source;
    }
    /// Puts code behind a line of a file in root_.
    void insert_behind(const std::string& line, const std::string& code,
                       const std::string& file) const {
        std::string source = read(root_ / file);
        const size_t place = source.find(line);
        ASSERT_NE(place, std::string::npos);
        source.insert(place + line.size(), code);
        std::ofstream(root_ / file) << source;
    }
    /// How a kernel with this bug ends.
    [[nodiscard]] Ending run(const std::string& bug) const {
        plant(bug);
        return run_nano(machine_, make_image({}), program_);
    }
    /// The image of a variant of the sources that are in root_ now.
    [[nodiscard]] std::string make_image(const std::vector<std::string>& choices) const {
        const std::string image = root_ / "image";
        std::vector<std::string> words = {root_ / "nano/build", std::string(machine_.arch)};
        words.insert(words.end(), choices.begin(), choices.end());
        words.insert(words.end(),
                     {"-o", image, "--cache", std::string(KERNTOLL_TEST_IMAGES) + "/cache"});
        const auto built = lab::run_captured(words, 100s);
        EXPECT_TRUE(built && built->status.code == 0)
            << (built ? built->output : built.error().message);
        return image;
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
    files::path root_;

private:
    std::string program_;
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

TEST_P(NanoBug, TellsThatItsStackOverflows) {
    expect_panic("overflow_stack", "stack overflow in the kernel");
}

TEST_P(NanoBug, OfAStackThatIsNowhereIsTold) {
    expect_panic("lost_stack", "umask");
}

TEST_P(NanoBug, InAPanicEndsToo) {
    insert_behind("    print(\"\\nnano: panic: \", what);\n", "    __builtin_trap();\n",
                  "nano/panic.cpp");
    expect_panic("illegal_instruction", "an exception in the kernel");
}

/// Where the boot code runs no user's frame lies between the stack and its end.
TEST_P(NanoBug, AtTheTopOfTheStackIsNoOverflow) {
    insert_behind("    arch::start_machine();\n", "    __builtin_trap();\n", "nano/main.cpp");
    expect_panic("none", "an exception in the kernel at ");
}

/// Where the stub leaves the stack pointer when it goes to user mode, and a return that the machine
/// refuses finds it.
TEST_P(NanoBug, AtTheThreadItselfIsNoOverflow) {
    if (machine_.arch != "arm64") {
        GTEST_SKIP() << "its return is tried with an empty stack; others keep the frame";
    }
    insert_behind("    arch::start_machine();\n",
                  "    asm volatile(\"mrs x0, tpidr_el1\\n\\tmov sp, x0\\n\\tbrk #0\");\n",
                  "nano/main.cpp");
    expect_panic("none", "an exception in the kernel at ");
}

/// What the lab says of a kernel with a bug.
class NanoBugInTheLab : public NanoBug {
protected:
    void SetUp() override {
        NanoBug::SetUp();
        if (IsSkipped()) {
            return;
        }
        // Images of its own, since others trust those that are named alike; objects are no one's.
        files::create_directories(root_ / "cache/kerntoll");
        files::create_directory_symlink(std::string(KERNTOLL_TEST_IMAGES) + "/cache",
                                        root_ / "cache/kerntoll/objects");
        ASSERT_EQ(setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1), 0);
        ASSERT_EQ(setenv("KERNTOLL_SOURCE_DIR", root_.c_str(), 1), 0);
    }
    [[nodiscard]] std::string complaint(const std::string& bug, const std::string& options) const {
        plant(bug);
        const auto target = lab::open_target(std::string("nano:") + GetParam() + options);
        if (!target) {
            return target.error().message;
        }
        const auto machine = (*target)->launch({});
        if (!machine) {
            return machine.error().message;
        }
        if (const auto ready = (*machine)->wait_ready(); !ready) {
            return ready.error().message;
        }
        const auto proven = (*machine)->prove({.workload = "mix"});  // it calls umask
        return proven ? "no complaint" : proven.error().message;
    }
};

TEST_P(NanoBugInTheLab, IsToldInASentence) {
    EXPECT_THAT(complaint("illegal_instruction", ""),
                MatchesRegex("nano:[a-z0-9_]+: the kernel panicked: an exception in the kernel at "
                             "nano::calls::umask\\+0x[0-9a-f]+ while proving mix"));
}

/// Nothing in the machine would notice it.
TEST_P(NanoBugInTheLab, ThatNeverEndsIsEnded) {
    if (machine_.arch != "riscv64") {
        GTEST_SKIP() << "the lab's clock is the same for all; it takes its time";
    }
    EXPECT_THAT(complaint("endless_loop", ",timeout=3s"),
                HasSubstr("no answer from the agent within 3 s while "));
}

/// No bug: a machine whose tracing events come in the middle of the way into the kernel.
class NanoStepped : public NanoBug {};

TEST_P(NanoStepped, ACallInASingleStepIsMadeOnce) {
    files::copy_file(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano/step_in_umask.cpp",
                     root_ / "nano/calls/umask.cpp", files::copy_options::overwrite_existing);
    std::string hooks = read(root_ / "nano/hooks.cpp");
    const std::string line = "    const arch::Fault fault = arch::fault_of(frame, cause);\n";
    const size_t place = hooks.find(line);
    ASSERT_NE(place, std::string::npos);
    hooks.insert(place,
                 "    extern long steps_taken;\n"
                 "    if ((cause & 0xffff) == 0x80) {\n"
                 "        ++steps_taken;\n"
                 "        return;\n"
                 "    }\n");
    std::ofstream(root_ / "nano/hooks.cpp") << hooks;
    for (const char* frame : {"frame=full", "frame=lazy"}) {
        SCOPED_TRACE(frame);
        const Ending ending =
            run_nano(machine_, make_image({frame, "debug=on"}), read_program(machine_, "step"));
        EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
        EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(9)) << ending.output;
        EXPECT_EQ(ending.status, 0);
    }
}

/// No bug either: a kernel that tells where its calls run.
class NanoStack : public NanoBug {};

TEST_P(NanoStack, IsDisplacedForEachCallWhereTheVariantSaysSo) {
    files::copy_file(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano/stack_in_umask.cpp",
                     root_ / "nano/calls/umask.cpp", files::copy_options::overwrite_existing);
    const auto places = [this](std::vector<std::string> choices) {
        if (machine_.arch == "arm64" || machine_.arch == "riscv64") {
            choices.emplace_back("vector=likely");
        }
        const Ending ending =
            run_nano(machine_, make_image(choices), read_program(machine_, "stack"));
        const auto lines = lines_with(ending.output, "places ");
        EXPECT_THAT(lines, SizeIs(1)) << ending.output;
        return lines.empty() ? 0 : std::stoi(lines.front().substr(std::size("places ") - 1));
    };
    for (const char* frame : {"frame=full", "frame=lazy"}) {
        SCOPED_TRACE(frame);
        EXPECT_EQ(places({frame}), 1);
        EXPECT_GE(places({frame, "stack_offset=on"}), 8);
    }
}

INSTANTIATE_TEST_SUITE_P(All, NanoStack, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
/// No bug: what stands for zeros in the machine's lowcore is zero.
class NanoLowcore : public NanoBug {};

TEST_P(NanoLowcore, ClearsRegistersByZeros) {
    files::copy_file(files::path(KERNTOLL_SOURCE_DIR) / "tests/nano/lowcore_in_umask.cpp",
                     root_ / "nano/calls/umask.cpp", files::copy_options::overwrite_existing);
    const Ending ending = run_nano(machine_, make_image({}), read_program(machine_, "bugs"));
    EXPECT_THAT(lines_with(ending.output, "FAILED"), IsEmpty());
    EXPECT_THAT(lines_with(ending.output, "ok "), SizeIs(2)) << ending.output;
}

INSTANTIATE_TEST_SUITE_P(All, NanoLowcore, testing::Values("s390x"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoStepped, testing::Values("s390x"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoBugInTheLab, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoBug, testing::ValuesIn(arch_names),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(All, NanoPagedKernel, testing::Values("x86_64", "arm64", "riscv64"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace

}  // namespace kerntoll::nano_test
