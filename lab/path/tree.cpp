// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "lab/path/walk.hpp"

namespace kerntoll::lab::path {
namespace {

/// A frame while the tree grows: in path order, so that a frame stands behind the one it is in.
struct Node {
    Frame frame;
    std::optional<std::size_t> parent;
    std::optional<std::size_t> last_child;
};

class Tree {
public:
    explicit Tree(const Walk& walk) : walk_(&walk) {}

    void step(std::size_t index);
    std::vector<Frame> finish();

private:
    /// Of a visit: the node of the function itself, and of its last step, which may be inlined.
    struct Place {
        std::size_t function = 0;
        std::size_t last = 0;
    };

    std::size_t add(std::string name, std::uint64_t first_step, std::optional<std::size_t> parent);
    std::size_t inlined_in(std::size_t node, const std::string& name, std::uint64_t step);

    const Walk* walk_;
    std::vector<Node> nodes_;
    std::vector<Place> places_;  ///< of each visit that has begun
};

std::size_t Tree::add(std::string name, std::uint64_t first_step,
                      std::optional<std::size_t> parent) {
    const std::size_t number = nodes_.size();
    nodes_.push_back({.frame = {.name = std::move(name), .first_step = first_step, .children = {}},
                      .parent = parent,
                      .last_child = {}});
    if (parent) {
        nodes_[*parent].last_child = number;
    }
    return number;
}

/// A compiler mixes the instructions of an inlined function with those around it: the frame goes on
/// as long as no other came in between.
std::size_t Tree::inlined_in(std::size_t node, const std::string& name, std::uint64_t step) {
    if (const auto last = nodes_[node].last_child) {
        const Frame& frame = nodes_[*last].frame;
        if (frame.inlined && frame.name == name) {
            return *last;
        }
    }
    const std::size_t added = add(name, step, node);
    nodes_[added].frame.inlined = true;
    return added;
}

void Tree::step(std::size_t index) {
    const Step& step = walk_->steps[index];
    const std::uint32_t number = walk_->visit_of[index];
    if (number == places_.size()) {
        const Visit& visit = walk_->visits[number];
        std::optional<std::size_t> parent;
        if (visit.caller) {
            parent = places_[*visit.caller].last;
        }
        places_.push_back({.function = add(walk_->functions[visit.function].name, index, parent)});
    }
    Place& place = places_[number];
    place.last = place.function;
    for (const std::string& name : step.inlined) {
        place.last = inlined_in(place.last, name, index);
    }
    ++nodes_[place.last].frame.own;
}

std::vector<Frame> Tree::finish() {
    std::vector<Frame> roots;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
        Frame& frame = node->frame;
        frame.total += frame.own;
        std::ranges::reverse(frame.children);
        if (const auto number = node->parent) {
            Frame& parent = nodes_[*number].frame;
            parent.total += frame.total;
            parent.children.push_back(std::move(frame));
        } else {
            roots.push_back(std::move(frame));
        }
    }
    std::ranges::reverse(roots);
    return roots;
}

}  // namespace

std::vector<Frame> tree_of(const Walk& walk) {
    Tree tree(walk);
    for (std::size_t index = 0; index < walk.steps.size(); ++index) {
        tree.step(index);
    }
    return tree.finish();
}

}  // namespace kerntoll::lab::path
