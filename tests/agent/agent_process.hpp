// SPDX-License-Identifier: MIT
// An agent as a child process: the host's own runs as it is, the others under QEMU's user-mode
// emulation.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/base/subprocess.hpp"
#include "wire/frame.hpp"

namespace kerntoll::agent {

struct Port {
    const char* name;
    const char* emulator;  ///< QEMU's program for user-mode emulation
    const char* counter;
    bool is_host;

    // How GoogleTest names it in messages.
    friend void PrintTo(const Port& port, std::ostream* out) { *out << port.name; }
};

/// All five, and which of them this machine is.
const std::vector<Port>& ports();
const Port& host_port();

/// Where the build put an agent, with its symbols or without.
std::string agent_program(const Port& port);
std::string agent_with_symbols(const Port& port);

/// An answer, taken apart and decoded.
struct Answer {
    std::string text;  ///< as it came, for messages
    std::string word;
    std::map<std::string, std::string, std::less<>> fields;

    [[nodiscard]] std::string field(std::string_view key) const;
    [[nodiscard]] std::uint64_t number(std::string_view key) const;
    [[nodiscard]] bool is_ok() const { return word == "ok"; }
    /// "no KIND: REASON", or the word where it is no refusal.
    [[nodiscard]] std::string refusal() const;
};

/// Whether the agent's reads wait, or return at once with EAGAIN.
enum class Input { blocks, does_not_block };

class AgentProcess {
public:
    /// Starts an agent and waits for its hello. `wrapper` is put in front of the command.
    explicit AgentProcess(const Port& port, const std::vector<std::string>& wrapper = {},
                          Input input = Input::blocks);

    /// Sends a request under the next sequence number and waits for its answer (at most a minute:
    /// emulators on a busy machine are slow). An answer with an empty word: none came.
    Answer ask(std::string_view payload);
    /// The same under a given sequence number.
    Answer ask(std::string_view payload, std::uint32_t sequence);
    /// Sends bytes as they are.
    void send(std::string_view bytes) const;
    /// Waits for the next answer, or until nothing came for so long.
    std::optional<Answer> next_answer(std::chrono::milliseconds at_most);
    /// Closes what the agent reads from, or where it writes to.
    void close_input() { to_agent_.reset(); }
    void close_output() { from_agent_.reset(); }
    /// How it ended; nothing where it does not end by itself within ten seconds.
    std::optional<lab::ExitStatus> ending();

    [[nodiscard]] const Answer& hello() const { return hello_; }
    [[nodiscard]] pid_t pid() const { return child_->pid(); }

private:
    lab::Fd to_agent_;
    lab::Fd from_agent_;
    std::optional<lab::Subprocess> child_;
    wire::Decoder decoder_{wire::Direction::response};
    std::vector<Answer> heard_;  ///< not yet asked for, oldest first
    std::uint32_t sequence_ = 0;
    Answer hello_;
};

/// A request as it goes over the line.
std::string request(std::string_view payload, std::uint32_t sequence);

}  // namespace kerntoll::agent
