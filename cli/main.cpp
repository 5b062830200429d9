// SPDX-License-Identifier: MIT
// kerntoll: parses the command line, lets the chosen command act, and turns what went wrong into
// one sentence and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

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
    const bool chose = !app.get_subcommands().empty();
    if (!chose && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        return fmt::format("{} names a command that there is not", error.what());
    }
    return error.what();
}

int finish_parsing(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        return app.exit(error);  // --help and --version arrive here as errors too
    }
    print_note(fmt::format("{}; see '{} --help'", complaint(app, error), chosen_command(app)));
    return static_cast<int>(Exit::refused);
}

int run(int argc, char** argv) {
    CLI::App app(
        "Measures what it costs to enter the kernel, and tells whether a change made it "
        "cheaper.",
        "kerntoll");
    app.set_version_flag("--version", "kerntoll " KERNTOLL_VERSION);
    app.require_subcommand(1);
    app.footer(general_help());
    Invocation invocation{{argv, argv + argc}, {}};
    add_compare(app, invocation);
    add_count(app, invocation);
    add_run(app, invocation);
    add_runs(app, invocation);
    add_show(app, invocation);
    add_resume(app, invocation);
    add_export(app, invocation);

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
    try {
        return kerntoll::cli::run(argc, argv);
    } catch (const std::exception& error) {
        // Lab code does not throw across its borders; what arrives here is a library's (memory).
        kerntoll::cli::print_note(fmt::format("cannot go on: {}", error.what()));
        return static_cast<int>(kerntoll::cli::Exit::incomplete);
    }
}
