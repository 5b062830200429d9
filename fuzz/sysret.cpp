// SPDX-License-Identifier: MIT
// Any state to return to, and any limit of the user's memory: SYSRET is chosen only where it does
// what IRET would.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "expect.hpp"
#include "tests/entry/sysret_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    namespace entry = kerntoll::entry;
    struct {
        entry::UserState state;
        uint64_t limit;
        uint8_t like_syscall;
    } input{};
    std::memcpy(&input, data, size < sizeof input ? size : sizeof input);
    constexpr uint64_t highest = uint64_t{1} << 47U;
    input.limit = 1 + input.limit % (highest - 1);
    // By chance alone six words hardly ever agree.
    entry::UserState& state = input.state;
    if ((input.like_syscall & 1U) != 0) {
        state.rip %= input.limit + 1;
    }
    if ((input.like_syscall & 2U) != 0) {
        state.rip = input.limit;
    }
    if ((input.like_syscall & 4U) != 0) {
        state.rcx = state.rip;
    }
    if ((input.like_syscall & 8U) != 0) {
        state.r11 = state.rflags;
    }
    if ((input.like_syscall & 16U) != 0) {
        state.cs = USER_CS;
    }
    if ((input.like_syscall & 32U) != 0) {
        state.ss = USER_SS;
    }
    const char* wrong = kerntoll::entry_test::mistake(state, input.limit);
    kerntoll::fuzz::expect(wrong == nullptr, wrong);
    return 0;
}
