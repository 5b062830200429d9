// SPDX-License-Identifier: MIT
#include "lab/store/sink.hpp"

#include <utility>

#include "lab/store/text.hpp"

namespace kerntoll::lab::store {
namespace {

/// The statements are prepared once: a batch costs one insert and one commit. Statements outside an
/// explicit transaction commit on their own.
class StoreSink final : public Sink {
public:
    StoreSink(std::shared_ptr<Database> database, RunId id)
        : database_(std::move(database)), id_(id) {}
    ~StoreSink() override;

    Result<void> prepare();
    Result<void> batch(const BatchRecord& batch) override;
    Result<void> count(const CountRecord& count) override;
    Result<void> path(const PathRecord& path) override;
    Result<void> event(const EventRecord& event) override;
    Result<void> replicate_done(std::uint32_t replicate, double seconds_so_far) override;
    Result<void> finish(RunState state, const std::string& why) override;

private:
    std::shared_ptr<Database> database_;
    RunId id_;
    bool open_ = false;
    Statement batch_;
    Statement count_;
    Statement path_;
    Statement path_function_;
    Statement earlier_functions_;
    Statement event_;
    Statement replicate_;
    Statement seconds_;
    Statement finish_;
};

Result<void> StoreSink::prepare() {
    const std::pair<Statement*, std::string_view> statements[] = {
        {&batch_, "INSERT INTO batches VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&count_, "INSERT OR REPLACE INTO counts VALUES (?,?,?,?,?,?)"},
        {&path_,
         "INSERT OR REPLACE INTO paths VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&path_function_, "INSERT INTO path_functions VALUES (?,?,?,?,?,?,?,?,?,?,?)"},
        {&earlier_functions_,
         "DELETE FROM path_functions WHERE run = ? AND arm = ? AND workload = ?"},
        {&event_,
         "INSERT INTO events (run, replicate, arm, kind, text, console) VALUES (?,?,?,?,?,?)"},
        {&replicate_, "INSERT INTO replicates VALUES (?,?,?)"},
        {&seconds_, "UPDATE runs SET seconds = ? WHERE id = ?"},
        {&finish_, "UPDATE runs SET state = ?, why = ? WHERE id = ?"},
    };
    for (const auto& [statement, sql] : statements) {
        auto prepared = database_->prepare(sql);
        if (!prepared) {
            return std::unexpected(prepared.error());
        }
        *statement = *std::move(prepared);
    }
    open_ = true;
    return {};
}

StoreSink::~StoreSink() {
    if (open_) {
        // Best effort: where the file cannot be written any more, the run reads as interrupted
        // anyway once this process has ended.
        (void)StoreSink::finish(RunState::interrupted, "the measurement ended early");
    }
}

Result<void> StoreSink::batch(const BatchRecord& batch) {
    const Sample& sample = batch.sample;
    return batch_.run(id_, batch.replicate, batch.block, batch.workload, batch.arm, batch.position,
                      batch.at_ns, sample.ops, sample.elapsed_ns, sample.ticks,
                      sample.counters.instructions, sample.counters.cycles,
                      sample.counters.branch_misses, sample.counters.l1i_misses);
}

Result<void> StoreSink::count(const CountRecord& count) {
    return count_.run(id_, count.arm, count.workload, count.instructions_per_op,
                      count.loop_instructions, count.exact ? 1 : 0);
}

Result<void> StoreSink::path(const PathRecord& path) {
    auto transaction = Transaction::begin(*database_, Transaction::Kind::writing);
    if (!transaction) {
        return std::unexpected(transaction.error());
    }
    const auto text = [](const ImageSize& size) { return size.text; };
    const auto rodata = [](const ImageSize& size) { return size.rodata; };
    const Counts& counts = path.counts;
    const auto& [sections, labels] = path.image;
    auto done = earlier_functions_.run(id_, path.arm, path.workload);
    if (done) {
        done = path_.run(id_, path.arm, path.workload, path.call, path.calls_per_op,
                         counts.instructions, counts.calls, counts.returns, counts.branches,
                         counts.taken, counts.indirect, counts.loads, counts.stores, counts.atomics,
                         counts.barriers, counts.code_lines, counts.data_lines, counts.code_bytes,
                         to_text(counts.specials), sections.transform(text),
                         sections.transform(rodata), labels.transform(text),
                         labels.transform(rodata), to_text(path.remarks));
    }
    std::uint32_t position = 0;
    for (const FunctionChange& function : path.functions) {
        if (done) {
            done = path_function_.run(id_, path.arm, path.workload, position++, function.name,
                                      name(function.fate), function.into, function.base,
                                      function.change, function.base_size, function.change_size);
        }
    }
    return done ? transaction->commit() : done;
}

Result<void> StoreSink::event(const EventRecord& event) {
    return event_.run(id_, event.replicate, event.arm, event.kind, event.text,
                      to_text(event.console));
}

Result<void> StoreSink::replicate_done(std::uint32_t replicate, double seconds_so_far) {
    auto transaction = Transaction::begin(*database_, Transaction::Kind::writing);
    if (!transaction) {
        return std::unexpected(transaction.error());
    }
    if (auto done = replicate_.run(id_, replicate, seconds_so_far); !done) {
        return done;
    }
    if (auto done = seconds_.run(seconds_so_far, id_); !done) {
        return done;
    }
    return transaction->commit();
}

Result<void> StoreSink::finish(RunState state, const std::string& why) {
    open_ = false;
    return finish_.run(name(state), why, id_);
}

}  // namespace

Result<std::unique_ptr<Sink>> make_sink(std::shared_ptr<Database> database, RunId id) {
    auto sink = std::make_unique<StoreSink>(std::move(database), id);
    if (auto prepared = sink->prepare(); !prepared) {
        return std::unexpected(prepared.error());
    }
    return sink;
}

}  // namespace kerntoll::lab::store
