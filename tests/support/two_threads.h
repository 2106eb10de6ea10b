#pragma once
// Two threads for what a test does many times: compiling, and running what was compiled.

#include <atomic>
#include <cstddef>
#include <future>

namespace loopscope::test {

// Calls `work(i)` once for each i below `count`, in their order, two at a time. An exception ends
// its thread, and is thrown here once the other one is done.
template <typename Work> void on_two_threads(std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    auto some = [&] {
        for (std::size_t i; (i = next++) < count;)
            work(i);
    };
    auto other = std::async(std::launch::async, some);
    some();
    other.get();
}

} // namespace loopscope::test
