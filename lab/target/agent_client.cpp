// SPDX-License-Identifier: MIT
#include "lab/target/agent_client.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "lab/target/wire_text.hpp"
#include "wire/payload.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {

std::optional<Answer> Answer::parse(std::string_view payload) {
    wire::PayloadReader reader(as_text(payload));
    Answer answer;
    answer.word_ = as_view(reader.word());
    wire::Field field;
    while (reader.next(field)) {
        std::array<char, wire::max_payload> decoded{};
        std::size_t size = 0;
        if (!wire::decode_value(field.value, decoded.data(), decoded.size(), size)) {
            return std::nullopt;
        }
        std::string value(decoded.data(), size);
        std::ranges::replace_if(value, [](char byte) { return byte < ' ' || byte > '~'; }, '?');
        answer.fields_.emplace_back(as_view(field.key), std::move(value));
    }
    return reader.well_formed() ? std::optional(std::move(answer)) : std::nullopt;
}

std::string Answer::text(std::string_view key) const {
    const auto found =
        std::ranges::find(fields_, key, [](const auto& field) { return field.first; });
    return found == fields_.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> Answer::number(std::string_view key) const {
    std::uint64_t number = 0;
    return wire::parse_decimal(as_text(text(key)), number) ? std::optional(number) : std::nullopt;
}

void AgentClient::take(const wire::Frame& frame) {
    // An answer to an earlier request is the echo of a repetition that was not needed after all.
    if (frame.sequence == 0) {
        restarted_ = greeted_;
        greeted_ = true;
    } else if (frame.sequence == sequence_) {
        answer_ = as_view(frame.payload);
    }
}

void AgentClient::drain() {
    struct Sink {
        AgentClient& client;
        void frame(const wire::Frame& frame) { client.take(frame); }
        void text(wire::Text text) { client.console_.add(as_view(text)); }
    };
    std::array<char, 4096> chunk{};
    const ssize_t got = read(ear(), chunk.data(), chunk.size());  // there is something, or the end
    if (got > 0) {
        decoder_.feed({chunk.data(), static_cast<std::size_t>(got)}, Sink{*this});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        decoder_.finish(Sink{*this});
        hang_up();
    }
}

void AgentClient::hang_up() {
    line_.reset();
    from_.reset();
}

std::expected<AgentClient::Heard, NoAnswer> AgentClient::listen(Deadline until) {
    if (!line_) {
        return std::unexpected(NoAnswer{NoAnswer::Kind::ended, {}});
    }
    std::array watched{pollfd{ear(), POLLIN, 0}, pollfd{exit_fd_, POLLIN, 0}};
    const auto ready = wait_for_events(watched, until);
    if (!ready) {
        return std::unexpected(NoAnswer{NoAnswer::Kind::interrupted, ready.error().message});
    }
    if (watched[0].revents != 0) {
        // What is on the line comes first, also when its writer has ended meanwhile.
        drain();
    } else if (watched[1].revents != 0) {
        hang_up();
    }
    if (restarted_) {
        return std::unexpected(NoAnswer{NoAnswer::Kind::restarted, {}});
    }
    return *ready == 0 ? Heard::nothing : Heard::something;
}

std::expected<bool, NoAnswer> AgentClient::await_hello(Deadline deadline) {
    while (!greeted_ && Clock::now() < deadline) {
        if (const auto heard = listen(deadline); !heard) {
            return std::unexpected(heard.error());
        }
    }
    return greeted_;
}

void AgentClient::send(std::string_view frame) const {
    // A full line or a dead machine loses the request, as a damaged one would be lost: repetition
    // and the machine's end are both dealt with by the caller's loop.
    [[maybe_unused]] const ssize_t sent =
        ::send(line_.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::expected<Answer, NoAnswer> AgentClient::ask(std::string_view payload, Patience patience,
                                                 const Meanwhile& meanwhile) {
    char frame[wire::max_frame];
    ++sequence_;
    answer_.reset();
    const std::size_t length =
        wire::encode(wire::Direction::request, sequence_, as_text(payload), frame);
    send({frame, length});
    if (meanwhile) {
        const auto start = Clock::now();
        if (!meanwhile()) {
            return std::unexpected(NoAnswer{NoAnswer::Kind::given_up, {}});
        }
        patience.give_up += Clock::now() - start;
    }
    for (auto wait = patience.repeat_after; Clock::now() < patience.give_up; wait *= 2) {
        const Deadline repeat = std::min(Clock::now() + wait, patience.give_up);
        // What was sent to an agent before its hello is lost: a starting kernel had the line.
        const bool had_greeted = greeted_;
        while (!answer_ && greeted_ == had_greeted && Clock::now() < repeat) {
            if (const auto heard = listen(repeat); !heard) {
                return std::unexpected(heard.error());
            }
        }
        if (answer_) {
            greeted_ = true;  // a lost hello: whoever answers has started
            auto answer = Answer::parse(*answer_);
            if (!answer) {
                return std::unexpected(NoAnswer{NoAnswer::Kind::garbled, *answer_});
            }
            return *std::move(answer);
        }
        send({frame, length});
    }
    return std::unexpected(NoAnswer{NoAnswer::Kind::silent, {}});
}

}  // namespace kerntoll::lab
