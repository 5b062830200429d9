// SPDX-License-Identifier: MIT
#include "agent/setup.hpp"

#include "agent/kernel.hpp"
#include "wire/payload.hpp"

// The sled of this architecture, from its first instruction to its return.
extern "C" const char kerntoll_agent_sled[];
extern "C" const char kerntoll_agent_sled_end[];

namespace kerntoll::agent {

namespace key = wire::key;

namespace {

Outcome read_switch(Text payload, Text name, bool& on) {
    Text value;
    if (!wire::find_field(payload, name, value)) {
        return ok();
    }
    on = value == "on";
    return on ? ok() : usage(name, " can only be on; leave it out otherwise");
}

}  // namespace

Outcome read_setup(Text payload, Setup& setup) {
    Text value;
    if (wire::find_field(payload, key::seccomp, value)) {
        if (value != "allow" && value != "args") {
            return usage("seccomp is allow or args");
        }
        setup.seccomp = value == "allow" ? Seccomp::allow : Seccomp::arguments;
    }
    if (const Outcome sud = read_switch(payload, key::sud, setup.user_dispatch); !sud.is_ok()) {
        return sud;
    }
    if (const Outcome rseq = read_switch(payload, key::rseq, setup.rseq); !rseq.is_ok()) {
        return rseq;
    }
    if (wire::find_field(payload, key::pad, value)) {
        if (!wire::parse_decimal(value, setup.pad) || setup.pad > wire::max_pad) {
            return usage("pad must be a number from 0 to ", wire::max_pad);
        }
        setup.has_pad = true;
    }
    if (wire::find_field(payload, key::file, value) &&
        (!wire::decode_value(value, setup.path, wire::max_path, setup.path_size) ||
         setup.path_size == 0 || Text(setup.path, setup.path_size).find('\0') != setup.path_size)) {
        return usage("file must be a path of 1 to ", wire::max_path, " bytes, none of them zero");
    }
    return ok();
}

Outcome apply_setup(const Setup& setup, Fixture& fixture, const char*& sled_entry) {
    if (setup.path_size != 0) {
        for (size_t i = 0; i < setup.path_size; ++i) {
            fixture.path[i] = setup.path[i];
        }
        fixture.path[setup.path_size] = '\0';
        const long descriptor = open_file(fixture.path, open_flag::read_only);
        if (descriptor < 0) {
            return refused("cannot open ", fixture.path, ": ", describe_error(descriptor).text());
        }
        close_file(descriptor);
    }
    if (setup.has_pad) {
        sled_entry = kerntoll_agent_sled_end - setup.pad * arch::sled_step;
    }
    if (setup.rseq) {
        if (const Outcome rseq = set_up_rseq(); !rseq.is_ok()) {
            return rseq;
        }
    }
    if (setup.user_dispatch) {
        if (const Outcome sud = set_up_user_dispatch(); !sud.is_ok()) {
            return sud;
        }
    }
    return set_up_seccomp(setup.seccomp);
}

}  // namespace kerntoll::agent
