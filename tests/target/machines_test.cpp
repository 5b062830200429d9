// SPDX-License-Identifier: MIT
#include "lab/target/machines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kerntoll::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A folder that is all of PATH while the test runs.
class ProgramFolder : public testing::Test {
protected:
    ProgramFolder() : path_before_(std::getenv("PATH")) {
        std::string name = std::filesystem::temp_directory_path() / "kerntoll-path-XXXXXX";
        folder_ = mkdtemp(name.data());
        setenv("PATH", folder_.c_str(), 1);
    }
    ~ProgramFolder() override {
        setenv("PATH", path_before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
    /// A program that prints this, whatever it is asked.
    std::string add_program(const std::string& name, const std::string& output) {
        const std::string path = folder_ / name;
        std::ofstream(path) << "#!/bin/sh\necho '" << output << "'\n";
        chmod(path.c_str(), 0755);
        return path;
    }
    std::filesystem::path folder_;

private:
    std::string path_before_;
};

TEST(MachineTable, HasTheRowOfEachArchitectureUnderItsName) {
    for (const Arch arch :
         {Arch::x86_64, Arch::arm64, Arch::riscv64, Arch::s390x, Arch::loongarch64}) {
        EXPECT_EQ(machine_row(arch).arch, arch);
        EXPECT_THAT(std::string(machine_row(arch).program), HasSubstr("qemu-system-"));
    }
    EXPECT_EQ(machine_table().size(), 5U);
}

TEST(MachineTable, WiresTheConsoleToTheGivenCharacterDevice) {
    EXPECT_THAT(console_arguments(machine_row(Arch::riscv64), "c0"),
                ElementsAre("-serial", "chardev:c0"));
    EXPECT_THAT(console_arguments(machine_row(Arch::s390x), "c0"),
                ElementsAre("-device", "sclpconsole,chardev=c0"));
}

TEST(MachineTable, PutsTheUsersWordsLastOnTheCommandLine) {
    EXPECT_EQ(kernel_command_line(machine_row(Arch::riscv64), "mitigations=off"),
              "console=ttyS0 riscv_isa_fallback panic=-1 quiet mitigations=off");
    EXPECT_EQ(kernel_command_line(machine_row(Arch::x86_64), ""), "console=ttyS0 panic=-1 quiet");
}

TEST(QemuVersion, IsReadFromWhatQemuPrints) {
    const Qemu debian =
        parse_qemu_version("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright\n")
            .value_or(Qemu{});
    EXPECT_EQ(debian.version, (QemuVersion{7, 2}));
    EXPECT_EQ(debian.version_text, "7.2.22 (Debian 1:7.2+dfsg-7)");
    const Qemu own = parse_qemu_version("QEMU emulator version 10.0.50").value_or(Qemu{});
    EXPECT_EQ(own.version, (QemuVersion{10, 0}));
    EXPECT_GT(own.version, (QemuVersion{9, 1}));
}

TEST(QemuVersion, IsNotReadFromAnythingElse) {
    for (const char* text : {"", "GNU sed 4.9", "QEMU emulator version ", "QEMU emulator version x",
                             "QEMU emulator version 7", "QEMU emulator version 7."}) {
        EXPECT_FALSE(parse_qemu_version(text)) << text;
    }
}

TEST_F(ProgramFolder, QemuIsFoundInPath) {
    const std::string path =
        add_program("qemu-system-riscv64", "QEMU emulator version 7.2.22 (Debian)");
    const auto qemu = find_qemu(machine_row(Arch::riscv64), std::nullopt);
    ASSERT_TRUE(qemu) << qemu.error().message;
    EXPECT_EQ(qemu->program, path);
    EXPECT_EQ(qemu->version_text, "7.2.22 (Debian)");
}

TEST_F(ProgramFolder, AMissingQemuIsNamedWithItsPackage) {
    const auto qemu = find_qemu(machine_row(Arch::arm64), std::nullopt);
    ASSERT_FALSE(qemu);
    EXPECT_EQ(qemu.error().fault, Fault::environment);
    EXPECT_THAT(qemu.error().message, HasSubstr("qemu-system-aarch64 is not installed"));
    EXPECT_THAT(qemu.error().message, HasSubstr("qemu-system-arm or name one with qemu=PATH"));
    EXPECT_THAT(
        find_qemu(machine_row(Arch::arm64), std::nullopt, "--qemu arm64=PATH").error().message,
        HasSubstr("or name one with --qemu arm64=PATH"));
}

TEST_F(ProgramFolder, AGivenQemuIsTakenByItsPath) {
    const std::string path = add_program("mine", "QEMU emulator version 9.1.0");
    setenv("PATH", "/nowhere", 1);
    const auto qemu = find_qemu(machine_row(Arch::loongarch64), path);
    ASSERT_TRUE(qemu) << qemu.error().message;
    EXPECT_TRUE(check_boots_linux(machine_row(Arch::loongarch64), *qemu));
}

TEST_F(ProgramFolder, AGivenQemuThatIsNoneIsNamed) {
    const std::string path = add_program("mine", "hello");
    EXPECT_THAT(find_qemu(machine_row(Arch::arm64), path).error().message,
                HasSubstr("does not answer --version as QEMU does"));
    EXPECT_THAT(find_qemu(machine_row(Arch::arm64), "/nowhere/q").error().message,
                HasSubstr("qemu=\"/nowhere/q\" is not a program"));
    // A folder and a file without the right to execute are no programs either.
    EXPECT_FALSE(find_qemu(machine_row(Arch::arm64), folder_.string()));
    chmod(path.c_str(), 0644);
    EXPECT_FALSE(find_qemu(machine_row(Arch::arm64), path));
}

TEST_F(ProgramFolder, AQemuTooOldForLinuxIsRefusedWithTheVersionItTakes) {
    add_program("qemu-system-loongarch64", "QEMU emulator version 9.0.4");
    const MachineRow& row = machine_row(Arch::loongarch64);
    const auto qemu = find_qemu(row, std::nullopt);
    ASSERT_TRUE(qemu) << qemu.error().message;
    const auto boots = check_boots_linux(row, *qemu);
    ASSERT_FALSE(boots);
    EXPECT_EQ(boots.error().fault, Fault::environment);
    EXPECT_THAT(boots.error().message, HasSubstr("needs QEMU 9.1 or newer"));
    EXPECT_THAT(boots.error().message, HasSubstr("9.0.4"));
    EXPECT_THAT(boots.error().message, HasSubstr("name a newer one with qemu=PATH"));
    EXPECT_THAT(check_boots_linux(row, *qemu, "--qemu loongarch64=PATH").error().message,
                HasSubstr("name a newer one with --qemu loongarch64=PATH"));
}

TEST(CheckPlugin, TellsWhyQemuDoesNotLoadIt) {
    // A program that is no QEMU and a QEMU that is told of a file that is no plugin.
    const auto none = check_plugin({"/bin/true", {}, {}}, "/dev/null");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().fault, Fault::environment);
    const auto qemu = find_qemu(machine_row(Arch::x86_64), std::nullopt);
    if (!qemu) {
        GTEST_SKIP() << qemu.error().message;
    }
    EXPECT_THAT(check_plugin(*qemu, "/dev/null").error().message,
                testing::HasSubstr("the recorder cannot be loaded into QEMU: '"));
}

}  // namespace
}  // namespace kerntoll::lab
