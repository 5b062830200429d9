// SPDX-License-Identifier: MIT
#include "lab/kernel/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ios>
#include <span>

#include "lab/kernel/config.hpp"
#include "lab/kernel/content.hpp"
#include "lab/kernel/key.hpp"
#include "lab/kernel/make.hpp"
#include "lab/kernel/padding.hpp"
#include "lab/kernel/patched.hpp"
#include "lab/kernel/rebuilt.hpp"
#include "lab/target/digest.hpp"

namespace kerntoll::lab::kernel {
namespace {

namespace fs = std::filesystem;

Result<void> make_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    return failed ? Result<void>(std::unexpected(file_error("cannot make", folder, failed)))
                  : Result<void>{};
}

/// A folder that is gone at the end, and the patches with it.
class Attempt {
public:
    Attempt(const Source& source, fs::path objects)
        : source_(source), objects_(std::move(objects)) {
        std::error_code ignored;
        fs::remove_all(objects_, ignored);
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
        std::error_code ignored;
        fs::remove_all(objects_, ignored);
        // What cannot be taken off now is taken off when the copy is opened again.
        (void)take_off(source_.folder(), source_.saved());
    }
    [[nodiscard]] const fs::path& objects() const { return objects_; }

private:
    const Source& source_;
    fs::path objects_;
};

}  // namespace

Result<Source*> Sources::open(const Say& say) {
    if (!source_) {
        auto opened = Source::open(tree_, say);
        if (!opened) {
            return std::unexpected(opened.error());
        }
        source_.emplace(*std::move(opened));
    }
    return &*source_;
}

void Builder::say(const Side& side, const std::string& what) const {
    if (plan_.say) {
        plan_.say(fmt::format("{} by {}, {}: {}", lab::name(plan_.arch), plan_.toolchain.version,
                              side.name, what));
    }
}

fs::path Builder::log_of(const Side& side) const {
    return kernels_folder() / "logs" / (key_of(sources_->tree(), plan_, side) + ".log");
}

Result<std::size_t> Builder::make(const Source& source, const fs::path& objects, const Side& side,
                                  std::vector<std::string> words) {
    const KbuildRow& row = kbuild_row(plan_.arch);
    MakeCall call;
    call.source = source.folder();
    call.objects = objects;
    call.words = plan_.toolchain.variables;
    call.words.insert(call.words.begin(), fmt::format("ARCH={}", row.kbuild));
    call.words.insert(call.words.end(), words.begin(), words.end());
    call.jobs = plan_.jobs;
    call.lock = source.lock();
    call.log = log_of(side);
    call.what =
        fmt::format("{} by {}, {},", lab::name(plan_.arch), plan_.toolchain.version, side.name);
    call.progress = [&](const MakeProgress& at) {
        say(side, fmt::format("{} ({} steps)", at.step, at.steps));
    };
    if (auto made = make_folder(call.log.parent_path()); !made) {
        return std::unexpected(made.error());
    }
    return run_make(call);
}

Result<void> Builder::configure(const Source& source, const fs::path& objects, const Side& side,
                                std::vector<std::string>& remarks) {
    say(side, "configuring");
    const fs::path config = objects / ".config";
    const fs::path before = objects / ".config.base";
    const std::string bases = contents(config);
    const std::string wanted =
        (plan_.config.empty() ? fragments_of(plan_.arch) : std::string{}) + side.fragment;
    // From the beginning for every side: an option that a patch brings must get the value that a
    // user gets who builds the patched tree, whatever was built here before.
    std::error_code failed;
    if (!bases.empty()) {
        fs::rename(config, before, failed);
    }
    if (failed) {
        return std::unexpected(file_error("cannot put away", config, failed));
    }
    if (plan_.config.empty()) {
        if (auto tiny = make(source, objects, side, {"tinyconfig"}); !tiny) {
            return std::unexpected(tiny.error());
        }
    } else if (auto taken = write_file(config, plan_.config, std::ios::trunc); !taken) {
        return taken;
    }
    if (auto added = write_file(config, wanted, std::ios::app); !added) {
        return added;
    }
    if (auto set = make(source, objects, side, {"olddefconfig"}); !set) {
        return std::unexpected(set.error());
    }
    if (!bases.empty() && contents(config) == bases) {
        fs::rename(before, config, failed);  // with its time, by which make(1) goes
        if (failed) {
            return std::unexpected(file_error("cannot put back", config, failed));
        }
    }
    if (const auto dropped = not_taken(wanted, contents(objects / ".config")); !dropped.empty()) {
        remarks.push_back(
            fmt::format("Kconfig did not take {}: the tree does not have it, or "
                        "something that it depends on is not set",
                        fmt::join(dropped, ", ")));
    }
    if (const auto known = find_built(key_of(sources_->tree(), plan_, Side{}));
        known && side.fragment.empty()) {
        const auto other =
            differences(contents(known->image.parent_path() / "config"), contents(config));
        if (!other.empty()) {
            remarks.push_back(
                fmt::format("its configuration is not the base's: {}", fmt::join(other, ", ")));
        }
    }
    return {};
}

