// SPDX-License-Identifier: MIT
// File descriptors that close themselves, and the kinds of them that the lab makes. All are
// close-on-exec and numbered above the standard three, so that a child can be given any of them
// under its own number.
#pragma once

#include <utility>

#include "lab/base/error.hpp"

namespace kerntoll::lab {

/// Owns one file descriptor.
class Fd {
public:
    Fd() = default;
    explicit Fd(int number) : number_(number) {}
    Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd& operator=(Fd&& other) noexcept;
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
    /// Closes it now.
    void reset();

private:
    int number_ = -1;
};

/// Two ends of something: for a socket pair they are alike, for a pipe `first` is read from.
struct FdPair {
    Fd first;
    Fd second;
};

/// The same descriptor numbered above standard error, the old number closed: a lab that was started
/// with its standard descriptors closed would otherwise hand out those numbers, which a child's own
/// replace.
[[nodiscard]] Result<Fd> above_standard(Fd fd);
/// A connected pair of stream sockets. Fault::environment where the process has no descriptors
/// left.
[[nodiscard]] Result<FdPair> make_socketpair();
/// A pipe: `first` is read from, `second` written to.
[[nodiscard]] Result<FdPair> make_pipe();
/// Makes reads and writes of this descriptor return at once.
[[nodiscard]] Result<void> make_nonblocking(const Fd& fd);

}  // namespace kerntoll::lab
