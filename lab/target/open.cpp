// SPDX-License-Identifier: MIT
#include "lab/target/host.hpp"
#include "lab/target/hosted.hpp"
#include "lab/target/kinds.hpp"
#include "lab/target/linux.hpp"
#include "lab/target/nano.hpp"
#include "lab/target/sim.hpp"
#include "lab/target/target.hpp"

namespace kerntoll::lab {

Result<std::unique_ptr<Target>> open_target(const TargetSpec& spec) {
    if (auto known = check_kind(spec); !known) {
        return std::unexpected(known.error());
    }
    if (spec.kind == "host") {
        return open_host(spec);
    }
    if (spec.kind == "hosted") {
        return open_hosted(spec);
    }
    if (spec.kind == "sim") {
        return open_sim(spec);
    }
    if (spec.kind == "nano") {
        return open_nano(spec);
    }
    return open_linux(spec);
}

Result<std::unique_ptr<Target>> open_target(std::string_view text) {
    auto spec = parse_target(text);
    if (!spec) {
        return std::unexpected(spec.error());
    }
    return open_target(*spec);
}

}  // namespace kerntoll::lab