fs::path Builder::workshop(const Source& source) const {
    return source.objects() / (key_of(sources_->tree(), plan_, Side{}) + ".part");
}

Result<fs::path> Builder::base_objects(const Source& source) {
    const Side base;
    const std::string key = key_of(sources_->tree(), plan_, base);
    const KbuildRow& row = kbuild_row(plan_.arch);
    fs::path objects = source.objects() / key;
    std::error_code failed;
    if (fs::exists(objects / complete) && find_built(key)) {
        fs::last_write_time(objects / complete, fs::file_time_type::clock::now(), failed);
        return objects;
    }
    fs::remove_all(objects, failed);
    const Attempt attempt(source, workshop(source));
    const fs::path& made_in = attempt.objects();
    if (auto made = make_folder(made_in); !made) {
        return std::unexpected(made.error());
    }
    Built facts;
    if (auto made = make_side(source, made_in, base, {}, facts); !made) {
        return std::unexpected(made.error());
    }
    if (auto kept = keep_built(key, made_in, fs::path(row.image), facts); !kept) {
        return std::unexpected(kept.error());
    }
    // The mark must not outlive a power cut that the objects do not.
    if (auto settled = settle(made_in); !settled) {
        return std::unexpected(settled.error());
    }
    if (auto stamped = write_file(made_in / complete, "", std::ios::trunc); !stamped) {
        return std::unexpected(stamped.error());
    }
    fs::rename(made_in, objects, failed);
    if (failed) {
        return std::unexpected(file_error("cannot keep the objects in", objects, failed));
    }
    return objects;
}

Result<std::vector<std::string>> Builder::change_sources(const Source& source, const Side& side,
                                                         const fs::path& base) {
    auto changed = put_on(source.folder(), source.saved(), side.patches);
    if (!changed || !side.padding) {
        return changed;
    }
    for (const Padding& padding : padding_of(kbuild_row(plan_.arch), *side.padding)) {
        if (!fs::exists(base / fs::path(padding.file).replace_extension(".o"))) {
            continue;
        }
        if (auto appended = append_to(source.folder(), source.saved(), padding.file, padding.text);
            !appended) {
            return std::unexpected(appended.error());
        }
        changed->push_back(padding.file);
    }
    return changed;
}

Result<std::string> Builder::make_from_base(const Source& source, const Side& side,
                                            const fs::path& objects, const fs::path& base,
                                            Built& facts, Rebuilt& rebuilt, ChangedFiles& on_it) {
    say(side, "copying the base's objects");
    if (auto copied = copy_folder(base, objects); !copied) {
        return std::unexpected(copied.error());
    }
    // After the objects were made, so that what is patched is newer than all of them.
    const auto changed = change_sources(source, side, base);
    if (!changed) {
        return std::unexpected(changed.error());
    }
    on_it = *changed;
    const fs::path begun = objects / ".kerntoll-begun";
    if (auto stamped = write_file(begun, "", std::ios::trunc); !stamped) {
        return std::unexpected(stamped.error());
    }
    const auto ahead = is_ahead(objects, begun);
    if (!ahead) {
        return std::unexpected(ahead.error());
    }
    if (*ahead) {
        return "the base's objects are newer than the patched files (was the clock set back?)";
    }
    if (auto removed = remove_shadowed(objects, added_by(source.saved(), *changed)); !removed) {
        return std::unexpected(removed.error());
    }
    if (auto made = make_side(source, objects, side, *changed, facts); !made) {
        return std::unexpected(made.error());
    }
    auto checked =
        check_rebuilt({objects, base, kbuild_row(plan_.arch).image}, source.folder(), *changed);
    if (!checked) {
        return std::unexpected(checked.error());
    }
    rebuilt = *std::move(checked);
    if (rebuilt.stale.empty()) {
        return "";
    }
    return fmt::format(
        "{} not made anew with the base's objects at hand",
        rebuilt.stale.front() + (rebuilt.stale.size() == 1 ? " was" : " and others were"));
}

