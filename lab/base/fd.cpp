// SPDX-License-Identifier: MIT
#include "lab/base/fd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace kerntoll::lab {

namespace {

std::unexpected<Error> cannot_make(std::string_view what) {
    return fail(Fault::environment, fmt::format("cannot make {}: {}", what, std::strerror(errno)));
}

Result<FdPair> pair_above_standard(const std::array<int, 2>& ends) {
    auto first = above_standard(Fd(ends[0]));
    auto second = above_standard(Fd(ends[1]));
    if (!first) {
        return std::unexpected(first.error());
    }
    if (!second) {
        return std::unexpected(second.error());
    }
    return FdPair{std::move(*first), std::move(*second)};
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        number_ = std::exchange(other.number_, -1);
    }
    return *this;
}

void Fd::reset() {
    if (number_ >= 0) {
        close(std::exchange(number_, -1));
    }
}

Result<Fd> above_standard(Fd fd) {
    if (fd.get() > STDERR_FILENO) {
        return fd;
    }
    const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) {
        return cannot_make("a file descriptor");
    }
    return Fd(moved);
}

Result<FdPair> make_socketpair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return cannot_make("a socket pair");
    }
    return pair_above_standard(ends);
}

Result<FdPair> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return cannot_make("a pipe");
    }
    return pair_above_standard(ends);
}

Result<void> make_nonblocking(const Fd& fd) {
    const int flags = fcntl(fd.get(), F_GETFL);
    if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
        return cannot_make("a non-blocking descriptor");
    }
    return {};
}

}  // namespace kerntoll::lab
