// SPDX-License-Identifier: MIT
// --save: what a reader of the mail may want to have in his own hands.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "cli/try.hpp"
#include "lab/path/picture.hpp"
#include "lab/path/record.hpp"

namespace kerntoll::cli {
namespace {

namespace fs = std::filesystem;
using lab::kernel::MeasuredSide;
using lab::kernel::Outcome;
using lab::kernel::PortOutcome;
using lab::store::Role;

/// A side as a part of a file's name, "01-0001-inline.patch" for "+ 0001-inline.patch": its number
/// keeps those apart whose names are written alike, or are ".." or nothing.
std::string file_name(const PortOutcome& port, const MeasuredSide& side) {
    std::string text = fmt::format("{:02}-", &side - port.sides.data());
    const std::size_t number = text.size();
    const std::string& name = side.name;
    for (const char c : name) {
        const bool plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
        if (plain || (c == ' ' && text.size() > number && text.back() != '_')) {
            text += plain ? c : '_';
        }
    }
    return text;
}

lab::Result<void> write(const fs::path& file, std::string_view text) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (!stream) {
        return lab::fail(lab::Fault::environment,
                         fmt::format("cannot write {}; is the disk full?", file.string()));
    }
    return {};
}

/// The files beside an image, each under its own name.
lab::Result<void> copy_kernel(const MeasuredSide& side, const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    for (const fs::path& file : {side.built.image, side.built.image.parent_path() / "System.map",
                                 side.built.image.parent_path() / "config"}) {
        if (!failed && fs::exists(file)) {
            fs::copy_file(file, folder / file.filename(), fs::copy_options::overwrite_existing,
                          failed);
        }
    }
    if (failed) {
        return lab::fail(lab::Fault::environment,
                         fmt::format("cannot write {}: {}", folder.string(), failed.message()));
    }
    return {};
}

/// Records a side once more: its trace goes into the folder, its path is handed on.
lab::Result<lab::path::RecordedPath> record(const MeasuredSide& side, const std::string& workload,
                                            const fs::path& folder) {
    auto target = lab::open_target(side.target);
    if (!target) {
        return std::unexpected(target.error());
    }
    const lab::path::Wanted wanted{.workload = workload};
    const auto bytes = lab::path::record_trace(**target, wanted);
    if (!bytes) {
        return std::unexpected(bytes.error());
    }
    if (auto kept = write(folder / (workload + ".trace"), *bytes); !kept) {
        return std::unexpected(kept.error());
    }
    return lab::path::path_of_trace(**target, *bytes, wanted);
}

lab::Result<void> save_paths(const PortOutcome& port, const fs::path& folder) {
    for (const std::string& workload : port.report->run.run.workloads) {
        for (const MeasuredSide& side : port.sides) {
            if (side.role != Role::change) {
                continue;
            }
            // An explanation takes its paths apart, so the base is recorded for each.
            auto base =
                record(port.sides.front(), workload, folder / file_name(port, port.sides.front()));
            if (!base) {
                return std::unexpected(base.error());
            }
            auto change = record(side, workload, folder / file_name(port, side));
            if (!change) {
                return std::unexpected(change.error());
            }
            // Who looks at the picture elsewhere has none of the cache's folders.
            for (const auto& [recorded, name] :
                 {std::pair{&*base, &port.sides.front().name}, std::pair{&*change, &side.name}}) {
                recorded->traced.target =
                    fmt::format("{} ({}, {})", *name, lab::name(port.arch), port.toolchain.version);
            }
            const auto explanation =
                lab::path::explain(std::move(base->traced), std::move(change->traced));
            if (auto kept =
                    write(folder / fmt::format("{}-{}.svg", workload, file_name(port, side)),
                          lab::path::picture(explanation));
                !kept) {
                return kept;
            }
        }
    }
    return {};
}

}  // namespace

lab::Result<void> make_save_folder(const fs::path& folder) {
    if (folder.empty()) {
        return lab::fail(lab::Fault::usage, "--save: '' is no folder; give the name of a new one");
    }
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed && access(folder.c_str(), W_OK | X_OK) != 0) {
        failed = std::error_code(errno, std::generic_category());
    }
    const bool is_empty = failed || fs::is_empty(folder, failed);
    if (failed) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("--save: cannot write into {}: {}; give a folder of yours",
                                     folder.string(), failed.message()));
    }
    if (!is_empty) {
        return lab::fail(lab::Fault::usage,
                         fmt::format("--save: {} is not empty, and what lies there could be taken "
                                     "for a part of this trial; give a new folder",
                                     folder.string()));
    }
    return {};
}

void save_port(PortOutcome& port, const fs::path& folder) {
    const fs::path own = folder / fmt::format("{}-{}", lab::name(port.arch),
                                              lab::kernel::name(port.toolchain.compiler));
    for (const MeasuredSide& side : port.sides) {
        if (auto kept = copy_kernel(side, own / file_name(port, side)); !kept) {
            port.notes.push_back(kept.error().message + ".");
            return;
        }
    }
    if (!port.report) {
        return;
    }
    if (auto kept = save_paths(port, own); !kept) {
        port.notes.push_back("Not everything could be saved: " + kept.error().message + ".");
    }
}

lab::Result<void> save_outcome(const Outcome& outcome, const fs::path& folder) {
    const std::pair<const char*, std::string> files[]{{"report.txt", to_text(outcome, {})},
                                                      {"report.md", to_markdown(outcome)},
                                                      {"commit-message.txt", to_paragraph(outcome)},
                                                      {"report.json", to_json(outcome)}};
    for (const auto& [name, text] : files) {
        if (auto kept = write(folder / name, text); !kept) {
            return kept;
        }
    }
    return {};
}

}  // namespace kerntoll::cli
