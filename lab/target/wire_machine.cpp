// SPDX-License-Identifier: MIT
#include "lab/target/wire_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/target/requests.hpp"
#include "lab/target/wire_text.hpp"
#include "lab/target/workloads.hpp"
#include "wire/payload.hpp"
#include "wire/protocol.hpp"

namespace kerntoll::lab {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Requests that run nothing are answered within microseconds: repeating them soon costs nothing.
constexpr milliseconds short_request{500};
/// A starting machine is asked unasked only if its hello was lost.
constexpr milliseconds boot_poll{2000};
/// How long a machine that hung up gets to end, so that the message can say how.
constexpr milliseconds last_breath{2000};
/// A batch shorter than this says nothing about clocks: reading them takes its share.
constexpr std::uint64_t clock_check_ns = 1'000'000;
/// How far a clock may stray from the counter or from the lab's own clock. Rates differ by far less
/// than a percent; a step is what must be found.
constexpr double clock_tolerance = 0.1;

Fault fault_of(std::string_view kind) {
    if (kind == as_view(wire::kind::usage)) {
        return Fault::usage;
    }
    return kind == as_view(wire::kind::kernel) ? Fault::environment : Fault::measurement;
}

}  // namespace

WireMachine::WireMachine(WireSettings settings, std::unique_ptr<Housing> housing, Line line)
    : settings_(std::move(settings)),
      boot_deadline_(Clock::now() + settings_.patience),
      housing_(std::move(housing)),
      client_(std::move(line), housing_->exit_fd()) {}

std::unexpected<Error> WireMachine::fault(std::string_view sentence) {
    return std::unexpected(Error{Fault::measurement,
                                 fmt::format("{}: {}", settings_.label, sentence), console_tail()});
}

std::unexpected<Error> WireMachine::wrong_answer(std::string_view doing, std::string_view detail) {
    return fault(
        fmt::format("the agent's answer makes no sense while {} ({}); is it of this "
                    "version of kerntoll?",
                    doing, detail));
}

std::unexpected<Error> WireMachine::explain(const Error& error, std::string_view doing) {
    if (error.fault == Fault::interrupted) {
        return std::unexpected(error);
    }
    if (error.fault != Fault::measurement) {  // no trouble of the machine's own
        return fail(error.fault, fmt::format("{}: {}", settings_.label, error.message));
    }
    std::array watched{pollfd{housing_->exit_fd(), POLLIN, 0}};
    if (const auto ended = wait_for_events(watched, Clock::now() + last_breath); !ended) {
        return std::unexpected(ended.error());
    }
    if (const auto end = housing_->obituary(client_.console())) {
        return fault(fmt::format("{} while {}", *end, doing));
    }
    return fault(error.message);
}

std::unexpected<Error> WireMachine::lost(const NoAnswer& why, std::string_view doing) {
    switch (why.kind) {
        case NoAnswer::Kind::interrupted:
            return fail(Fault::interrupted, why.detail);
        case NoAnswer::Kind::ended:
            return explain(
                {Fault::measurement, fmt::format("the agent closed its line while {}", doing), {}},
                doing);
        case NoAnswer::Kind::restarted:
            return fault(fmt::format("the machine started anew while {}", doing));
        case NoAnswer::Kind::garbled:
            return wrong_answer(doing, why.detail);
        case NoAnswer::Kind::given_up:
        case NoAnswer::Kind::silent:
            break;
    }
    if (const auto reason = housing_->hopeless(client_.console())) {
        return fault(fmt::format("{} while {}", *reason, doing));
    }
    const std::size_t printed = client_.console().bytes();
    return fault(fmt::format(
        "no answer from the agent within {:g} s while {}; the machine printed {}",
        std::chrono::duration<double>(settings_.patience).count(), doing,
        printed == 0 ? std::string("nothing") : fmt::format("{} bytes beside it", printed)));
}

Result<Answer> WireMachine::ask(std::string_view payload, std::string_view doing,
                                const Patience& patience, const Meanwhile& meanwhile) {
    auto answer = client_.ask(payload, patience, meanwhile);
    if (!answer) {
        return lost(answer.error(), doing);
    }
    if (answer->word() == as_view(wire::answer::ok)) {
        return *std::move(answer);
    }
    if (answer->word() == as_view(wire::answer::no)) {
        return std::unexpected(
            Error{fault_of(answer->text(as_view(wire::key::kind))),
                  fmt::format("{}: {}", settings_.label, answer->text(as_view(wire::key::reason))),
                  console_tail()});
    }
    return wrong_answer(doing, answer->word());
}

Result<Answer> WireMachine::ask(std::string_view payload, std::string_view doing,
                                nanoseconds expected, const Meanwhile& meanwhile) {
    // Machines show phases of half speed, and a repetition in the middle of a batch interrupts it:
    // hence the factor.
    const auto batch = std::chrono::ceil<milliseconds>(expected);
    return ask(payload, doing,
               Patience{short_request + 8 * batch, Clock::now() + settings_.patience + 20 * batch},
               meanwhile);
}

