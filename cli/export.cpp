// SPDX-License-Identifier: MIT
#include "lab/store/export.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/results.hpp"

namespace kerntoll::cli {
namespace {

struct Options {
    std::string run;
    std::string format = "csv";
    std::string file = "-";
    StoreOptions store;
};

struct CloseFile {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

std::unexpected<lab::Error> cannot_write(const std::string& file) {
    return lab::fail(lab::Fault::environment,
                     fmt::format("the export could not be written to {}: {}",
                                 file == "-" ? "the output" : file, std::strerror(errno)));
}

lab::Result<Exit> export_run(const Options& options) {
    const auto store = open_store(options.store, lab::store::OpenMode::read);
    if (!store) {
        return std::unexpected(store.error());
    }
    const auto id = find_run(*store, options.run);
    if (!id) {
        return std::unexpected(id.error());
    }
    std::unique_ptr<std::FILE, CloseFile> owned;
    if (options.file != "-") {
        owned.reset(std::fopen(options.file.c_str(), "we"));
        if (!owned) {
            return cannot_write(options.file);
        }
    }
    std::FILE* out = owned ? owned.get() : stdout;
    const auto exported = options.format == "json" ? lab::store::export_json(*store, *id, out)
                                                   : lab::store::export_csv(*store, *id, out);
    if (!exported) {
        return std::unexpected(exported.error());
    }
    if (std::fflush(out) != 0 || std::ferror(out) != 0) {
        return cannot_write(options.file);
    }
    return Exit::done;
}

}  // namespace

void add_export(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App& command = *app.add_subcommand("export", "Write a run's raw batches for other tools");
    command.add_option("RUN", options->run, "Number of the run ('kerntoll runs'), or last")
        ->required()
        ->type_name("RUN");
    command.add_option("--format", options->format, "csv or json (docs/store.md)")
        ->type_name("FORMAT")
        ->default_str("csv")
        ->check(CLI::IsMember({"csv", "json"}).description(""));
    command.add_option("--output", options->file, "File to write, - for the output")
        ->type_name("FILE")
        ->default_str("-");
    add_store_options(command, options->store);
    command.callback(
        [options, &invocation] { invocation.action = [options] { return export_run(*options); }; });
}

}  // namespace kerntoll::cli
