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
    Result<void> event(const EventRecord& event) override;
    Result<void> replicate_done(std::uint32_t replicate, double seconds_so_far) override;
    Result<void> finish(RunState state, const std::string& why) override;

private:
    std::shared_ptr<Database> database_;
    RunId id_;
    bool open_ = false;
    Statement batch_;
    Statement count_;
    Statement event_;
    Statement replicate_;
    Statement seconds_;
    Statement finish_;
};

Result<void> StoreSink::prepare() {
    const std::pair<Statement*, std::string_view> statements[] = {
        {&batch_, "INSERT INTO batches VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&count_, "INSERT OR REPLACE INTO counts VALUES (?,?,?,?,?,?)"},
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
