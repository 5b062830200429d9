// SPDX-License-Identifier: MIT
#include "tests/target/fake_agent.hpp"

#include <sys/socket.h>

#include <array>
#include <utility>

namespace kerntoll::lab {

namespace {

class FakeHousing final : public Housing {
public:
    explicit FakeHousing(FakeMachine& world) : world_(world) {}
    [[nodiscard]] int exit_fd() const override { return world_.exit_fd(); }
    [[nodiscard]] Result<void> prepare(Deadline /*deadline*/) override { return {}; }
    [[nodiscard]] Result<void> settle() override { return {}; }
    [[nodiscard]] Result<void> pause(Deadline /*deadline*/) override { return {}; }
    [[nodiscard]] Result<void> go_on(Deadline /*deadline*/) override { return {}; }
    [[nodiscard]] std::optional<std::string> hopeless(const Console& /*console*/) const override {
        return world_.hopeless.empty() ? std::nullopt : std::optional(world_.hopeless);
    }
    [[nodiscard]] std::optional<std::string> obituary(const Console& /*console*/) override {
        return world_.has_ended() ? std::optional<std::string>("the machine went up in smoke")
                                  : std::nullopt;
    }
    [[nodiscard]] Result<void> batch_begins(const Work& /*work*/) override { return {}; }
    [[nodiscard]] Result<void> batch_is_asked_for() override {
        return world_.lost_track.empty() ? Result<void>()
                                         : fail(Fault::measurement, world_.lost_track);
    }
    [[nodiscard]] Result<CounterReading> batch_ended() override {
        return CounterReading{
            .instructions = 42, .cycles = {}, .branch_misses = {}, .l1i_misses = {}};
    }

private:
    FakeMachine& world_;
};

}  // namespace

std::string response(std::uint32_t sequence, std::string_view payload) {
    char frame[wire::max_frame];
    const std::size_t length =
        wire::encode(wire::Direction::response, sequence, {payload.data(), payload.size()}, frame);
    return {frame, length};
}

std::string_view Request::verb() const {
    return std::string_view(payload).substr(0, payload.find(' '));
}

std::optional<Request> FakeLine::next() {
    struct Sink {
        std::vector<Request>& heard;
        void frame(const wire::Frame& frame) {
            heard.push_back({frame.sequence, {frame.payload.data, frame.payload.size}});
        }
        void text(wire::Text /*text*/) {}
    };
    while (heard_.empty() && line_) {
        std::array<char, 256> bytes{};
        const ssize_t got = recv(line_.get(), bytes.data(), bytes.size(), 0);
        if (got <= 0) {
            return std::nullopt;
        }
        decoder_.feed({bytes.data(), static_cast<std::size_t>(got)}, Sink{heard_});
    }
    if (heard_.empty()) {
        return std::nullopt;
    }
    Request request = std::move(heard_.front());
    heard_.erase(heard_.begin());
    return request;
}

void FakeLine::say(std::string_view bytes) const {
    [[maybe_unused]] const ssize_t sent =
        send(line_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string usual_answer(const Request& request) {
    const std::string_view verb = request.verb();
    if (verb == "identify") {
        return "ok version=1 arch=riscv64 page=4096 release=6.12 build=%231%20SMP clock_ns=1 "
               "counter=rdtime counter_hz=0 pid=1";
    }
    if (verb == "list") {
        return "ok getpid=1 mix=5";
    }
    if (verb == "calibrate") {
        return "ok n=1000";
    }
    if (verb == "prove") {
        return "ok checked=it%20was%20called";
    }
    return verb == "run" ? "ok ns=1000 ticks=100" : "ok";
}

void behave(FakeLine& line) {
    line.say(response(0, "hello version=1 arch=riscv64"));
    while (const auto request = line.next()) {
        line.answer(*request, usual_answer(*request));
    }
}

WireSettings FakeAgent::usual_settings() {
    WireSettings settings;
    settings.label = "fake";
    settings.arch = Arch::riscv64;
    settings.patience = std::chrono::milliseconds(10'000);
    return settings;
}

Script except(std::string_view verb, std::function<void(FakeLine&, const Request&)> special) {
    return [=](FakeLine& line) {
        line.say(response(0, "hello version=1 arch=riscv64"));
        while (const auto request = line.next()) {
            if (request->verb() == verb) {
                special(line, *request);
            } else {
                line.answer(*request, usual_answer(*request));
            }
        }
    };
}

FakeMachine::FakeMachine() : exit_(make_pipe().value()) {}

void FakeMachine::end() {
    ended_ = true;
    exit_.second.reset();
}

FakeAgent::FakeAgent(Script script, WireSettings settings) {
    auto pair = make_socketpair();
    machine_ = std::make_unique<WireMachine>(
        std::move(settings), std::make_unique<FakeHousing>(world_), std::move(pair->first));
    thread_ = std::thread([script = std::move(script), line = std::move(pair->second)]() mutable {
        FakeLine fake(std::move(line));
        script(fake);
    });
}

FakeAgent::~FakeAgent() {
    machine_.reset();  // hangs up, which ends every script
    thread_.join();
}

}  // namespace kerntoll::lab
