// SPDX-License-Identifier: MIT
#include "lab/target/gdb.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kerntoll::lab {
namespace {

std::unexpected<Error> trouble(std::string_view what) {
    return fail(Fault::measurement, fmt::format("QEMU's gdb stub {}", what));
}

/// An answer as it may stand in a sentence.
std::string quoted(std::string_view answer) {
    constexpr std::size_t most = 40;
    std::string text(answer.substr(0, most));
    std::ranges::replace_if(text, [](char byte) { return byte < ' ' || byte > '~'; }, '?');
    return text;
}

}  // namespace

Result<void> Gdb::send(std::string_view bytes) {
    // The stub takes one request at a time, which is far smaller than a socket's buffer: a short
    // write cannot happen, an error means that QEMU is gone.
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size())) {
        return trouble("hung up");
    }
    return {};
}

Result<std::string> Gdb::reply(Deadline deadline) {
    while (true) {
        if (auto whole = decoder_.take()) {
            return *std::move(whole);
        }
        std::array watched{pollfd{socket_.get(), POLLIN, 0}};
        const auto ready = wait_for_events(watched, deadline);
        if (!ready) {
            return std::unexpected(ready.error());
        }
        if (*ready == 0) {
            return trouble("did not answer in time");
        }
        std::array<char, 4096> chunk{};
        const ssize_t got = recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return trouble("hung up");
        }
        if (!decoder_.feed({chunk.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))})) {
            return trouble("sent what is no packet of its protocol");
        }
    }
}

Result<std::string> Gdb::ask(std::string_view request, Deadline deadline) {
    // The `+` acknowledges the answer before; the stub does not wait for it.
    if (auto sent = send("+" + gdb_packet(request)); !sent) {
        return std::unexpected(sent.error());
    }
    return reply(deadline);
}

Result<void> Gdb::command(std::string_view request, Deadline deadline) {
    const auto answer = ask(request, deadline);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    if (*answer != "OK") {
        return trouble(fmt::format("refuses '{}': '{}'", request, quoted(*answer)));
    }
    return {};
}

Result<void> Gdb::stop(Deadline deadline) {
    constexpr std::string_view interrupt = "\x03";
    if (auto sent = send(interrupt); !sent) {
        return sent;
    }
    if (auto stopped = await_stop(deadline); !stopped) {
        return stopped;
    }
    // It gives single registers only to those who have looked at its description of them.
    if (auto described = ask("qXfer:features:read:target.xml:0,40", deadline); !described) {
        return std::unexpected(described.error());
    }
    // SSTEP_ENABLE, SSTEP_NOIRQ and SSTEP_NOTIMER.
    return command("Qqemu.sstep=0x7", deadline);
}

Result<void> Gdb::set_breakpoint(std::uint64_t address, Deadline deadline) {
    return command(fmt::format("Z1,{:x},1", address), deadline);
}

Result<void> Gdb::clear_breakpoint(std::uint64_t address, Deadline deadline) {
    return command(fmt::format("z1,{:x},1", address), deadline);
}

Result<void> Gdb::go_on() {
    return send("+" + gdb_packet("c"));
}

Result<void> Gdb::await_stop(Deadline deadline) {
    const auto answer = reply(deadline);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    // Which signal is told means nothing here: an interrupt is SIGINT, the others are SIGTRAP.
    if ((!answer->starts_with('T') && !answer->starts_with('S')) || answer->size() < 3 ||
        !hex_byte(std::string_view(*answer).substr(1, 2))) {
        return trouble(fmt::format("says '{}' where the machine should stop", quoted(*answer)));
    }
    return {};
}

Result<void> Gdb::step(Deadline deadline) {
    if (auto sent = send("+" + gdb_packet("s")); !sent) {
        return sent;
    }
    return await_stop(deadline);
}

Result<std::uint64_t> Gdb::read_register(unsigned number, Deadline deadline) {
    const auto answer = ask(fmt::format("p{:x}", number), deadline);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    const auto bytes = hex_bytes(*answer);
    if (!bytes || bytes->size() != sizeof(std::uint64_t)) {
        return trouble(fmt::format("says '{}' of register {}, which is none of eight bytes",
                                   quoted(*answer), number));
    }
    std::uint64_t value = 0;
    for (std::size_t at = 0; at < bytes->size(); ++at) {
        const std::size_t from = order_ == std::endian::big ? at : bytes->size() - 1 - at;
        value = value << 8U | static_cast<unsigned char>((*bytes)[from]);
    }
    return value;
}

Result<std::string> Gdb::read_memory(std::uint64_t address, std::size_t size, Deadline deadline) {
    const auto answer = ask(fmt::format("m{:x},{:x}", address, size), deadline);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    auto bytes = hex_bytes(*answer);
    if (!bytes || bytes->size() != size) {
        return trouble(
            fmt::format("says '{}' of the {} bytes at {:#x}", quoted(*answer), size, address));
    }
    return *std::move(bytes);
}

}  // namespace kerntoll::lab
