// SPDX-License-Identifier: MIT
#include "agent/server.hpp"

#include "agent/console.hpp"
#include "agent/kernel.hpp"
#include "agent/measure.hpp"
#include "agent/proof.hpp"
#include "agent/setup.hpp"

namespace kerntoll::agent {

namespace key = wire::key;
namespace verb = wire::verb;

namespace {

wire::PayloadWriter answer_no(const Outcome& outcome) {
    const Text kind = outcome.verdict == Verdict::usage    ? wire::kind::usage
                      : outcome.verdict == Verdict::kernel ? wire::kind::kernel
                                                           : wire::kind::fault;
    wire::PayloadWriter answer(wire::answer::no);
    answer.field(key::kind, kind).field(key::reason, outcome.sentence.text());
    return answer;
}

wire::PayloadWriter answer_ok() {
    return wire::PayloadWriter(wire::answer::ok);
}

/// A script sets the machine up and has it run something: two requests.
constexpr size_t longest_script = 2 * wire::max_frame;

/// Refuses keys that a verb does not know, so that a misspelt option never passes in silence.
template <class... Keys>
Outcome check_keys(Text payload, Keys... known) {
    wire::PayloadReader reader(payload);
    wire::Field field;
    while (reader.next(field)) {
        if (!((field.key == known) || ...)) {
            return usage(reader.word(), " does not know the key ", field.key);
        }
    }
    return reader.well_formed() ? ok() : usage("a request is VERB KEY=VALUE … with single spaces");
}

}  // namespace

void Server::serve(const Birth& birth) {
    birth_ = birth;
    fixture_.user_id = birth.user_id;
    if (process_id() == 1) {
        play_script();
    }
    Answer hello(verb::hello);
    hello.field(key::version, wire::protocol_version).field(key::arch, KERNTOLL_ARCH);
    send(0, hello);
    // Here and not in the object, whose bytes all stand in the program's file.
    wire::Decoder decoder(wire::Direction::request);
    char bytes[256];
    while (!ends_) {
        const size_t size = read_console(bytes, sizeof bytes);
        if (size == 0) {
            return;
        }
        decoder.feed({bytes, size}, *this);
    }
}

void Server::play_script() {
    const long script = open_file(wire::script_path.data, open_flag::read_only);
    if (script < 0) {
        return;
    }
    // Closed before anything of it is carried out: workloads must find the descriptors that they
    // find in a machine without a script.
    char bytes[longest_script + 1];
    size_t size = 0;
    for (long got = 1; got > 0 && size < sizeof bytes;) {
        got = read_some(script, bytes + size, sizeof bytes - size);
        size += got > 0 ? static_cast<size_t>(got) : 0;
    }
    close_file(script);
    plays_script_ = true;
    if (size > longest_script) {
        keep_script_answer(
            answer_no(usage("a script has at most ", uint64_t{longest_script}, " bytes")));
    } else {
        decoder_.feed({bytes, size}, *this);
    }
    plays_script_ = false;
}

void Server::keep_script_answer(const Answer& answer) {
    script_answer_size_ = answer.text().size;
    for (size_t i = 0; i < script_answer_size_; ++i) {
        script_answer_[i] = answer.text().data[i];
    }
}

void Server::send(uint32_t sequence, const Answer& answer) {
    last_sequence_ = sequence;
    last_size_ = wire::encode(wire::Direction::response, sequence, answer.text(), last_frame_);
    if (!write_console({last_frame_, last_size_})) {
        ends_ = true;
    }
}

void Server::frame(const wire::Frame& request) {
    if (ends_) {
        return;  // whatever came behind `quit` in one portion
    }
    if (plays_script_) {
        const Text before(script_answer_, script_answer_size_);
        if (wire::PayloadReader(before).word() == wire::answer::no) {
            return;  // what comes next may build on what was refused
        }
        keep_script_answer(answer(request.payload));
        return;
    }
    if (request.sequence == last_sequence_) {
        // The answer was lost on the way; the work must not be done again.
        ends_ = !write_console({last_frame_, last_size_});
        return;
    }
    const Answer reply = answer(request.payload);
    send(request.sequence, reply);
}

Server::Answer Server::answer(Text payload) {
    const Text word = wire::PayloadReader(payload).word();
    if (word == verb::setup) {
        return set_up(payload);
    }
    if (word == verb::calibrate) {
        return calibrate(payload);
    }
    if (word == verb::run) {
        return run(payload);
    }
    if (word == verb::prove) {
        return prove(payload);
    }
    if (word == verb::symbols) {
        return keep_symbols(payload);
    }
    if (word == verb::symbol) {
        return find_symbol(payload);
    }
    if (word != verb::identify && word != verb::list && word != verb::quit &&
        word != verb::scripted) {
        return answer_no(usage("this agent does not know the verb ",
                               word.prefix(word.size < 32 ? word.size : 32)));
    }
    if (const Outcome keys = check_keys(payload); !keys.is_ok()) {
        return answer_no(keys);
    }
    if (word == verb::identify) {
        return identify();
    }
    if (word == verb::list) {
        return list();
    }
    if (word == verb::scripted) {
        return scripted();
    }
    ends_ = true;
    return answer_ok();
}

Server::Answer Server::identify() const {
    SystemName name{};
    kernel<Call::uname>(as_argument(&name));
    TimeSpec resolution{};
    kernel<Call::clock_getres>(static_cast<long>(ClockId::monotonic), as_argument(&resolution));
    Answer answer = answer_ok();
    answer.field(key::version, wire::protocol_version)
        .field(key::arch, KERNTOLL_ARCH)
        .field(key::page, birth_.page_size)
        .field(key::release, Text(name.release))
        .field(key::build, Text(name.version))
        .field(key::clock_ns, in_nanoseconds(resolution))
        .field(key::counter, arch::counter_name)
        .field(key::counter_hz, arch::counter_hz())
        .field(key::pid, static_cast<uint64_t>(process_id()));
    return answer;
}

Server::Answer Server::list() {
    Answer answer = answer_ok();
    for (const WorkloadRow& row : workloads()) {
        answer.field(row.name, row.calls);
    }
    return answer;
}

Server::Answer Server::scripted() const {
    if (script_answer_size_ == 0) {
        return answer_no(usage("this machine came without a script"));
    }
    return Answer({script_answer_, script_answer_size_});
}

Server::Answer Server::set_up(Text payload) {
    Outcome outcome = check_keys(payload, key::seccomp, key::sud, key::rseq, key::pad, key::file);
    Setup setup;
    if (outcome.is_ok() && was_set_up_) {
        outcome = usage("setup was done already; start another agent for another one");
    }
    if (outcome.is_ok() && has_worked_) {
        // What workloads opened and measured before would not be of this setup.
        outcome = usage("setup comes before the first workload; start another agent");
    }
    if (outcome.is_ok()) {
        outcome = read_setup(payload, setup);
    }
    if (outcome.is_ok()) {
        was_set_up_ = true;
        outcome = apply_setup(setup, fixture_, sled_entry_);
    }
    return outcome.is_ok() ? answer_ok() : answer_no(outcome);
}

Outcome Server::take_job(Text payload, Text number_key, uint64_t limit, Job& job) {
    if (const Outcome keys = number_key.empty()
                                 ? check_keys(payload, key::workload)
                                 : check_keys(payload, key::workload, number_key, key::hollow);
        !keys.is_ok()) {
        return keys;
    }
    Text name;
    if (!wire::find_field(payload, key::workload, name)) {
        return usage("workload=NAME is missing; `list` tells the names");
    }
    for (const WorkloadRow& row : workloads()) {
        if (row.name == name) {
            job.row = &row;
        }
    }
    if (job.row == nullptr) {
        return usage("there is no workload ", name.prefix(name.size < 32 ? name.size : 32),
                     "; `list` tells the names");
    }
    Text hollow = "0";
    if (wire::find_field(payload, key::hollow, hollow) && hollow != "0" && hollow != "1") {
        return usage("hollow is 0 or 1");
    }
    Text number;
    if (!number_key.empty() &&
        (!wire::find_field(payload, number_key, number) ||
         !wire::parse_decimal(number, job.number) || job.number == 0 || job.number > limit)) {
        return usage(number_key, " must be a number from 1 to ", limit);
    }
    const bool is_hollow = hollow == "1";
    if (sled_entry_ != nullptr) {
        job.loop = is_hollow ? job.row->padded_hollow : job.row->padded_real;
    } else {
        job.loop = is_hollow ? job.row->hollow : job.row->real;
    }
    has_worked_ = true;
    return job.row->prepare(fixture_);
}

Server::Answer Server::calibrate(Text payload) {
    Job job;
    uint64_t n = 0;
    Outcome outcome = take_job(payload, key::ns, wire::max_calibrate_ns, job);
    if (outcome.is_ok()) {
        outcome = agent::calibrate(job.loop, job.number, fixture_, sled_entry_, n);
    }
    if (!outcome.is_ok()) {
        return answer_no(outcome);
    }
    Answer answer = answer_ok();
    answer.field(key::n, n);
    return answer;
}

Server::Answer Server::run(Text payload) {
    Job job;
    Batch batch;
    Outcome outcome = take_job(payload, key::n, wire::max_ops, job);
    if (outcome.is_ok()) {
        outcome = time_batch(job.loop, job.number, fixture_, sled_entry_, batch);
    }
    if (!outcome.is_ok()) {
        return answer_no(outcome);
    }
    Answer answer = answer_ok();
    answer.field(key::ns, batch.elapsed_ns).field(key::ticks, batch.ticks);
    return answer;
}

Server::Answer Server::prove(Text payload) {
    Job job;
    Outcome outcome = take_job(payload, Text(), 0, job);
    if (outcome.is_ok()) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a job that is ok has a row.
        outcome = job.row->prove(fixture_);
    }
    if (outcome.is_ok()) {
        const Outcome entries = prove_entries(*job.row, fixture_);
        if (!entries.is_ok()) {
            outcome = entries;
        } else if (!entries.sentence.text().empty()) {
            outcome.sentence.add("; ");
            outcome.sentence.add(entries.sentence.text());
        }
    }
    if (!outcome.is_ok()) {
        return answer_no(outcome);
    }
    Answer answer = answer_ok();
    answer.field(key::checked, outcome.sentence.text());
    return answer;
}

