// SPDX-License-Identifier: MIT
// Every pointer that a call takes, pointed at what is not the user's: EFAULT, and nothing else
// happens.
#include "bits.hpp"
#include "program.hpp"

namespace kerntoll::programs {

namespace {

constexpr long fault = -14;
const char read_only[8] = {"const"};

void try_all(const char* name, uintptr_t address) {
    const auto bad = static_cast<long>(address);
    print(name);
    print(":\n");
    int ends[2] = {-1, -1};
    kernel<Call::pipe2>(agent::as_argument(ends), 0);
    const long zero = agent::open_file("/dev/zero", 0);
    expect("read /dev/zero", kernel<Call::read>(zero, bad, 16), fault);
    expect("write pipe", kernel<Call::write>(ends[1], bad, 16), fault);
    agent::write_some(ends[1], "0123456789abcdef", 16);
    expect("read pipe", kernel<Call::read>(ends[0], bad, 16), fault);
    expect("openat", kernel<Call::openat>(-100, bad, 0, 0), fault);
    expect("newfstatat path", kernel<Call::newfstatat>(-100, bad, bad, 0), fault);
    expect("newfstatat", kernel<Call::newfstatat>(-100, agent::as_argument("/"), bad, 0), fault);
    expect("fstat", kernel<Call::fstat>(zero, bad), fault);
    expect("pipe2", kernel<Call::pipe2>(bad, 0), fault);
    expect("uname", kernel<Call::uname>(bad), fault);
    expect("clock_gettime", kernel<Call::clock_gettime>(1, bad), fault);
    // Where a pointer may be left out, null is no bad one.
    const long unless_null = address != 0 ? fault : 0;
    expect("clock_getres", kernel<Call::clock_getres>(1, bad), unless_null);
    expect("rt_sigaction", kernel<Call::rt_sigaction>(10, bad, 0, 8), unless_null);
    expect("rt_sigaction old", kernel<Call::rt_sigaction>(10, 0, bad, 8), unless_null);
    expect("ioctl TCGETS", kernel<Call::ioctl>(0, 0x5401, bad), fault);
    expect("ioctl TCSETS", kernel<Call::ioctl>(0, 0x5402, bad), fault);
    expect("memfd_create", kernel<Call::memfd_create>(bad, 0), fault);
    expect("seccomp", kernel<Call::seccomp>(1, 0, bad), fault);
    const long memory = kernel<Call::memfd_create>(agent::as_argument("m"), 0);
    expect("write memory", kernel<Call::write>(memory, bad, 16), fault);
    expect("memory is empty still", agent::seek(memory, 0, agent::Whence::end), 0);
    agent::close_file(memory);
    agent::close_file(zero);
    agent::close_file(ends[0]);
    agent::close_file(ends[1]);
    expect("no descriptor is left open", kernel<Call::dup>(0), 3);
    agent::close_file(3);
}

}  // namespace

void run() {
    try_all("null", 0);
    try_all("unmapped", 0x1000'0000);
    try_all("page below the stack's guard", user_limit - 20 * page_size);
    try_all("first byte beyond", user_limit);
    try_all("around the last address", ~uintptr_t{0} - 7);
    for (const uintptr_t address : kernel_addresses) {
        try_all("kernel", address);
    }
    // Readable, but not writable.
    const long zero = agent::open_file("/dev/zero", 0);
    const auto constant = agent::as_argument(read_only);
    expect("read into a constant", kernel<Call::read>(zero, constant, 4), fault);
    expect("the constant is what it was", read_only[0], 'c');
    expect("read into text", kernel<Call::read>(zero, reinterpret_cast<long>(&run), 4), fault);
    // A range that begins well and ends badly: sizes that wrap, sizes that leave the page.
    alignas(page_size) static char page[page_size];
    expect("a size that wraps", kernel<Call::read>(zero, agent::as_argument(page), ~0UL), fault);
    expect("nothing of no size", kernel<Call::read>(zero, 0x1000'0000, 0), 0);
    const auto stack_end = static_cast<long>(user_limit - page_size);
    expect("the last bytes of the stack", kernel<Call::read>(zero, stack_end - 8, 8), 8);
    expect("one byte more", kernel<Call::read>(zero, stack_end - 8, 9), fault);
    expect("descriptor -1", kernel<Call::read>(-1, agent::as_argument(page), 1), -9);
    expect("descriptor 2^32", kernel<Call::read>(1L << 32, agent::as_argument(page), 0), 0);
    expect("number -1", raw_call(-1, 0, 0, 0, 0), -38);
    expect("number 2^63 and too high", raw_call(INT64_MIN + 100000, 0, 0, 0, 0), -38);
    expect("number 2^32 too high",
           raw_call((1L << 32) + static_cast<long>(Call::getpid), 0, 0, 0, 0),
           whole_number ? -38 : agent::process_id());
    expect("number beyond the table", raw_call(100000, 0, 0, 0, 0), -38);
}

}  // namespace kerntoll::programs
