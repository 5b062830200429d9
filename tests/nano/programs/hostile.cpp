// SPDX-License-Identifier: MIT
// Children that make calls of any number with any arguments, and whose handlers leave any bytes in
// the context that they return with. Whatever becomes of them, the kernel and its first task go on.
#include "bits.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace kerntoll::programs {

namespace {

constexpr int children = 40;
constexpr int calls_of_a_child = 150;
constexpr int patience = 30;  // turns, until a child that waits for nobody is killed
constexpr int kill_signal = 9;
constexpr long no_child = -10;
/// How many calls have to come back, all together: half of what do on the port where they come to
/// harm soonest. With less this would be no test of calls.
constexpr long least_calls = 800;

uint64_t state = 0;

/// xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
uint64_t draw() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545'f491'4f6c'dd1d;
}
uint64_t below(uint64_t limit) {
    return draw() % limit;
}

constexpr int handled[] = {4, 5, 7, 8, 10, 11, 12, 31};
constexpr Call known[] = {
    Call::read,        Call::write,  Call::close,  Call::fstat,         Call::lseek,
    Call::dup,         Call::getpid, Call::clone,  Call::rt_sigaction,  Call::ioctl,
    Call::wait4,       Call::uname,  Call::fcntl,  Call::umask,         Call::setpgid,
    Call::getpgid,     Call::prctl,  Call::openat, Call::clock_gettime, Call::newfstatat,
    Call::dup3,        Call::pipe2,  Call::rseq,   Call::seccomp,       Call::memfd_create,
    Call::clock_getres};
// Those of a filter that nano knows, in its order (struct sock_filter, linux/filter.h).
constexpr uint16_t codes[] = {0x20, 0x00, 0x54, 0x06, 0x16, 0x05, 0x15, 0x25, 0x35, 0x45};

template <class T, size_t count>
T any_of(const T (&all)[count]) {
    return all[below(count)];
}

// What calls point at: bytes, a path, and a filter.
alignas(16) unsigned char bytes[1024];
char path[] = "/dev/zero";
struct {
    uint16_t code;
    uint8_t jump_true, jump_false;
    uint32_t constant;
} instructions[8];
const struct {
    uint16_t length;
    const void* instructions;
} filter = {8, instructions};

long argument() {
    constexpr long numbers[] = {0,  1,  2,   3,    4,    5,   6,         7,         8,         32,
                                38, 59, 128, 1024, 4096, -1L, INT64_MAX, INT64_MIN, 0xffffffff};
    switch (below(8)) {
        case 0:
            return static_cast<long>(draw());
        case 1:
            return static_cast<long>(any_of(kernel_addresses));
        case 2:
            return static_cast<long>(user_limit - 64 + below(128));
        case 3:
        case 4:
            return agent::as_argument(bytes + below(sizeof bytes));
        case 5:
            return agent::as_argument(path);
        default:
            return any_of(numbers);
    }
}

void refill() {
    for (unsigned char& byte : bytes) {
        // Small values more often: lengths, descriptors, flags.
        byte = static_cast<unsigned char>(below(3) == 0 ? draw() : below(8));
    }
    for (auto& instruction : instructions) {
        instruction = {any_of(codes), static_cast<uint8_t>(below(4)),
                       static_cast<uint8_t>(below(4)),
                       static_cast<uint32_t>(below(4) == 0 ? draw() : below(16) * 4)};
    }
    instructions[7] = {0x06, 0, 0, 0x7fff0000};  // the end of most that are any good: allow
}

/// Returns with a context of which nothing, a few words or all is drawn: most often nothing, since
/// few of the others come back to make another call.
void scramble(int, void*, void* context) {
    constexpr size_t words = 64;
    auto* const word = static_cast<uint64_t*>(context);
    const uint64_t share = below(12);
    for (size_t i = 0; i < words; ++i) {
        if (share == 0 || (share <= 2 && below(16) == 0)) {
            word[i] = static_cast<uint64_t>(argument());
        }
    }
}

long any_number() {
    switch (below(8)) {
        case 0:
            return static_cast<long>(draw());
        case 1:
            return static_cast<long>(below(450));
        default:
            return static_cast<long>(any_of(known));
    }
}

/// The write end of a pipe that gets a byte for each call that came back. Few of the numbers that
/// are drawn are this one.
constexpr long tally = 29;
unsigned char tallied[4096];
void tell() {
    kernel<Call::write>(tally, agent::as_argument(path), 1);
}

[[noreturn]] void attack() {
    for (long descriptor = 0; descriptor < 3; ++descriptor) {
        kernel<Call::close>(descriptor);  // reading from the console would end never
    }
    for (int i = 0; i < calls_of_a_child; ++i) {
        refill();
        // Each time, since any call may have made a handler of what was drawn.
        for (const int number : handled) {
            handle(number, scramble, with_info | (draw() & (restart | not_blocked)));
        }
        if (below(8) == 0) {
            raw_call(call_kill, agent::process_id(), any_of(handled), 0, 0);
        }
        if (below(64) == 0) {
            kernel<Call::seccomp>(1, 0, agent::as_argument(&filter));
        }
        const long number = any_number();
        // The end of pid 1 is the end of all.
        const long first = number == call_kill ? agent::process_id() : argument();
        raw_call(number, first, argument(), argument(), argument());
        tell();
    }
    agent::exit_process(0);
}

/// Ends all that is left of a child and of its own.
void bury(long child) {
    for (int i = 0; i < patience; ++i) {
        if (kernel<Call::wait4>(-1, 0, 1, 0) == no_child) {
            return;
        }
        raw_call(call_yield, 0, 0, 0, 0);
    }
    // As many as there is room for, and more that took their place.
    for (long pid = child; kernel<Call::wait4>(-1, 0, 1, 0) != no_child; ++pid) {
        raw_call(call_kill, pid, kill_signal, 0, 0);
        raw_call(call_yield, 0, 0, 0, 0);
    }
}

}  // namespace

void run() {
    int ends[2] = {};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    kernel<Call::dup3>(ends[1], tally, 0);
    kernel<Call::close>(ends[1]);
    int born = 0;
    long calls = 0;
    for (int i = 1; i <= children; ++i) {
        state = static_cast<uint64_t>(i) * 0x9e37'79b9'7f4a'7c15;
        tell();  // or there might be nothing to read
        const long child = agent::arch::fork_child(17);
        if (child == 0) {
            attack();
        }
        born += child > 1 ? 1 : 0;
        bury(child);
        calls += kernel<Call::read>(ends[0], agent::as_argument(tallied), sizeof tallied) - 1;
    }
    expect("children", born, children);
    expect("calls that came back, or enough of them", calls < least_calls ? calls : least_calls,
           least_calls);
    expect("none is left", kernel<Call::wait4>(-1, 0, 0, 0), no_child);
    expect("and calls work", agent::process_id(), 1);
}

}  // namespace kerntoll::programs
