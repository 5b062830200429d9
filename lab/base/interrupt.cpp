// SPDX-License-Identifier: MIT
#include "lab/base/interrupt.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace kerntoll::lab {

namespace {

// What a signal handler may touch: lock-free atomics and one descriptor that stays open until the
// program ends.
std::atomic<bool> requested{false};
std::atomic<int> wake_fd{-1};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Exit code of a measurement that could not be completed, unless the command has others.
std::atomic<int> exit_when_asked_twice{3};

void wake() {
    const std::uint64_t one = 1;
    // An eventfd that is full is readable already; a closed one has no reader.
    [[maybe_unused]] const ssize_t written = write(wake_fd, &one, sizeof one);
}

extern "C" void on_signal(int /*signal*/) {
    const int saved = errno;
    if (requested.exchange(true)) {
        constexpr std::string_view last_words = "\nkerntoll: stopped at once, as asked twice\n";
        [[maybe_unused]] const ssize_t written =
            write(STDERR_FILENO, last_words.data(), last_words.size());
        _exit(exit_when_asked_twice);
    }
    wake();
    errno = saved;
}

}  // namespace

Result<void> install_interrupt_handlers() {
    if (wake_fd < 0) {
        wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    struct sigaction action{};
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    const struct sigaction usual{};
    const bool watched = std::ranges::all_of(std::array{SIGINT, SIGTERM, SIGHUP}, [&](int signal) {
        return sigaction(signal, &action, nullptr) == 0;
    });
    if (wake_fd < 0 || !watched || sigaction(SIGPIPE, &ignore, nullptr) != 0 ||
        sigaction(SIGCHLD, &usual, nullptr) != 0) {
        return fail(Fault::environment,
                    fmt::format("cannot watch for Ctrl-C: {}", std::strerror(errno)));
    }
    return {};
}

void exit_when_asked_twice_with(int code) {
    exit_when_asked_twice = code;
}

bool interrupt_requested() {
    return requested;
}

void request_interrupt() {
    requested = true;
    wake();
}

void clear_interrupt() {
    requested = false;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_fd, &count, sizeof count);
}

Result<void> check_interrupt() {
    if (requested) {
        return fail(Fault::interrupted, "stopped by Ctrl-C, SIGTERM or the end of the terminal");
    }
    return {};
}

Result<int> wait_for_events(std::span<pollfd> watched, Deadline deadline) {
    std::vector<pollfd> all(watched.begin(), watched.end());
    all.push_back({wake_fd, POLLIN, 0});
    while (true) {
        if (auto stopped = check_interrupt(); !stopped) {
            return std::unexpected(stopped.error());
        }
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        const int timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
        const int ready = poll(all.data(), all.size(), timeout);
        if (ready < 0 && errno != EINTR) {
            return fail(Fault::environment,
                        fmt::format("cannot wait for a machine: {}", std::strerror(errno)));
        }
        if (ready == 0) {
            return 0;
        }
        if (ready > 0 && all.back().revents == 0) {
            std::ranges::copy(std::span(all).first(watched.size()), watched.begin());
            return ready;
        }
    }
}

}  // namespace kerntoll::lab
