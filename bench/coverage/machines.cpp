// SPDX-License-Identifier: MIT
#include "bench/coverage/machines.hpp"

#include <array>

namespace kerntoll::bench {
namespace {

constexpr std::array table{
    Machine{"quiet", Standard::independent, "noise=0.2%,layout=0.1%"},
    Machine{"layouts", Standard::independent, "noise=0.3%,layout=0.5%"},
    Machine{"wide layouts", Standard::independent, "noise=1%,layout=3%"},
    Machine{"skewed noise", Standard::independent, "noise=lognormal:1%,layout=0.3%"},
    Machine{"heavy noise", Standard::independent, "noise=cauchy:0.5%,layout=0.3%"},
    Machine{"skewed layouts", Standard::independent, "noise=0.3%,layout=lognormal:1%"},
    Machine{"heavy layouts", Standard::independent, "noise=0.3%,layout=cauchy:0.3%"},
    Machine{"two layouts", Standard::independent, "noise=0.3%,layout=0.2%,modes=21%"},
    Machine{"rare layout", Standard::independent, "noise=0.3%,layout=0.2%,modes=20%:0.1"},
    Machine{"drift", Standard::independent, "noise=0.3%,layout=0.3%,drift=1%"},
    Machine{"slow boots", Standard::independent, "noise=1%,layout=3%,boot=2.5"},
    Machine{"steps", Standard::related, "noise=0.3%,layout=0.3%,step=5%,every=1"},
    Machine{"autocorrelated", Standard::related, "noise=0.3%,layout=0.5%,ar=0.5"},
    Machine{"autocorrelated, wide", Standard::related, "noise=1%,layout=3%,ar=0.5"},
    Machine{"autocorrelated, more", Standard::related, "noise=0.2%,layout=0.3%,ar=0.8"},
    Machine{"jumping layouts", Standard::related, "noise=0.3%,layout=0.5%,hold=4"},
    Machine{"jumping layouts, wide", Standard::related, "noise=0.5%,layout=3%,hold=8"},
    Machine{"rare jumps in noise", Standard::related, "noise=1%,layout=0.3%,hold=8"},
};

}  // namespace

std::span<const Machine> machines() {
    return table;
}

}  // namespace kerntoll::bench