Result<void> WireMachine::await_agent() {
    constexpr std::string_view doing = "starting";
    // What is sent to a machine with a script, before it says hello, is not part of the script.
    const auto poll =
        settings_.requests == WireSettings::Requests::scripted ? settings_.patience / 2 : boot_poll;
    while (Clock::now() < boot_deadline_) {
        const auto hello = client_.await_hello(std::min(Clock::now() + poll, boot_deadline_));
        if (!hello) {
            return lost(hello.error(), doing);
        }
        if (*hello) {
            return {};
        }
        if (const auto reason = housing_->hopeless(client_.console())) {
            return fault(fmt::format("{} while {}", *reason, doing));
        }
        // A kernel message may have cut the hello.
        const auto probe =
            client_.ask(as_view(wire::verb::identify),
                        {boot_poll, std::min(Clock::now() + boot_poll, boot_deadline_)});
        if (probe) {
            return {};
        }
        if (probe.error().kind != NoAnswer::Kind::silent) {
            return lost(probe.error(), doing);
        }
    }
    return lost({NoAnswer::Kind::silent, {}}, doing);
}

Result<void> WireMachine::identify() {
    constexpr std::string_view doing = "identifying it";
    auto answer = ask(as_view(wire::verb::identify), doing, nanoseconds(0));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    const auto version = answer->number(as_view(wire::key::version));
    if (version != wire::protocol_version) {
        return fault(
            fmt::format("its agent speaks version {} of the wire protocol, this kerntoll "
                        "speaks version {}; build both from the same source",
                        version ? fmt::to_string(*version) : "unknown", wire::protocol_version));
    }
    identity_.arch = answer->text(as_view(wire::key::arch));
    if (settings_.arch && identity_.arch != name(*settings_.arch)) {
        return fault(fmt::format("its agent is for {}, but the machine is {}", identity_.arch,
                                 name(*settings_.arch)));
    }
    identity_.kernel_release = answer->text(as_view(wire::key::release));
    identity_.kernel_version = answer->text(as_view(wire::key::build));
    identity_.page_size = answer->number(as_view(wire::key::page)).value_or(0);
    identity_.counter = answer->text(as_view(wire::key::counter));
    // What the agent read from the processor is true for any CPU model; the table, for the usual
    // one.
    identity_.counter_hz = answer->number(as_view(wire::key::counter_hz)).value_or(0);
    clock_resolution_ns_ =
        static_cast<double>(answer->number(as_view(wire::key::clock_ns)).value_or(0));
    if (identity_.counter_hz == 0) {
        identity_.counter_hz = settings_.counter_hz;
    }
    identity_.uncounted_per_call = settings_.uncounted_per_call;
    auto list = ask(as_view(wire::verb::list), doing, nanoseconds(0));
    if (!list) {
        return std::unexpected(list.error());
    }
    for (const auto& [workload, calls] : list->fields()) {
        identity_.workloads.emplace_back(workload,
                                         static_cast<unsigned>(list->number(workload).value_or(0)));
    }
    return {};
}

Result<void> WireMachine::wait_ready() {
    if (auto prepared = housing_->prepare(boot_deadline_); !prepared) {
        return explain(prepared.error(), "starting");
    }
    if (auto there = await_agent(); !there) {
        return there;
    }
    if (auto identified = identify(); !identified) {
        return identified;
    }
    if (auto treated = set_up(); !treated) {
        return treated;
    }
    return housing_->settle();
}

Result<void> WireMachine::set_up() {
    if (settings_.setup.empty() || settings_.requests == WireSettings::Requests::scripted) {
        return {};
    }
    const auto request = setup_request(settings_.label, settings_.setup);
    if (!request) {
        return std::unexpected(request.error());
    }
    auto answer = ask(*request, "setting it up", nanoseconds(0));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    return {};
}

Result<void> WireMachine::check_workload(const Work& work) const {
    std::vector<std::string_view> names;
    for (const auto& [workload, calls] : identity_.workloads) {
        if (workload == work.workload) {
            return {};
        }
        names.push_back(workload);
    }
    return fail(Fault::usage,
                fmt::format("{}: {}", settings_.label, no_such_workload(work.workload, names)));
}

Result<std::uint64_t> WireMachine::calibrate(const Work& work, nanoseconds at_least) {
    if (auto known = check_workload(work); !known) {
        return std::unexpected(known.error());
    }
    const std::string doing = fmt::format("calibrating {}", work.workload);
    // The agent grows n sixteenfold, then aims: its batches together last some two and a half of
    // what is asked for, and four where it missed once.
    auto answer = ask(workload_request(wire::verb::calibrate, work, wire::key::ns,
                                       static_cast<std::uint64_t>(at_least.count())),
                      doing, 4 * at_least);
    if (!answer) {
        return std::unexpected(answer.error());
    }
    const auto ops = answer->number(as_view(wire::key::n));
    if (!ops || *ops == 0) {
        return wrong_answer(doing, "no number of ops");
    }
    ns_per_op_[{work.workload, work.hollow}] =
        static_cast<double>(at_least.count()) / static_cast<double>(*ops);
    return *ops;
}

