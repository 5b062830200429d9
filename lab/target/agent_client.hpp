// SPDX-License-Identifier: MIT
// The lab's end of the wire protocol (docs/wire.md): one request at a time, repeated until its
// answer comes, over a line that may lose, damage and mix things.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/base/interrupt.hpp"
#include "lab/target/console.hpp"
#include "wire/frame.hpp"

namespace kerntoll::lab {

/// The fields of an answer, values decoded. What the machine's kernel says of itself ends up on the
/// user's terminal and in the results file, so bytes that are not printable ASCII become '?'.
class Answer {
public:
    /// Nothing where the payload is malformed.
    [[nodiscard]] static std::optional<Answer> parse(std::string_view payload);

    [[nodiscard]] const std::string& word() const { return word_; }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const {
        return fields_;
    }
    /// The value of a field; empty where there is none.
    [[nodiscard]] std::string text(std::string_view key) const;
    /// The value of a field as a number; nothing where it is missing or not one.
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view key) const;

private:
    std::string word_;
    std::vector<std::pair<std::string, std::string>> fields_;
};

/// How a request can end without an answer.
struct NoAnswer {
    enum class Kind {
        silent,       ///< nothing valid came until the deadline
        ended,        ///< the line was closed or the machine ended
        restarted,    ///< an agent said hello anew
        interrupted,  ///< the lab was asked to stop
        garbled,      ///< an answer came whole but makes no sense
        given_up,     ///< what was to be done meanwhile failed
    } kind;
    std::string detail;  ///< what was wrong, where that needs saying
};

/// How long to wait for an answer. An agent in the middle of a batch does not read, and is best
/// left alone: the first repetition should come well after the batch's end.
struct Patience {
    std::chrono::milliseconds repeat_after;
    Deadline give_up;
};

/// What is done once a request was sent and before its answer is waited for; false gives it up. The
/// time that it takes is not part of the waiting. Empty: nothing.
using Meanwhile = std::function<bool()>;
/// What connects the lab and an agent.
struct Line {
    /// A stream socket that goes both ways.
    Line(Fd both_ways) : socket(std::move(both_ways)) {}  // NOLINT(google-explicit-constructor)
    /// The lab speaks over the socket and hears from the pipe.
    Line(Fd to, Fd from) : socket(std::move(to)), pipe(std::move(from)) {}

    Fd socket;
    Fd pipe;
};

class AgentClient {
public:
    /// `exit_fd` (borrowed) is readable once what is at the line's other end has ended.
    AgentClient(Line line, int exit_fd)
        : line_(std::move(line.socket)), from_(std::move(line.pipe)), exit_fd_(exit_fd) {}

    /// Waits for the hello of a fresh agent: true if it came, false if the deadline passed.
    [[nodiscard]] std::expected<bool, NoAnswer> await_hello(Deadline deadline);

    /// Sends a request (a payload) and waits for its answer.
    [[nodiscard]] std::expected<Answer, NoAnswer> ask(std::string_view payload, Patience patience,
                                                      const Meanwhile& meanwhile = {});

    [[nodiscard]] const Console& console() const { return console_; }

private:
    enum class Heard { nothing, something };

    [[nodiscard]] std::expected<Heard, NoAnswer> listen(Deadline until);
    void send(std::string_view frame) const;
    void take(const wire::Frame& frame);
    void drain();

    /// Where to hear from.
    [[nodiscard]] int ear() const { return from_ ? from_.get() : line_.get(); }
    void hang_up();

    Fd line_;
    Fd from_;  ///< empty: line_ goes both ways
    int exit_fd_;
    wire::Decoder decoder_{wire::Direction::response};
    Console console_;
    std::uint32_t sequence_ = 0;
    bool greeted_ = false;
    bool restarted_ = false;
    std::optional<std::string> answer_;  ///< payload that answers the request of sequence_
};

}  // namespace kerntoll::lab
