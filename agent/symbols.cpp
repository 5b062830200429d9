// SPDX-License-Identifier: MIT
#include "agent/symbols.hpp"

#include "agent/kernel.hpp"

namespace kerntoll::agent {

namespace {

constexpr const char* symbols_file = "/proc/kallsyms";

/// The room behind the program's break. Not a part of the program: of that a kernel may make pages
/// before they are used, and copy them for every child. Null where there is none.
SymbolRoom* make_room() {
    constexpr uintptr_t alignment = alignof(SymbolRoom);
    const long end = kernel<Call::brk>(0);
    if (end <= 0) {
        return nullptr;
    }
    const uintptr_t begin = (static_cast<uintptr_t>(end) + alignment - 1) & ~(alignment - 1);
    const uintptr_t wanted = begin + sizeof(SymbolRoom);
    const long got = kernel<Call::brk>(static_cast<long>(wanted));
    return static_cast<uintptr_t>(got) == wanted ? reinterpret_cast<SymbolRoom*>(begin) : nullptr;
}

Outcome read_open_file(long file, SymbolTable& table) {
    char bytes[4096];
    for (;;) {
        const long got = read_some(file, bytes, sizeof bytes);
        if (got == -error::interrupted) {
            continue;
        }
        if (got < 0) {
            return refused("cannot read ", symbols_file, ": ", describe_error(got).text());
        }
        if (got == 0) {
            return ok();
        }
        if (!table.feed({bytes, static_cast<size_t>(got)})) {
            return refused(symbols_file, " is no list of symbols, or one that is too long");
        }
    }
}

/// Opens the file, with proc mounted for it where this is the machine's first process.
Outcome open_symbols(long& file, bool& mounted) {
    file = open_file(symbols_file, open_flag::read_only);
    if (file == -error::no_entry && process_id() == 1) {
        const long failed = kernel<Call::mount>(as_argument("proc"), as_argument("/proc"),
                                                as_argument("proc"), 0, 0);
        if (failed < 0) {
            return refused("the kernel has no proc to be mounted: ", describe_error(failed).text());
        }
        mounted = true;
        file = open_file(symbols_file, open_flag::read_only);
    }
    if (file == -error::no_entry) {
        return refused("the kernel has no ", symbols_file, " (CONFIG_KALLSYMS)");
    }
    if (file < 0) {
        return refused("cannot open ", symbols_file, ": ", describe_error(file).text());
    }
    return ok();
}

}  // namespace

Outcome read_symbols(SymbolTable& table) {
    SymbolRoom* const room = make_room();
    if (room == nullptr) {
        return refused("the kernel gives no memory for its symbols (brk)");
    }
    table.use(*room);
    long file = -1;
    bool mounted = false;
    Outcome outcome = open_symbols(file, mounted);
    if (outcome.is_ok()) {
        outcome = read_open_file(file, table);
        close_file(file);
    }
    if (mounted) {
        kernel<Call::umount2>(as_argument("/proc"), 0);
    }
    if (outcome.is_ok() && table.is_hidden()) {
        return refused(symbols_file, " hides its addresses (kernel.kptr_restrict)");
    }
    return outcome;
}

}  // namespace kerntoll::agent
