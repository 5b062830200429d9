// SPDX-License-Identifier: MIT
// Stands in for QEMU where a test needs a virtual machine with an agent in it but no kernel: takes
// QEMU's command line, runs the host's own agent on the console and answers QMP. Which CPU model is
// asked for decides how it misbehaves:
//   refuse      refuses its arguments, as QEMU does
//   die         is killed when the machine is let go on for the second time
//   agent-dies  ends the agent then
//   deaf        does not answer the control connection
// FAKE_QEMU_AGENT names the agent.
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/guests/arguments.hpp"

namespace {

void say(int control, std::string_view line) {
    const std::string whole = fmt::format("{}\r\n", line);
    [[maybe_unused]] const ssize_t sent = send(control, whole.data(), whole.size(), MSG_NOSIGNAL);
}

/// Answers QMP until the lab hangs up.
void serve(int control, pid_t agent, std::string_view cpu) {
    say(control, R"({"QMP": {"version": {}, "capabilities": []}})");
    int continued = 0;
    std::array<char, 256> bytes{};
    ssize_t got = 0;
    while ((got = recv(control, bytes.data(), bytes.size(), 0)) > 0) {
        const std::string_view command(bytes.data(), static_cast<std::size_t>(got));
        if (command.find("cont") != std::string_view::npos && ++continued == 2) {
            if (cpu == "die") {
                kill(getpid(), SIGKILL);
            }
            if (cpu == "agent-dies") {
                kill(agent, SIGKILL);
                waitpid(agent, nullptr, 0);
            }
        }
        if (command.find("stop") != std::string_view::npos) {
            kill(agent, SIGSTOP);
        } else {
            kill(agent, SIGCONT);
        }
        say(control, R"({"event": "SOMETHING"})");
        say(control, R"({"return": {}})");
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments[0] == "--version") {
        std::puts("QEMU emulator version 9.9.9 (fake)");
        return 0;
    }
    const std::string_view cpu = value_of(arguments, "-cpu");
    if (cpu == "refuse") {
        std::fputs(
            "fake-qemu: warning: this is no reason\nfake-qemu: unable to find CPU model "
            "'refuse'\n",
            stderr);
        return 1;
    }
    const int control = std::atoi(value_of(arguments, "socket,id=control,fd=").data());
    if (cpu == "deaf") {
        pause();
    }
    const pid_t agent = fork();
    if (agent == 0) {
        close(control);
        const char* program = std::getenv("FAKE_QEMU_AGENT");
        execl(program, program, nullptr);
        _exit(127);
    }
    // What the lab asked for, as a kernel would print its command line.
    const std::string_view append = value_of(arguments, "-append");
    const std::string boot = fmt::format("Command line: {}\r\nfake-qemu: -icount {}\r\n", append,
                                         value_of(arguments, "-icount"));
    [[maybe_unused]] const ssize_t sent = write(STDOUT_FILENO, boot.data(), boot.size());
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    serve(control, agent, cpu);
    kill(agent, SIGKILL);
    waitpid(agent, nullptr, 0);
    return 0;
}
