// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"
#include "nano/arch/arm64/places.hpp"
#include "nano/arch/riscv64/places.hpp"
#include "nano/arch/x86_64/places.hpp"

namespace kerntoll::nano_test {

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;

/// A file without a name that QEMU reads by the test's descriptor.
lab::Fd file_of(std::string_view bytes) {
    lab::Fd file(memfd_create("nano-test", 0));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    return file;
}

files::path program_path(const Machine& machine, std::string_view name) {
    return files::path(KERNTOLL_TEST_PROGRAMS) / machine.arch / name;
}

void place(std::vector<std::string>& argv, const lab::Fd& file, uintptr_t address) {
    argv.emplace_back("-device");
    argv.push_back("loader,file=/proc/" + std::to_string(getpid()) + "/fd/" +
                   std::to_string(file.get()) + ",addr=" + std::to_string(address) +
                   ",force-raw=on");
}

}  // namespace

const std::vector<Machine>& machines() {
    static const std::vector<Machine> all = {
        {"riscv64",
         {"qemu-system-riscv64", "-M", "virt", "-bios", "none"},
         nano::riscv64::places,
         true,
         true},
        {"x86_64",
         {"qemu-system-x86_64", "-M", "microvm", "-cpu", "max", "-device",
          "isa-debug-exit,iobase=0xf4,iosize=4"},
         nano::x86_64::places,
         true,
         false,
         true},
        {"arm64",
         {"qemu-system-aarch64", "-M", "virt", "-cpu", "max", "-semihosting-config",
          "enable=on,target=native"},
         nano::arm64::places,
         true,
         true},
    };
    return all;
}

std::vector<std::string> images_of(const Machine& machine) {
    std::vector<std::string> images;
    for (const char* compiler : {"clang", "gcc"}) {
        std::string image = std::string(KERNTOLL_TEST_IMAGES) + "/kerntoll-nano-" +
                            std::string(machine.arch) + "-" + compiler;
        if (files::exists(image)) {
            images.push_back(std::move(image));
        }
    }
    return images;
}

Ending run_nano(const Machine& machine, const std::string& image, std::string_view program,
                const std::optional<nano::Parameters>& parameters) {
    const lab::Fd program_file = file_of(program);
    const lab::Fd parameter_file =
        parameters ? file_of({reinterpret_cast<const char*>(&*parameters), sizeof *parameters})
                   : lab::Fd();
    std::vector<std::string> argv = machine.qemu;
    argv.insert(argv.end(), {"-m", "64", "-nographic", "-no-reboot", "-kernel", image});
    if (!program.empty()) {
        place(argv, program_file, machine.places.program);
    }
    if (parameters) {
        place(argv, parameter_file, machine.places.parameters);
    }
    const auto captured = lab::run_captured(argv, 60s);
    if (!captured) {
        ADD_FAILURE() << captured.error().message;
        return {};
    }
    const int status = captured->status.code.value_or(-1);
    return {captured->output, machine.has_debug_exit && status > 0 ? status / 2 : status};
}

Ending run_nano(const Machine& machine, const std::string& image, std::string_view program) {
    nano::Parameters parameters;
    parameters.program_size = program.size();
    return run_nano(machine, image, program, parameters);
}

bool has_program(const Machine& machine, std::string_view name) {
    return files::exists(program_path(machine, name));
}

std::string read_program(const Machine& machine, std::string_view name) {
    const files::path path = program_path(machine, name);
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string make_image(const Machine& machine, const std::vector<std::string>& choices) {
    std::string name;
    for (const std::string& choice : choices) {
        name += "-" + choice;
    }
    std::string image =
        std::string(KERNTOLL_TEST_IMAGES) + "/tests/" + std::string(machine.arch) + name;
    std::vector<std::string> argv = {KERNTOLL_NANO_BUILD, std::string(machine.arch)};
    argv.insert(argv.end(), choices.begin(), choices.end());
    argv.insert(argv.end(), {"-o", image, "--cache", std::string(KERNTOLL_TEST_IMAGES) + "/cache"});
    const auto built = lab::run_captured(argv, 100s);
    if (!built || built->status.code != 0) {
        ADD_FAILURE() << (built ? built->output : built.error().message);
        return {};
    }
    return image;
}

std::vector<std::string> lines_with(std::string_view text, std::string_view begin) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        if (line.starts_with(begin)) {
            lines.emplace_back(line);
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

}  // namespace kerntoll::nano_test
