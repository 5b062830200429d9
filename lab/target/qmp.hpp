// SPDX-License-Identifier: MIT
// QEMU's control connection (QEMU Machine Protocol): stops and continues a machine and tells why
// one ended. https://www.qemu.org/docs/master/interop/qmp-spec.html
#pragma once

#include <string>
#include <string_view>

#include "lab/base/error.hpp"
#include "lab/base/fd.hpp"
#include "lab/base/interrupt.hpp"

namespace kerntoll::lab {

class Qmp {
public:
    /// Talks over a connected socket whose other end QEMU has.
    explicit Qmp(Fd socket) : socket_(std::move(socket)) {}

    /// Waits for the greeting and enters command mode. Fault::measurement where QEMU says something
    /// else, nothing, or hangs up.
    [[nodiscard]] Result<void> negotiate(Deadline deadline);
    /// Runs a command without arguments ("stop", "cont") and waits until QEMU has done it.
    [[nodiscard]] Result<void> execute(std::string_view command, Deadline deadline);
    /// What QEMU's monitor for humans prints for a command ("x/1i 0x1000").
    [[nodiscard]] Result<std::string> monitor(std::string_view command, Deadline deadline);
    /// Why the machine shut down ("guest-reset", "guest-panic", …), as far as QEMU said so; takes
    /// in what has arrived without waiting for more.
    [[nodiscard]] std::string shutdown_reason();

private:
    struct Message;
    [[nodiscard]] Result<Message> next_message(Deadline deadline);
    /// Sends a line and waits for the answer to it; `command` names it where QEMU refuses.
    [[nodiscard]] Result<Message> ask(std::string_view line, std::string_view command,
                                      Deadline deadline);

    Fd socket_;
    std::string pending_;  ///< bytes that do not make a line yet
    std::string shutdown_reason_;
};

}  // namespace kerntoll::lab
