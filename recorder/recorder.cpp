// SPDX-License-Identifier: MIT
// The recorder: a plugin of QEMU's code generator that writes down the instructions executed from a
// user's trap instruction to the next user instruction.
//
// It waits, with nothing but the user's loop watched, so that the guest boots at its usual speed.
// When the loop has warmed up it has all code translated anew with every instruction watched,
// records, and writes its file.
//
// One virtual CPU is assumed (-smp 1): callbacks never run at the same time.
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "recorder/options.hpp"
#include "recorder/qemu_api.hpp"
#include "recorder/round_trips.hpp"
#include "recorder/trace_writer.hpp"

#ifndef KERNTOLL_PLUGIN_VERSION
#error "the build says which version of the interface this is for"
#endif

// QEMU looks this name up and compares it with the versions that it knows.
extern "C" [[gnu::visibility("default")]] int qemu_plugin_version;
int qemu_plugin_version = KERNTOLL_PLUGIN_VERSION;

namespace kerntoll::recorder {
namespace {

using trace_format::End;

/// From this version on, QEMU copies an instruction's bytes.
constexpr int copies_bytes_since = 3;

std::string bytes_of(const qemu_plugin_insn* insn, int interface) {
    std::string bytes(qemu_plugin_insn_size(insn), '\0');
    if (interface >= copies_bytes_since) {
        bytes.resize(qemu_plugin_insn_data(insn, bytes.data(), bytes.size()));
        return bytes;
    }
    using Returns = const void* (*)(const qemu_plugin_insn*);
    const void* data =
        reinterpret_cast<Returns>(reinterpret_cast<void*>(&qemu_plugin_insn_data))(insn);
    return {static_cast<const char*>(data), bytes.size()};
}

std::string disassembly_of(const qemu_plugin_insn* insn) {
    const std::unique_ptr<char, decltype(&std::free)> text(qemu_plugin_insn_disas(insn),
                                                           &std::free);
    return text ? text.get() : "";
}

/// QEMU 7.2 has no bytes of loongarch64's instructions, but its disassembly begins with them: eight
/// hexadecimal digits, the last byte first. Empty where it does not.
std::string spelled_bytes(std::string_view text) {
    constexpr std::size_t digits = 8;
    std::uint32_t word = 0;
    const auto spelled = text.substr(0, digits);
    const auto read = std::from_chars(spelled.data(), spelled.data() + spelled.size(), word, 16);
    if (spelled.size() != digits || read.ptr != spelled.data() + digits) {
        return {};
    }
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(word >> shift & 0xffU);
    }
    return bytes;
}

/// What the callbacks work on.
class Recorder {
public:
    Recorder(qemu_plugin_id_t id, Options options, std::string target, int interface)
        : id_(id),
          options_(options),
          target_(std::move(target)),
          interface_(interface),
          round_trips_({options.text, options.loop, options.rounds, options.limit}) {}

    void finish_at_exit();
    void wait();
    void record();
    void watch(qemu_plugin_tb* tb);
    void instrument(qemu_plugin_tb* tb);
    void loop_executed(std::uint64_t& times);
    void executed(const Instruction& instruction);
    void accessed(qemu_plugin_meminfo_t info, std::uint64_t address);
    void finish(End end);

private:
    qemu_plugin_id_t id_;
    Options options_;
    std::string target_;
    int interface_;
    enum class State { waiting, recording, finished } state_ = State::waiting;
    std::deque<std::uint64_t> executions_;  ///< of each loop instruction, while waiting
    Instructions instructions_;
    RoundTrips round_trips_;
};

Recorder* recorder = nullptr;

/// The reset between waiting and recording takes this callback away with all others.
void Recorder::finish_at_exit() {
    qemu_plugin_register_atexit_cb(
        id_, [](qemu_plugin_id_t, void*) { recorder->finish(End::guest_ended); }, nullptr);
}

void Recorder::wait() {
    finish_at_exit();
    qemu_plugin_register_vcpu_tb_trans_cb(
        id_, [](qemu_plugin_id_t, qemu_plugin_tb* tb) { recorder->watch(tb); });
}

void Recorder::watch(qemu_plugin_tb* tb) {
    for (std::size_t index = 0; index < qemu_plugin_tb_n_insns(tb); ++index) {
        qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, index);
        if (options_.loop.holds(qemu_plugin_insn_vaddr(insn))) {
            qemu_plugin_register_vcpu_insn_exec_cb(
                insn,
                [](unsigned, void* times) {
                    recorder->loop_executed(*static_cast<std::uint64_t*>(times));
                },
                QEMU_PLUGIN_CB_NO_REGS, &executions_.emplace_back(0));
        }
    }
}

