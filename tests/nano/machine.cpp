// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"
#include "nano/arch/loongarch64/places.hpp"
#include "nano/arch/riscv64/places.hpp"
#include "nano/arch/s390x/places.hpp"

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

/// The block in the byte order of the machine.
std::string bytes_of(nano::Parameters block, const Machine& machine) {
    if (machine.big_endian) {
        block.magic = std::byteswap(block.magic);
        block.version = std::byteswap(block.version);
        block.size = std::byteswap(block.size);
        block.program_size = std::byteswap(block.program_size);
        block.switches = std::byteswap(block.switches);
        block.zero = std::byteswap(block.zero);
        block.traced_call = std::byteswap(block.traced_call);
        block.replaced_by = std::byteswap(block.replaced_by);
    }
    return {reinterpret_cast<const char*>(&block), sizeof block};
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
        {.arch = "riscv64",
         .qemu = {"qemu-system-riscv64", "-M", "virt", "-bios", "none", "-m", "64"},
         .places = nano::riscv64::places,
         .lazy = {"vector=likely"}},
        {.arch = "s390x",
         .qemu = {"qemu-system-s390x", "-M", "s390-ccw-virtio", "-cpu", "max", "-m", "64",
                  "-action", "panic=exit-failure"},
         .places = nano::s390x::places,
         .big_endian = true},
        // The machine refuses less memory.
        {.arch = "loongarch64",
         .qemu = {"qemu-system-loongarch64", "-M", "virt", "-cpu", "la464", "-m", "1024"},
         .places = nano::loongarch64::places},
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
    const lab::Fd parameter_file = parameters ? file_of(bytes_of(*parameters, machine)) : lab::Fd();
    std::vector<std::string> argv = machine.qemu;
    argv.insert(argv.end(), {"-nographic", "-no-reboot", "-kernel", image});
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
    return {captured->output, captured->status.code.value_or(-1)};
}

Ending run_nano(const Machine& machine, const std::string& image, std::string_view program) {
    nano::Parameters parameters;
    parameters.program_size = program.size();
    return run_nano(machine, image, program, parameters);
}

std::string read_program(const Machine& machine, std::string_view name) {
    const files::path path = files::path(KERNTOLL_TEST_PROGRAMS) / machine.arch / name;
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
