// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"
#include "nano/arch/arm64/places.hpp"
#include "nano/arch/loongarch64/places.hpp"
#include "nano/arch/riscv64/places.hpp"
#include "nano/arch/s390x/places.hpp"
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

/// The block in the byte order of the machine.
std::string block_for(const Machine& machine, const nano::Parameters& parameters) {
    std::string bytes;
    const auto put = [&](auto number) {
        std::array<char, sizeof number> raw{};
        std::memcpy(raw.data(), &number, sizeof number);
        if (machine.is_big_endian != (std::endian::native == std::endian::big)) {
            std::ranges::reverse(raw);
        }
        bytes.append(raw.data(), raw.size());
    };
    put(parameters.magic);
    put(parameters.version);
    put(parameters.size);
    put(parameters.program_size);
    put(parameters.switches);
    put(parameters.zero);
    put(parameters.traced_call);
    put(parameters.replaced_by);
    return bytes;
}

/// What nano's own lines say of the end.
int status_in(const std::string& output) {
    for (const auto& [begin, more] : {std::pair{"nano: pid 1 ended with status ", 0},
                                      std::pair{"nano: pid 1 was killed by signal ", 128}}) {
        if (const auto lines = lines_with(output, begin); !lines.empty()) {
            return std::atoi(lines.front().c_str() + std::strlen(begin)) + more;
        }
    }
    if (!lines_with(output, "nano: panic").empty()) {
        return panicked;
    }
    const bool refused = !lines_with(output, "nano: program").empty() ||
                         !lines_with(output, "nano: parameter block").empty();
    return refused ? unusable : 0;
}

void place(std::vector<std::string>& argv, const lab::Fd& file, uintptr_t address) {
    argv.emplace_back("-device");
    argv.push_back("loader,file=/proc/" + std::to_string(getpid()) + "/fd/" +
                   std::to_string(file.get()) + ",addr=" + std::to_string(address) +
                   ",force-raw=on");
}

/// Whether there is such a program for this machine.
bool has_program(const Machine& machine, std::string_view name) {
    return files::exists(files::path(KERNTOLL_TEST_PROGRAMS) / machine.arch / name);
}

}  // namespace

std::optional<Machine> find_machine(std::string_view arch) {
    const std::vector<std::string> lazy = {"frame=lazy", "debug=on", "stack_offset=on", "layout=7"};
    const std::vector<std::string> lazy_and_likely = {"vector=likely", "frame=lazy", "debug=on",
                                                      "stack_offset=on", "layout=7"};
    const Machine all[] = {
        {.arch = "x86_64",
         .qemu = {"qemu-system-x86_64", "-M", "microvm", "-cpu", "max", "-m", "64", "-device",
                  "isa-debug-exit,iobase=0xf4,iosize=4"},
         .places = nano::x86_64::places,
         .is_big_endian = false,
         .clone = 56,
         .getpid = 39,
         .hardest = lazy,
         .status_3 = 3 * 2 + 1},
        {.arch = "arm64",
         .qemu = {"qemu-system-aarch64", "-M", "virt", "-cpu", "max", "-m", "64",
                  "-semihosting-config", "enable=on,target=native"},
         .places = nano::arm64::places,
         .is_big_endian = false,
         .clone = 220,
         .getpid = 172,
         .hardest = lazy_and_likely,
         .status_3 = 3},
        {.arch = "riscv64",
         .qemu = {"qemu-system-riscv64", "-M", "virt", "-m", "64", "-bios", "none"},
         .places = nano::riscv64::places,
         .is_big_endian = false,
         .clone = 220,
         .getpid = 172,
         .hardest = lazy_and_likely,
         .status_3 = 3},
        {.arch = "s390x",
         .qemu = {"qemu-system-s390x", "-M", "s390-ccw-virtio", "-m", "64", "-action",
                  "panic=exit-failure"},
         .places = nano::s390x::places,
         .is_big_endian = true,
         .clone = 120,
         .getpid = 20,
         .hardest = lazy,
         .status_3 = 1},
        {.arch = "loongarch64",
         .qemu = {"qemu-system-loongarch64", "-M", "virt", "-cpu", "la464-loongarch-cpu", "-m",
                  "1G"},
         .places = nano::loongarch64::places,
         .is_big_endian = false,
         .clone = 220,
         .getpid = 172,
         .hardest = lazy,
         .status_3 = 0},
    };
    for (const Machine& machine : all) {
        if (machine.arch == arch && has_program(machine, "tasks") && !images_of(machine).empty()) {
            return machine;
        }
    }
    return std::nullopt;
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

Start prepare(const Machine& machine, const std::string& image, std::string_view program,
              const std::optional<nano::Parameters>& parameters) {
    Start start{.argv = machine.qemu,
                .program = file_of(program),
                .parameters = parameters ? file_of(block_for(machine, *parameters)) : lab::Fd()};
    start.argv.insert(start.argv.end(), {"-nographic", "-no-reboot", "-kernel", image});
    if (!program.empty()) {
        place(start.argv, start.program, machine.places.program);
    }
    if (parameters) {
        place(start.argv, start.parameters, machine.places.parameters);
    }
    return start;
}

Ending ending_of(std::string output, const lab::ExitStatus& status) {
    const int qemu_status = status.code.value_or(-1);
    const int told = qemu_status < 0 ? -1 : status_in(output);
    return {std::move(output), told, qemu_status};
}

Ending run_nano(const Machine& machine, const std::string& image, std::string_view program,
                const std::optional<nano::Parameters>& parameters) {
    const Start start = prepare(machine, image, program, parameters);
    const auto captured = lab::run_captured(start.argv, 60s);
    if (!captured) {
        ADD_FAILURE() << captured.error().message;
        return {};
    }
    return ending_of(captured->output, captured->status);
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
