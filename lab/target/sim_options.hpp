// SPDX-License-Identifier: MIT
// What a synthetic machine can be told to be.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "lab/base/error.hpp"
#include "lab/target/kinds.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

/// The options of `sim:`, in the order in which --help shows them. SIZE is a percentage with its
/// sign (0.5%); SPREAD is a SIZE or SHAPE:SIZE with the shape gauss, lognormal (one-sided) or
/// cauchy (so heavy that it has no mean).
inline constexpr std::array sim_option_help{
    OptionHelp{"ns", "N", "true time of one op in ns (default 100)"},
    OptionHelp{"noise", "SPREAD", "noise of each batch: 0.5%, lognormal:0.5% or cauchy:0.5%"},
    OptionHelp{"layout", "SPREAD", "drawn for every machine, stays while it is up"},
    OptionHelp{"modes", "SIZE[:P]", "a second layout, this much slower, with probability P (0.5)"},
    OptionHelp{"ar", "R", "correlation of one replicate's layout with the next (-0.95 to 0.95)"},
    OptionHelp{"hold", "N", "layouts stay for N replicates on average, then jump"},
    OptionHelp{"drift", "SIZE", "all machines get slower by this every second"},
    OptionHelp{"step", "SIZE", "all machines change speed by this, again and again"},
    OptionHelp{"every", "SECONDS", "how long a speed stays before the next step (default 2)"},
    OptionHelp{"boot", "SECONDS", "how long a machine takes to come up (default 0.01)"},
    OptionHelp{"insns", "N", "instructions per op, so that they can be counted"},
    OptionHelp{"loop", "N", "of which the user loop's (default 4)"},
    OptionHelp{"scope", "layouts|images", "what the time speaks of (default layouts)"},
    OptionHelp{"control", "SIZE", "the control is slower by this: an experiment not to be trusted"},
    OptionHelp{"fail", "K|all", "machines of replicate K (from 0), or all, die in mid-batch"},
};

enum class SimShape { gauss, lognormal, cauchy };

/// A random log-difference. `size` is its standard deviation; for cauchy, half of the distance
/// between its quartiles.
struct SimSpread {
    SimShape shape = SimShape::gauss;
    double size = 0;
};

/// The options, read. Sizes are log-ratios.
struct SimOptions {
    double ns = 100;
    SimSpread noise;
    SimSpread layout;
    double mode_distance = 0;
    double mode_share = 0.5;
    double correlation = 0;
    double hold = 1;
    double drift = 0;
    double step = 0;
    double every = 2;
    double boot = 0.01;
    std::optional<std::uint64_t> instructions;
    std::uint64_t loop_instructions = 4;
    Scope scope = Scope::layouts;
    double control = 0;
    std::optional<std::uint64_t> failing_replicate;
    bool always_fails = false;
};

/// Reads the options of a `sim:` target. The first one may stand right after the colon, where
/// parse_target() leaves it in the subject. Fault::usage that names what is wrong.
[[nodiscard]] Result<SimOptions> read_sim_options(const TargetSpec& spec);

}  // namespace kerntoll::lab