Result<void> Builder::make_side(const Source& source, const fs::path& objects, const Side& side,
                                std::span<const std::string> changed, Built& facts) {
    if (auto set = configure(source, objects, side, facts.remarks); !set) {
        return set;
    }
    const auto steps =
        make(source, objects, side, {std::string(kbuild_row(plan_.arch).image_target)});
    if (!steps) {
        return std::unexpected(steps.error());
    }
    facts.steps = *steps;
    const auto written = source.written(changed);
    if (!written) {
        return std::unexpected(written.error());
    }
    // A Makefile that writes where it reads spoils the next side too, so nothing of this is kept.
    return written->empty()
               ? Result<void>{}
               : fail(Fault::measurement,
                      fmt::format("{} by {}, {}, cannot be built out of tree: its build writes {} "
                                  "into the sources; have its Makefile write into $(obj)",
                                  lab::name(plan_.arch), plan_.toolchain.version, side.name,
                                  *written));
}

Result<Built> Builder::build_change(const Source& source, const Side& side) {
    const auto base = base_objects(source);
    if (!base) {
        return std::unexpected(base.error());
    }
    const std::string key = key_of(sources_->tree(), plan_, side);
    const KbuildRow& row = kbuild_row(plan_.arch);
    const Attempt attempt(source, workshop(source));
    const fs::path& objects = attempt.objects();
    Built facts;
    Rebuilt rebuilt;
    ChangedFiles on_it;
    const auto doubt = make_from_base(source, side, objects, *base, facts, rebuilt, on_it);
    if (!doubt) {
        return std::unexpected(doubt.error());
    }
    if (!doubt->empty()) {
        facts.remarks = {*doubt + ", so everything was built from nothing"};
        std::error_code failed;
        fs::remove_all(objects, failed);
        if (auto made = make_folder(objects); !made) {
            return std::unexpected(made.error());
        }
        if (auto made = make_side(source, objects, side, on_it, facts); !made) {
            return std::unexpected(made.error());
        }
    }
    const std::string image = contents(objects / row.image);
    const auto known = find_built(key_of(sources_->tree(), plan_, Side{}));
    const bool same = known && known->image_sha256 == sha256_of(std::as_bytes(std::span(image)));
    if (!doubt->empty() && same) {
        facts.remarks.emplace_back("the image is bit for bit the base's");
    } else if (std::string said = proof(rebuilt, same);
               doubt->empty() && side.fragment.empty() && !said.empty()) {
        facts.remarks.push_back(std::move(said));
    }
    return keep_built(key, objects, fs::path(row.image), facts);
}

Result<Built> Builder::build(const Side& side) {
    std::error_code ignored;  // an earlier attempt's errors are not this one's
    fs::remove(log_of(side), ignored);
    auto built = find_or_build(side);
    if (!built) {
        sources_->close();  // opened again, it is looked through
    }
    return built;
}

Result<void> Builder::check_applies(const Side& side) {
    if (side.patches.empty() || find_built(key_of(sources_->tree(), plan_, side))) {
        return {};
    }
    const auto source = sources_->open([&](const std::string& what) { say(side, what); });
    if (!source) {
        return std::unexpected(source.error());
    }
    const auto on = put_on((*source)->folder(), (*source)->saved(), side.patches);
    auto off = take_off((*source)->folder(), (*source)->saved());
    return on ? off : std::unexpected(on.error());
}

Result<Built> Builder::find_or_build(const Side& side) {
    if (auto known = find_built(key_of(sources_->tree(), plan_, side))) {
        return *std::move(known);
    }
    const auto source = sources_->open([&](const std::string& what) { say(side, what); });
    if (!source) {
        return std::unexpected(source.error());
    }
    // Another kerntoll, which had the copy until now, may have built the same.
    if (auto known = find_built(key_of(sources_->tree(), plan_, side))) {
        return *std::move(known);
    }
    if (!side.is_base()) {
        return build_change(**source, side);
    }
    if (const auto objects = base_objects(**source); !objects) {
        return std::unexpected(objects.error());
    }
    auto built = find_built(key_of(sources_->tree(), plan_, side));
    if (!built) {
        return fail(Fault::environment, fmt::format("the base was built, and is gone from {}",
                                                    (kernels_folder() / "images").string()));
    }
    built->cached = false;
    return *std::move(built);
}

}  // namespace kerntoll::lab::kernel
