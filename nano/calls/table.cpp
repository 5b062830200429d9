// SPDX-License-Identifier: MIT
#include "nano/arch.hpp"
#include "nano/calls/calls.hpp"
#include "nano/error.hpp"

namespace kerntoll::nano {

namespace {

long no_such_call(entry::Frame&) {
    return error::no_call;
}

}  // namespace

constinit const calls::Table calls::table = [] {
    Table table{};
    for (entry::Call& row : table.rows) {
        row = no_such_call;
    }
#define KERNTOLL_CALL(name, ...) table.rows[static_cast<size_t>(Number::name)] = calls::name;
#include "nano/calls/table.def"
    return table;
}();

}  // namespace kerntoll::nano
