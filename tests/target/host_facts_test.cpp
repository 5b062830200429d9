// SPDX-License-Identifier: MIT
#include "lab/target/host_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/target/images.hpp"

namespace kerntoll::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using namespace std::string_literals;

/// A machine made of the files that it shows.
class FakeRoot : public testing::Test {
protected:
    FakeRoot() {
        std::string name = std::filesystem::temp_directory_path() / "kerntoll-root-XXXXXX";
        root_ = mkdtemp(name.data());
    }
    ~FakeRoot() override { std::filesystem::remove_all(root_); }
    void add(const std::string& path, std::string_view text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path, std::ios::binary) << text;
    }
    std::filesystem::path root_;
};

TEST_F(FakeRoot, NothingThatSpeaksOfAHypervisorIsHardware) {
    add("proc/cpuinfo", "model name\t: AMD Ryzen\nflags\t\t: fpu vme hypervisors nohypervisor\n");
    add("sys/class/dmi/id/sys_vendor", "LENOVO\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::hardware);
    EXPECT_EQ(host_nature(root_).evidence, "");
}

TEST_F(FakeRoot, TheCpuFlagSaysVirtualised) {
    add("proc/cpuinfo", "model name\t: AMD EPYC\nflags\t\t: fpu hypervisor lahf_lm\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
    EXPECT_THAT(host_nature(root_).evidence, HasSubstr("hypervisor"));
}

TEST_F(FakeRoot, AnEmulatedCpuSaysEmulated) {
    add("proc/cpuinfo", "model name\t: QEMU TCG CPU version 2.5+\nflags\t\t: fpu hypervisor\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::emulated);
}

TEST_F(FakeRoot, DmiSaysVirtualised) {
    add("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
    add("sys/class/dmi/id/sys_vendor", "QEMU\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
    EXPECT_THAT(host_nature(root_).evidence, HasSubstr("sys_vendor \"QEMU\""));
}

TEST_F(FakeRoot, AmazonSellsBothKinds) {
    add("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    add("sys/class/dmi/id/product_name", "m7g.metal\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::hardware);
    add("sys/class/dmi/id/product_name", "m7g.large\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
}

TEST_F(FakeRoot, TheDeviceTreeSaysVirtualised) {
    add("proc/device-tree/compatible", "riscv-virtio\0"s);
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
    add("proc/device-tree/compatible", "starfive,visionfive-2\0starfive,jh7110\0"s);
    EXPECT_EQ(host_nature(root_).grade, Grade::hardware);
    add("proc/device-tree/hypervisor/compatible", "xen,xen\0"s);
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
}

TEST_F(FakeRoot, S390xIsVirtualisedAboveItsFirmwareOnly) {
    add("proc/sysinfo", "Manufacturer: IBM\nLPAR Number:          12\nLPAR Name: TEST\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::hardware);
    add("proc/sysinfo", "Manufacturer: IBM\nVM00 Name: guest\nVM00 Control Program: KVM/Linux\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
    EXPECT_THAT(host_nature(root_).evidence, HasSubstr("KVM/Linux"));
}

TEST_F(FakeRoot, XenSaysVirtualised) {
    add("sys/hypervisor/type", "xen\n");
    EXPECT_EQ(host_nature(root_).grade, Grade::virtualised);
}

TEST_F(FakeRoot, SettingsAreReadFromWhereLinuxShowsThem) {
    const std::string cpu = "sys/devices/system/cpu/";
    add("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 9\nmodel name\t: other\n");
    add(cpu + "online", "0-3,8\n");
    add(cpu + "cpufreq/policy0/scaling_governor", "schedutil\n");
    add(cpu + "cpufreq/policy1/scaling_governor", "performance\n");
    add(cpu + "cpufreq/policy2/scaling_governor", "performance\n");
    add(cpu + "cpufreq/boost", "1\n");
    add(cpu + "smt/active", "0\n");
    add(cpu + "isolated", "2-3\n");
    add(cpu + "vulnerabilities/meltdown", "Not affected\n");
    add(cpu + "vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
    add("proc/sys/kernel/randomize_va_space", "2\n");
    add("proc/loadavg", "0.75 0.50 0.25 1/100 4242\n");
    add("proc/sys/kernel/osrelease", "6.1.0-9-amd64\n");
    add("proc/sys/kernel/version", "#1 SMP\n");
    add("proc/cmdline", "quiet mitigations=auto\n");
    add("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
    const HostSettings settings = read_host_settings(root_);
    EXPECT_EQ(settings.cpu_model, "AMD EPYC 9");
    EXPECT_EQ(settings.cpus, 5U);
    EXPECT_THAT(settings.governors, ElementsAre("performance", "schedutil"));
    EXPECT_EQ(settings.boost, Setting::on);
    EXPECT_EQ(settings.smt, Setting::off);
    EXPECT_EQ(settings.isolated_cpus, "2-3");
    EXPECT_THAT(settings.mitigations, ElementsAre(Pair("spectre_v2", "Mitigation: Retpolines")));
    EXPECT_EQ(settings.address_space_randomisation, 2);
    EXPECT_EQ(settings.load, 0.75);
    EXPECT_EQ(settings.kernel_release, "6.1.0-9-amd64");
    EXPECT_EQ(settings.command_line, "quiet mitigations=auto");
    EXPECT_EQ(settings.system, "Debian GNU/Linux 12");
}

TEST_F(FakeRoot, IntelsBoostIsSaidTheOtherWayRound) {
    add("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    EXPECT_EQ(read_host_settings(root_).boost, Setting::off);
    add("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    EXPECT_EQ(read_host_settings(root_).boost, Setting::on);
}

TEST_F(FakeRoot, AMachineThatShowsNothingHasNothing) {
    const HostSettings settings = read_host_settings(root_);
    EXPECT_EQ(settings.boost, Setting::absent);
    EXPECT_EQ(settings.smt, Setting::absent);
    EXPECT_TRUE(settings.governors.empty());
    EXPECT_FALSE(settings.load);
    EXPECT_EQ(settings.kernel_build_id, "");
}

TEST_F(FakeRoot, TheKernelsBuildIdIsReadFromItsNotes) {
    using images::Order;
    const Order order = std::endian::native == std::endian::little ? Order::little : Order::big;
    add("sys/kernel/notes", images::note("Linux", 0x100, "salt", order) +
                                images::build_id_note('a', order) +
                                images::note("Xen", 18, "abcd", order));
    EXPECT_EQ(read_host_settings(root_).kernel_build_id, images::content_build_id);
    add("sys/kernel/notes", images::build_id_note('a', order).substr(0, 20));
    EXPECT_EQ(read_host_settings(root_).kernel_build_id, "");
}

TEST_F(FakeRoot, FactsAreStoredUnderFixedKeys) {
    add("proc/cpuinfo", "flags\t\t: hypervisor\n");
    add("sys/devices/system/cpu/smt/active", "1\n");
    std::map<std::string, std::string> facts;
    for (const auto& [key, value] : host_facts(root_)) {
        EXPECT_TRUE(facts.emplace(key, value).second) << key << " twice";
    }
    EXPECT_EQ(facts["grade"], "virtualised");
    EXPECT_EQ(facts["smt"], "on");
    EXPECT_EQ(facts["boost"], "absent");
    EXPECT_EQ(facts["governor"], "none");
    for (const char* key : {"cpu_model", "mitigations", "kernel_release", "kernel_build_id",
                            "command_line", "isolated_cpus", "system"}) {
        EXPECT_TRUE(facts.contains(key)) << key;
    }
}

TEST(HostFacts, OfThisMachineNameItsKernel) {
    EXPECT_FALSE(read_host_settings().kernel_release.empty());
    EXPECT_GT(read_host_settings().cpus, 0U);
}

}  // namespace
}  // namespace kerntoll::lab