void Recorder::loop_executed(std::uint64_t& times) {
    if (++times >= options_.warm_up && state_ == State::waiting) {
        state_ = State::recording;
        qemu_plugin_reset(id_, [](qemu_plugin_id_t) { recorder->record(); });
    }
}

void Recorder::record() {
    finish_at_exit();
    qemu_plugin_register_vcpu_tb_trans_cb(
        id_, [](qemu_plugin_id_t, qemu_plugin_tb* tb) { recorder->instrument(tb); });
}

void Recorder::instrument(qemu_plugin_tb* tb) {
    for (std::size_t index = 0; index < qemu_plugin_tb_n_insns(tb); ++index) {
        qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, index);
        std::string bytes = bytes_of(insn, interface_);
        if (bytes.empty()) {
            bytes = spelled_bytes(disassembly_of(insn));
        }
        Instruction& instruction = instructions_.at(qemu_plugin_insn_vaddr(insn), std::move(bytes),
                                                    [insn] { return disassembly_of(insn); });
        qemu_plugin_register_vcpu_insn_exec_cb(
            insn,
            [](unsigned, void* which) {
                recorder->executed(*static_cast<const Instruction*>(which));
            },
            QEMU_PLUGIN_CB_NO_REGS, &instruction);
        qemu_plugin_register_vcpu_mem_cb(
            insn,
            [](unsigned, qemu_plugin_meminfo_t info, std::uint64_t address, void*) {
                recorder->accessed(info, address);
            },
            QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, nullptr);
    }
}

void Recorder::executed(const Instruction& instruction) {
    if (state_ != State::recording) {
        return;
    }
    if (const auto end = round_trips_.executed(instruction)) {
        finish(*end);
    }
}

void Recorder::accessed(qemu_plugin_meminfo_t info, std::uint64_t address) {
    if (state_ != State::recording) {
        return;
    }
    auto kind =
        static_cast<std::uint8_t>(qemu_plugin_mem_size_shift(info) & trace_format::size_mask);
    if (qemu_plugin_mem_is_store(info)) {
        kind |= trace_format::store_bit;
    }
    round_trips_.accessed(kind, address);
}

void Recorder::finish(End end) {
    if (state_ == State::finished) {
        return;
    }
    state_ = State::finished;
    // Where that fails, the reader finds the trace cut short.
    (void)write_all(options_.fd, encode(target_, end, options_.rounds, instructions_,
                                        round_trips_.paths(), round_trips_.path()));
    close(options_.fd);
    if (end != End::guest_ended) {
        // Nobody waits for anything else of this machine. (QEMU 7.2 aborts when callbacks of memory
        // accesses are taken away in the middle of an instruction, so it cannot go on without.)
        std::_Exit(0);
    }
}

}  // namespace
}  // namespace kerntoll::recorder

/// Called by QEMU once; anything but 0 ends it.
extern "C" [[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id,
                                                                  const qemu_info_t* info, int argc,
                                                                  char** argv) {
    using namespace kerntoll::recorder;
    Options options;
    const std::string wrong =
        options.take(std::span<char* const>(argv, static_cast<std::size_t>(argc)));
    if (!wrong.empty()) {
        qemu_plugin_outs((wrong + "\n").c_str());
        return 1;
    }
    // Lives as long as QEMU: callbacks may come until its end.
    recorder = new Recorder(id, options, info->target_name, info->version.cur);
    recorder->wait();
    return 0;
}
