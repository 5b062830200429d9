// SPDX-License-Identifier: MIT
// kerntoll: parses the command line, lets the chosen command act, and turns what went wrong into
// one sentence and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"

namespace kerntoll::cli {
namespace {

/// The innermost command that was chosen: its help is the one to point to.
std::string chosen_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app.get_name() : app.get_name() + " " + chosen.front()->get_name();
}

/// What to say of a command line that cannot be.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
    if (!app.get_subcommands().empty()) {
        return error.what();
    }
    const auto words = app.remaining();
    if (words.empty()) {
        return "no command was given";
    }
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return fmt::format("there is no command '{}'; the commands are {}", words.front(),
                       fmt::join(names, ", "));
}

int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        return app.exit(error);  // --help and --version arrive here as errors too
    }
    print_note(fmt::format("{}; see '{} --help'", complaint(app, error), chosen_command(app)));
    return static_cast<int>(app.got_subcommand("bisect-step") ? Exit::ends_bisection
                                                              : Exit::refused);
}

/// Opens nothing where the standard three were closed, or the next files to be opened would take
/// their numbers and be written to. It can be read only, so that an answer is still refused.
void fill_standard_descriptors() {
    int number = 0;
    while (number >= 0 && number <= STDERR_FILENO) {
        number = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    close(number);
}

int run(int argc, char** argv) {
    CLI::App app(
        "Measures what it costs to enter the kernel, and tells whether a change made it "
        "cheaper.",
        "kerntoll");
    app.set_version_flag("--version", "kerntoll " KERNTOLL_VERSION);
    app.require_subcommand(1);
    app.formatter(std::make_shared<WrappingFormatter>());
    app.footer(general_help());
    Invocation invocation{{argv, argv + argc}, {}};
    invocation.argv.front() = app.get_name();  // how to repeat a run, wherever this one was started
    add_compare(app, invocation);
    add_count(app, invocation);
    add_run(app, invocation);
    add_runs(app, invocation);
    add_show(app, invocation);
    add_resume(app, invocation);
    add_export(app, invocation);
    add_trace(app, invocation);
    add_explain(app, invocation);
    add_try(app, invocation);
    add_bisect_step(app, invocation);
    add_variants(app, invocation);
    add_doctor(app, invocation);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return finish_parsing(app, error);
    }
    const auto result = invocation.action();
    if (!result) {
        print_error(result.error());
        return static_cast<int>(exit_of(result.error().fault, Stage::before_measuring));
    }
    return static_cast<int>(*result);
}

}  // namespace
}  // namespace kerntoll::cli

int main(int argc, char** argv) {
    kerntoll::cli::fill_standard_descriptors();
    try {
        return kerntoll::cli::run(argc, argv);
    } catch (const std::exception& error) {
        // Lab code does not throw across its borders; what arrives here is a library's (memory).
        kerntoll::cli::print_note(fmt::format("cannot go on: {}", error.what()));
        return static_cast<int>(kerntoll::cli::Exit::incomplete);
    }
}
