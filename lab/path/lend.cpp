// SPDX-License-Identifier: MIT
#include "lab/path/lend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lab/path/align.hpp"

namespace kerntoll::lab::path {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

class Lender {
public:
    Lender(const Anatomy& named, Anatomy& nameless)
        : named_(named), nameless_(nameless), partner_(nameless.steps.size(), none) {
        std::unordered_map<std::string, std::uint32_t> numbers;
        const auto numbered = [&](const Anatomy& anatomy) {
            std::vector<std::uint32_t> elements;
            for (std::string& text : comparable(anatomy.steps)) {
                const auto next = static_cast<std::uint32_t>(numbers.size());
                elements.push_back(numbers.try_emplace(std::move(text), next).first->second);
            }
            return elements;
        };
        const auto left = numbered(named);
        for (const auto& [from, to] : longest_common(left, numbered(nameless))) {
            partner_[to] = from;
            ++matched_;
        }
    }

    void lend() {
        drop_accidents();
        fill_gaps();
        set_functions();
        set_phases();
        rename(nameless_.tree);
        recount(nameless_);
    }
    [[nodiscard]] std::size_t matched() const { return matched_; }

private:
    /// What little a function has in common with others (a return, a saved register) does not make
    /// it theirs.
    void drop_accidents() {
        std::vector<std::size_t> matched(nameless_.functions.size(), 0);
        for (std::size_t at = 0; at < partner_.size(); ++at) {
            matched[nameless_.steps[at].function] += partner_[at] != none ? 1 : 0;
        }
        for (std::size_t at = 0; at < partner_.size(); ++at) {
            const std::uint32_t function = nameless_.steps[at].function;
            if (2 * matched[function] < nameless_.functions[function].counts.instructions) {
                partner_[at] = none;
            }
        }
    }

    /// Steps that match nothing go with the one before them in their function, or else with the one
    /// behind.
    void fill_gaps() {
        std::vector<std::uint32_t> last(nameless_.functions.size(), none);
        const auto fill = [&](std::size_t at) {
            std::uint32_t& known = last[nameless_.steps[at].function];
            known = partner_[at] != none ? partner_[at] : known;
            partner_[at] = known;
        };
        for (std::size_t at = 0; at < partner_.size(); ++at) {
            fill(at);
        }
        std::ranges::fill(last, none);
        for (std::size_t at = partner_.size(); at-- > 0;) {
            fill(at);
        }
    }

    void set_functions() {
        std::vector<FunctionPart> functions;
        std::unordered_map<std::string, std::uint32_t> numbers;
        std::uint32_t before = none;
        for (std::size_t at = 0; at < partner_.size(); ++at) {
            Step& step = nameless_.steps[at];
            FunctionPart part = nameless_.functions[step.function];
            if (partner_[at] != none) {
                const Step& like = named_.steps[partner_[at]];
                // Where it begins and how long it is would be said by the names that are missing.
                part = {.name = named_.functions[like.function].name,
                        .start = step.instruction->address,
                        .counts = {}};
            }
            part.visits = 0;
            const auto next = static_cast<std::uint32_t>(functions.size());
            const auto [place, added] = numbers.try_emplace(part.name, next);
            if (added) {
                functions.push_back(std::move(part));
            }
            step.function = place->second;
            const bool entered = at == 0 || (before != step.function &&
                                             nameless_.steps[at - 1].kind.flow != Flow::ret);
            functions[step.function].visits += entered ? 1 : 0;
            before = step.function;
        }
        nameless_.functions = std::move(functions);
    }

    void set_phases() {
        Phase phase = Phase::stub;
        for (std::size_t at = 0; at < partner_.size(); ++at) {
            if (partner_[at] != none) {
                phase = std::max(phase, named_.steps[partner_[at]].phase);
            }
            nameless_.steps[at].phase = phase;
        }
    }

    void rename(std::vector<Frame>& frames) {
        for (Frame& frame : frames) {
            if (!frame.inlined && frame.first_step < nameless_.steps.size()) {
                frame.name = nameless_.functions[nameless_.steps[frame.first_step].function].name;
            }
            rename(frame.children);
        }
    }

    const Anatomy& named_;
    Anatomy& nameless_;
    std::vector<std::uint32_t> partner_;  ///< of each nameless step: a step of the named path
    std::size_t matched_ = 0;
};

}  // namespace

bool has_names(const Anatomy& anatomy) {
    return std::ranges::any_of(anatomy.functions, [](const FunctionPart& function) {
        return !function.name.starts_with("0x");
    });
}

std::string lend_names(const Anatomy& named, Anatomy& nameless) {
    Lender lender(named, nameless);
    lender.lend();
    return fmt::format(
        "Without names of its own it has the other path's, by the instructions that match: {} of "
        "{}. What matches goes by its function there, and \"gone\" and \"appeared\" mean that "
        "nothing matches; whether code is a function of its own here or was inlined cannot be "
        "said.",
        lender.matched(), nameless.steps.size());
}

}  // namespace kerntoll::lab::path
