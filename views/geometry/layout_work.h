#pragma once
// How far a layout has come, in steps, and whether it shall go on. A step is a node, an edge or a
// lane that is looked at: what a layout takes is bounded, and tested, in steps, which are the same
// on every machine.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace loopscope::views {

class LayoutWork {
public:
    // `cancelled` is asked before each piece of work, in the thread that lays out; empty: never.
    explicit LayoutWork(std::function<bool()> cancelled = {}) : asked_(std::move(cancelled)) {}

    // Before a piece of work of so many steps. False: nobody wants the layout any more, and what is
    // made of it may be left as it is.
    bool begin(std::size_t steps) {
        if (!cancelled_ && asked_ && asked_())
            cancelled_ = true;
        if (cancelled_)
            return false;
        steps_ += steps;
        longest_ = std::max(longest_, steps);
        return true;
    }
    bool cancelled() const { return cancelled_; } // begin() said so
    std::size_t steps() const { return steps_; }
    std::size_t longest() const { return longest_; } // of one piece

private:
    std::function<bool()> asked_;
    bool cancelled_ = false;
    std::size_t steps_ = 0, longest_ = 0;
};

} // namespace loopscope::views
