// SPDX-License-Identifier: MIT
#include "tests/agent/agent_process.hpp"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <csignal>

#include "wire/payload.hpp"

namespace kerntoll::agent {

namespace {

using namespace std::chrono_literals;

std::string_view as_view(wire::Text text) {
    return {text.data, text.size};
}

Answer take_apart(wire::Text payload) {
    Answer answer;
    answer.text = as_view(payload);
    wire::PayloadReader reader(payload);
    answer.word = as_view(reader.word());
    wire::Field field;
    while (reader.next(field)) {
        char decoded[wire::max_payload];
        std::size_t size = 0;
        EXPECT_TRUE(wire::decode_value(field.value, decoded, sizeof decoded, size)) << answer.text;
        answer.fields[std::string(as_view(field.key))] = std::string(decoded, size);
    }
    EXPECT_TRUE(reader.well_formed()) << answer.text;
    return answer;
}

bool is_machine(std::string_view name) {
    utsname system{};
    uname(&system);
    const std::string_view machine = system.machine;
    return machine == name || (machine == "aarch64" && name == "arm64");
}

}  // namespace

const std::vector<Port>& ports() {
    static const std::vector<Port> all = {
        {"x86_64", "qemu-x86_64", "rdtsc", is_machine("x86_64")},
        {"arm64", "qemu-aarch64", "cntvct", is_machine("arm64")},
        {"riscv64", "qemu-riscv64", "rdtime", is_machine("riscv64")},
        {"s390x", "qemu-s390x", "stckf", is_machine("s390x")},
        {"loongarch64", "qemu-loongarch64", "rdtime.d", is_machine("loongarch64")},
    };
    return all;
}

const Port& host_port() {
    for (const Port& port : ports()) {
        if (port.is_host) {
            return port;
        }
    }
    return ports().front();
}

std::string agent_program(const Port& port) {
    return std::string(KERNTOLL_AGENT_DIR "/kerntoll-agent-") + port.name;
}

std::string agent_with_symbols(const Port& port) {
    return std::string(KERNTOLL_AGENT_DIR "/symbols/kerntoll-agent-") + port.name;
}

std::string Answer::field(std::string_view key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? "" : found->second;
}

std::uint64_t Answer::number(std::string_view key) const {
    const std::string value = field(key);
    std::uint64_t number = 0;
    EXPECT_TRUE(wire::parse_decimal({value.data(), value.size()}, number)) << key << " in " << text;
    return number;
}

std::string Answer::refusal() const {
    return word == "no" ? "no " + field("kind") + ": " + field("reason") : word;
}

std::string request(std::string_view payload, std::uint32_t sequence) {
    char frame[wire::max_frame];
    return {frame, wire::encode(wire::Direction::request, sequence,
                                {payload.data(), payload.size()}, frame)};
}

AgentProcess::AgentProcess(const Port& port, const std::vector<std::string>& wrapper, Input input) {
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));  // an agent that died is a failed test
    auto down = lab::make_pipe();
    auto up = lab::make_pipe();
    EXPECT_TRUE(down && up);
    if (input == Input::does_not_block) {
        EXPECT_TRUE(lab::make_nonblocking(down->first));
    }
    lab::SpawnPlan plan;
    plan.argv = wrapper;
    if (!port.is_host) {
        plan.argv.emplace_back(port.emulator);
    }
    plan.argv.push_back(agent_program(port));
    plan.standard_input = down->first.get();
    plan.standard_output = up->second.get();
    auto child = lab::Subprocess::spawn(plan);
    EXPECT_TRUE(child) << child.error().message;
    if (!child) {
        return;
    }
    child_.emplace(*std::move(child));
    to_agent_ = std::move(down->second);
    from_agent_ = std::move(up->first);
    hello_ = next_answer(60s).value_or(Answer());
}

void AgentProcess::send(std::string_view bytes) const {
    EXPECT_EQ(write(to_agent_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
}

std::optional<Answer> AgentProcess::next_answer(std::chrono::milliseconds at_most) {
    struct Sink {
        std::vector<Answer>& heard;
        void frame(const wire::Frame& frame) const {
            heard.push_back(take_apart(frame.payload));
            heard.back().fields["(sequence)"] = std::to_string(frame.sequence);
        }
        static void text(wire::Text text) {
            ADD_FAILURE() << "the agent wrote what is no frame: " << as_view(text);
        }
    };
    while (heard_.empty()) {
        pollfd readable{from_agent_.get(), POLLIN, 0};
        char bytes[4096];
        if (poll(&readable, 1, static_cast<int>(at_most.count())) <= 0) {
            return std::nullopt;
        }
        const ssize_t size = read(from_agent_.get(), bytes, sizeof bytes);
        if (size <= 0) {
            return std::nullopt;
        }
        decoder_.feed({bytes, static_cast<std::size_t>(size)}, Sink{heard_});
    }
    Answer answer = heard_.front();
    heard_.erase(heard_.begin());
    return answer;
}

Answer AgentProcess::ask(std::string_view payload) {
    return ask(payload, ++sequence_);
}

Answer AgentProcess::ask(std::string_view payload, std::uint32_t sequence) {
    send(request(payload, sequence));
    const std::optional<Answer> answer = next_answer(60s);
    EXPECT_TRUE(answer) << "no answer to " << payload;
    if (!answer) {
        return {};
    }
    EXPECT_EQ(answer->field("(sequence)"), std::to_string(sequence));
    return *answer;
}

std::optional<lab::ExitStatus> AgentProcess::ending() {
    const auto ended = child_->wait(10s);
    EXPECT_TRUE(ended);
    return ended ? *ended : std::nullopt;
}

}  // namespace kerntoll::agent
