// SPDX-License-Identifier: MIT
// An agent that follows a script, in a thread of the test, and something for it to live in.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/base/fd.hpp"
#include "lab/target/wire_machine.hpp"
#include "wire/frame.hpp"

namespace kerntoll::lab {

/// A whole frame from the agent to the lab.
[[nodiscard]] std::string response(std::uint32_t sequence, std::string_view payload);

struct Request {
    std::uint32_t sequence = 0;
    std::string payload;
    [[nodiscard]] std::string_view verb() const;
};

/// The agent's end of the line, for scripts.
class FakeLine {
public:
    explicit FakeLine(Fd line) : line_(std::move(line)) {}
    /// The next whole request; nothing once the lab has hung up.
    [[nodiscard]] std::optional<Request> next();
    void say(std::string_view bytes) const;
    void answer(const Request& request, std::string_view payload) const {
        say(response(request.sequence, payload));
    }
    void hang_up() { line_.reset(); }

private:
    Fd line_;
    wire::Decoder decoder_{wire::Direction::request};
    std::vector<Request> heard_;
};

/// How the agent of most scripts answers: nothing special.
[[nodiscard]] std::string usual_answer(const Request& request);
/// Says hello and answers as usual until the lab hangs up.
void behave(FakeLine& line);

using Script = std::function<void(FakeLine&)>;

/// Behaves but for `verb`, which `special` answers.
[[nodiscard]] Script except(std::string_view verb,
                            std::function<void(FakeLine&, const Request&)> special);

/// What the lab sees of the machine that the fake agent is in.
class FakeMachine {
public:
    FakeMachine();
    /// The machine goes up in smoke; may be called from a script.
    void end();
    [[nodiscard]] bool has_ended() const { return ended_; }
    [[nodiscard]] int exit_fd() const { return exit_.first.get(); }

    std::string hopeless;    ///< why no agent can answer any more; empty: one may
    std::string lost_track;  ///< why a batch could not be followed; empty: it could

private:
    std::atomic<bool> ended_ = false;
    FdPair exit_;
};

/// Runs a script beside a WireMachine that talks to it.
class FakeAgent {
public:
    explicit FakeAgent(Script script, WireSettings settings = usual_settings());
    ~FakeAgent();
    FakeAgent(const FakeAgent&) = delete;
    FakeAgent& operator=(const FakeAgent&) = delete;

    [[nodiscard]] static WireSettings usual_settings();
    [[nodiscard]] WireMachine& machine() { return *machine_; }
    [[nodiscard]] FakeMachine& world() { return world_; }

private:
    FakeMachine world_;
    std::unique_ptr<WireMachine> machine_;
    std::thread thread_;
};

}  // namespace kerntoll::lab
