// SPDX-License-Identifier: MIT
// Stands in for QEMU where a test needs kernels whose calls have a known price: takes QEMU's
// command line, looks into the kernel for a line "cost=N", and answers for an agent whose every op
// takes N instructions and as many nanoseconds, the loop's four among them. Nothing is executed;
// where time counts, it sleeps so long.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/guests/arguments.hpp"
#include "wire/frame.hpp"

namespace {

using namespace kerntoll;

constexpr std::uint64_t loop_cost = 4;

/// The number behind `mark`; 0 where there is none.
std::uint64_t number_behind(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    std::uint64_t number = 0;
    if (at != std::string_view::npos) {
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
    }
    return number;
}

void answer(std::uint32_t sequence, std::string_view payload) {
    char frame[wire::max_frame];
    const std::size_t length =
        wire::encode(wire::Direction::response, sequence, {payload.data(), payload.size()}, frame);
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, frame, length);
}

/// The agent: one request in, one answer out.
struct Agent {
    std::uint64_t cost;
    bool counted;  ///< its time is the number of instructions, and nobody's clock

    void frame(const wire::Frame& frame) const {
        const std::string_view request(frame.payload.data, frame.payload.size);
        answer(frame.sequence, reply(request));
    }
    void text(wire::Text /*text*/) const {}

    [[nodiscard]] std::string reply(std::string_view request) const {
        if (request.starts_with("identify")) {
            return "ok version=1 arch=x86_64 page=4096 release=6.12 build=%231 clock_ns=1 "
                   "counter=rdtsc counter_hz=1000000000 pid=1";
        }
        if (request.starts_with("list")) {
            return "ok getpid=1";
        }
        if (request.starts_with("calibrate")) {
            return fmt::format("ok n={}", number_behind(request, " ns=") / cost);
        }
        if (request.starts_with("prove")) {
            return "ok checked=nothing";
        }
        if (request.starts_with("run")) {
            const std::uint64_t each = request.contains(" hollow=1") ? loop_cost : cost;
            const std::uint64_t ns = number_behind(request, " n=") * each;
            if (!counted) {
                std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
            }
            return fmt::format("ok ns={} ticks={}", ns, ns);
        }
        return "ok";
    }
};

void say(int control, std::string_view line) {
    const std::string whole = fmt::format("{}\r\n", line);
    [[maybe_unused]] const ssize_t sent = send(control, whole.data(), whole.size(), MSG_NOSIGNAL);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments[0] == "--version") {
        std::puts("QEMU emulator version 9.9.9 (priced)");
        return 0;
    }
    std::ifstream kernel(std::string(value_of(arguments, "-kernel")), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(kernel), {}};
    const std::uint64_t cost = number_behind(bytes, "\ncost=");
    if (cost <= loop_cost) {
        std::fputs("priced-qemu: the kernel has no price\n", stderr);
        return 1;
    }
    if (!value_of(arguments, "-plugin").empty() || !value_of(arguments, "-gdb").empty()) {
        std::fputs("priced-qemu: nothing is executed that could be recorded\n", stderr);
        return 1;
    }
    const int control = std::atoi(value_of(arguments, "socket,id=control,fd=").data());
    say(control, R"({"QMP": {"version": {}, "capabilities": []}})");
    answer(0, "hello version=1 arch=x86_64");
    const bool counted = !value_of(arguments, "-icount").empty();
    wire::Decoder decoder(wire::Direction::request);
    for (;;) {
        std::array watched{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{control, POLLIN, 0}};
        poll(watched.data(), watched.size(), -1);
        std::array<char, 4096> chunk{};
        if (watched[0].revents != 0) {
            const ssize_t got = read(STDIN_FILENO, chunk.data(), chunk.size());
            if (got <= 0) {
                return 0;
            }
            decoder.feed({chunk.data(), static_cast<std::size_t>(got)}, Agent{cost, counted});
        }
        if (watched[1].revents != 0) {
            if (recv(control, chunk.data(), chunk.size(), 0) <= 0) {
                return 0;
            }
            say(control, R"({"return": {}})");
        }
    }
}
