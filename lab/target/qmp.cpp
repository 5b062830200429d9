// SPDX-License-Identifier: MIT
#include "lab/target/qmp.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace kerntoll::lab {

namespace {

/// No message that is waited for comes near this; a line longer than it is not QMP.
constexpr std::size_t longest_message = 65536;

/// A text member of a message; `otherwise` where there is none.
std::string text_at(const nlohmann::json& json, const char* key, std::string_view otherwise) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string(otherwise);
}

}  // namespace

/// One line from QEMU, as far as the lab cares.
struct Qmp::Message {
    enum class Kind { greeting, answer, refusal, event } kind;
    std::string text;  ///< of a refusal: QEMU's description; of an answer: what it says, if a text
};

Result<Qmp::Message> Qmp::next_message(Deadline deadline) {
    while (true) {
        if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
            const auto json =
                nlohmann::json::parse(pending_.begin(), pending_.begin() + static_cast<long>(end),
                                      nullptr, /*allow_exceptions=*/false);
            pending_.erase(0, end + 1);
            if (!json.is_object()) {
                return fail(Fault::measurement, "QEMU's control connection sent no QMP message");
            }
            if (json.contains("QMP")) {
                return Message{Message::Kind::greeting, {}};
            }
            if (json.contains("error")) {
                return Message{Message::Kind::refusal,
                               text_at(json["error"], "desc", "no reason given")};
            }
            if (json.contains("event")) {
                if (json["event"] == "SHUTDOWN" && json.contains("data")) {
                    shutdown_reason_ = text_at(json["data"], "reason", "unknown");
                }
                return Message{Message::Kind::event, {}};
            }
            return Message{Message::Kind::answer, text_at(json, "return", {})};
        }
        if (pending_.size() > longest_message) {
            return fail(Fault::measurement, "QEMU's control connection sent no QMP message");
        }
        std::array watched{pollfd{socket_.get(), POLLIN, 0}};
        const auto ready = wait_for_events(watched, deadline);
        if (!ready) {
            return std::unexpected(ready.error());
        }
        if (*ready == 0) {
            return fail(Fault::measurement, "QEMU's control connection did not answer in time");
        }
        std::array<char, 4096> chunk{};
        const ssize_t got = recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return fail(Fault::measurement, "QEMU hung up its control connection");
        }
        pending_.append(chunk.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
}

Result<Qmp::Message> Qmp::ask(std::string_view line, std::string_view command, Deadline deadline) {
    // A command is far smaller than a socket's buffer, and QEMU answers one before it gets the
    // next: a short write cannot happen, an error means that QEMU is gone.
    if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(line.size())) {
        return fail(Fault::measurement, "QEMU hung up its control connection");
    }
    while (true) {
        auto message = next_message(deadline);
        if (message && message->kind == Message::Kind::refusal) {
            return fail(Fault::measurement,
                        fmt::format("QEMU refused '{}': {}", command, message->text));
        }
        if (!message || message->kind == Message::Kind::answer) {
            return message;
        }
    }
}

Result<void> Qmp::negotiate(Deadline deadline) {
    auto greeting = next_message(deadline);
    if (!greeting) {
        return std::unexpected(greeting.error());
    }
    if (greeting->kind != Message::Kind::greeting) {
        return fail(Fault::measurement, "QEMU's control connection did not start with a greeting");
    }
    return execute("qmp_capabilities", deadline);
}

Result<void> Qmp::execute(std::string_view command, Deadline deadline) {
    const auto answer = ask(fmt::format(R"({{"execute":"{}"}})"
                                        "\n",
                                        command),
                            command, deadline);
    return answer ? Result<void>() : std::unexpected(answer.error());
}

Result<std::string> Qmp::monitor(std::string_view command, Deadline deadline) {
    const nlohmann::json request{{"execute", "human-monitor-command"},
                                 {"arguments", {{"command-line", command}}}};
    auto answer = ask(request.dump() + "\n", command, deadline);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    return std::move(answer->text);
}

std::string Qmp::shutdown_reason() {
    while (next_message(Clock::now())) {
    }
    return shutdown_reason_;
}

}  // namespace kerntoll::lab
