// SPDX-License-Identifier: MIT
// The agent's side of the protocol: requests in, answers out, each answered once and repeated when
// asked again.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "agent/sentence.hpp"
#include "agent/symbols.hpp"
#include "agent/workload.hpp"
#include "wire/frame.hpp"
#include "wire/payload.hpp"

namespace kerntoll::agent {

/// What the kernel told at the start of the process.
struct Birth {
    uint64_t page_size = 0;
    uint64_t user_id = 0;
};

class Server {
public:
    constexpr Server() = default;

    /// Says hello and answers until `quit`, the end of input, or the other side is gone.
    void serve(const Birth& birth);

    // The decoder's sink.
    void frame(const wire::Frame& request);
    static void text(Text /*not_a_frame*/) {}

private:
    using Answer = wire::PayloadWriter;

    /// Carries out the requests that the machine came with, if any, and keeps their last answer.
    void play_script();
    void keep_script_answer(const Answer& answer);
    Answer answer(Text payload);
    [[nodiscard]] Answer scripted() const;
    [[nodiscard]] Answer identify() const;
    static Answer list();
    Answer set_up(Text payload);
    Answer calibrate(Text payload);
    Answer run(Text payload);
    Answer prove(Text payload);
    Answer keep_symbols(Text payload);
    [[nodiscard]] Answer find_symbol(Text payload) const;

    /// The workload and the loop that a request names, prepared.
    struct Job {
        const WorkloadRow* row = nullptr;
        Loop loop = nullptr;
        uint64_t number = 0;  ///< of `n` or `ns`
    };
    Outcome take_job(Text payload, Text number_key, uint64_t limit, Job& job);

    void send(uint32_t sequence, const Answer& answer);

    Fixture fixture_;
    Birth birth_;
    const char* sled_entry_ = nullptr;  ///< nullptr: no pad
    size_t last_size_ = 0;
    uint32_t last_sequence_ = 0;
    bool was_set_up_ = false;
    bool has_worked_ = false;  ///< a workload was prepared
    bool ends_ = false;
    bool looked_for_symbols_ = false;
    bool has_symbols_ = false;
    SymbolTable symbols_;
    bool plays_script_ = false;
    size_t script_answer_size_ = 0;               ///< 0: there was no script
    char script_answer_[wire::max_payload] = {};  ///< of the first refused request, or the last
    wire::Decoder decoder_{wire::Direction::request};
    char last_frame_[wire::max_frame] = {};
};

}  // namespace kerntoll::agent