Server::Answer Server::keep_symbols(Text payload) {
    if (const Outcome keys = check_keys(payload); !keys.is_ok()) {
        return answer_no(keys);
    }
    if (!has_symbols_ && looked_for_symbols_) {
        return answer_no(usage("the symbols could not be read; start another agent"));
    }
    if (!has_symbols_) {
        looked_for_symbols_ = true;
        const Outcome outcome = read_symbols(symbols_);
        if (!outcome.is_ok()) {
            return answer_no(outcome);
        }
        has_symbols_ = true;
    }
    Answer answer = answer_ok();
    answer.field(key::n, symbols_.size());
    return answer;
}

Server::Answer Server::find_symbol(Text payload) const {
    if (const Outcome keys = check_keys(payload, key::at); !keys.is_ok()) {
        return answer_no(keys);
    }
    if (!has_symbols_) {
        return answer_no(usage("the kernel's symbols must be read first, by `symbols`"));
    }
    Text digits;
    uint64_t address = 0;
    if (!wire::find_field(payload, key::at, digits) || !wire::parse_decimal(digits, address)) {
        return answer_no(usage("at must be an address, in decimal"));
    }
    Answer answer = answer_ok();
    uint64_t start = 0;
    uint64_t end = 0;
    if (!symbols_.find(address, start, end)) {
        return answer;
    }
    answer.field(key::start, start).field(key::end, end);
    // Weak names come last: they are the many aliases of the one function for calls that a kernel
    // lacks, and what does not fit is left out.
    struct Kind {
        Reach reach;
        Text key;
    };
    const Kind kinds[] = {
        {Reach::global, key::global}, {Reach::local, key::local}, {Reach::weak, key::weak}};
    for (const Kind& kind : kinds) {
        symbols_.names_at(start, kind.reach, [&](Text name) { answer.field(kind.key, name); });
    }
    return answer;
}

}  // namespace kerntoll::agent
