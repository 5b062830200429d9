// SPDX-License-Identifier: MIT
#include "lab/base/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

#include "lab/base/cpus.hpp"

namespace kerntoll::lab {

void side_by_side(const std::vector<std::function<void()>>& jobs) {
    std::atomic<std::size_t> next = 0;
    const auto do_the_next = [&] {
        for (std::size_t index = next++; index < jobs.size(); index = next++) {
            jobs[index]();
        }
    };
    const auto cpus = usable_cpus();
    std::vector<std::jthread> threads(std::min(jobs.size(), cpus ? cpus->size() : 1));
    for (std::jthread& thread : threads) {
        thread = std::jthread(do_the_next);
    }
    threads.clear();  // waits for them
}

}  // namespace kerntoll::lab