Result<void> WireMachine::check_clock(const Sample& sample, std::string_view doing,
                                      nanoseconds waited) {
    const auto elapsed = static_cast<double>(sample.elapsed_ns);
    const auto outside = static_cast<double>(waited.count());
    if (settings_.time == WireSettings::Time::real &&
        elapsed > outside * (1 + clock_tolerance) + static_cast<double>(clock_check_ns)) {
        return fault(
            fmt::format("its clock stepped while {}: a batch that took less than {:.3f} s "
                        "by the lab's clock took {:.3f} s by its own",
                        doing, outside / 1e9, elapsed / 1e9));
    }
    if (sample.ticks == 0 || settings_.time == WireSettings::Time::stepped) {
        return {};
    }
    const double shortest = static_cast<double>(clock_check_ns) + 10 * clock_resolution_ns_;
    const auto ticks = static_cast<double>(sample.ticks);
    if (!ticks_per_ns_) {
        if (elapsed > shortest) {
            ticks_per_ns_ = ticks / elapsed;
        }
        return {};
    }
    const double by_counter = ticks / *ticks_per_ns_;
    if (by_counter > shortest &&
        std::abs(by_counter - elapsed) > clock_tolerance * by_counter + 2 * clock_resolution_ns_) {
        return fault(
            fmt::format("its clock stepped{} while {}: {:.3f} s by the clock, but {:.3f} s "
                        "by the counter ({})",
                        elapsed < by_counter ? " back" : "", doing, elapsed / 1e9, by_counter / 1e9,
                        identity_.counter));
    }
    return {};
}

Result<Sample> WireMachine::run(const Work& work, std::uint64_t ops) {
    const std::string doing = fmt::format("running {}", work.workload);
    double& ns_per_op = ns_per_op_[{work.workload, work.hollow}];
    // Never measured: a call takes less than this on anything that is worth measuring.
    const double guess = ns_per_op > 0 ? ns_per_op : 2000;
    // Bounded, since what the machine said earlier may be nonsense.
    constexpr double longest_ns = 3.6e12;
    const nanoseconds expected(
        std::llround(std::min(guess * static_cast<double>(ops), longest_ns)));
    if (auto counting = housing_->batch_begins(work); !counting) {
        return explain(counting.error(), doing);
    }
    const auto start = Clock::now();
    Result<void> followed;
    const bool scripted = settings_.requests == WireSettings::Requests::scripted;
    auto answer = ask(scripted ? std::string(as_view(wire::verb::scripted))
                               : workload_request(wire::verb::run, work, wire::key::n, ops),
                      doing, expected, [this, &followed] {
                          followed = housing_->batch_is_asked_for();
                          return followed.has_value();
                      });
    const nanoseconds waited = Clock::now() - start;
    const auto counters = housing_->batch_ended();
    if (!followed) {
        return explain(followed.error(), doing);
    }
    if (!answer) {
        return std::unexpected(answer.error());
    }
    if (!counters) {
        return fault(counters.error().message);
    }
    const auto elapsed = answer->number(as_view(wire::key::ns));
    const auto ticks = answer->number(as_view(wire::key::ticks));
    if (!elapsed || !ticks) {
        return wrong_answer(doing, "no time");
    }
    const Sample sample{ops, *elapsed, *ticks, *counters};
    if (sample.elapsed_ns == 0) {
        return fault(fmt::format("its clock did not advance while {} ({} ops)", doing, ops));
    }
    if (auto sound = check_clock(sample, doing, waited); !sound) {
        return std::unexpected(sound.error());
    }
    ns_per_op = static_cast<double>(sample.elapsed_ns) / static_cast<double>(ops);
    return sample;
}

Result<std::string> WireMachine::prove(const Work& work) {
    if (auto known = check_workload(work); !known) {
        return std::unexpected(known.error());
    }
    wire::PayloadWriter payload(wire::verb::prove);
    payload.field(wire::key::workload, as_text(work.workload));
    auto answer =
        ask(as_view(payload.text()), fmt::format("proving {}", work.workload), nanoseconds(0));
    if (!answer) {
        return std::unexpected(answer.error());
    }
    return answer->text(as_view(wire::key::checked));
}

Result<void> WireMachine::pause() {
    auto paused = housing_->pause(Clock::now() + settings_.patience);
    return paused ? paused : explain(paused.error(), "stopping it between batches");
}

Result<void> WireMachine::go_on() {
    auto going = housing_->go_on(Clock::now() + settings_.patience);
    return going ? going : explain(going.error(), "letting it go on");
}

}  // namespace kerntoll::lab
