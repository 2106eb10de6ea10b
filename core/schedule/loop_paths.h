#pragma once
// The loops around stages and points of a state, each found once. Stages stand in one another
// hundreds deep, where windows slide or many definitions share loops (merging.h): chains of loops
// that two of them have in common are held once, and nobody follows each chain anew.

#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

// A chain of loops, given by the innermost one, which knows those around it. It is valid as long as
// the LoopPaths that gave it, and is compared only with others of that.
class LoopPath {
public:
    LoopPath() = default; // at root

    bool empty() const { return !innermost_; }
    std::size_t size() const { return innermost_ ? innermost_->depth : 0; }
    const LoopRef& innermost() const { return innermost_->loop; } // of a path that is not empty
    std::size_t count_at_once() const { return innermost_ ? innermost_->at_once : 0; }
    bool contains(const LoopRef& loop) const { return down_to(loop).has_value(); }
    std::optional<LoopPath> down_to(const LoopRef& loop) const; // nullopt: it is none of them
    LoopPath outer(std::size_t count) const;                    // that many of them, from outside
    bool any_of_stage(const std::string& stage) const;
    std::vector<LoopRef> loops() const; // outermost first
    std::vector<const LoopState*> states() const;

    bool operator==(const LoopPath&) const = default;

private:
    friend class LoopPaths;
    struct Step {
        LoopRef loop;
        const LoopState* state = nullptr;
        const Step* outside = nullptr;
        std::size_t depth = 1;   // with those around it
        std::size_t at_once = 0; // of those
    };
    explicit LoopPath(const Step* innermost) : innermost_(innermost) {}

    const Step* innermost_ = nullptr;
};

class LoopPaths {
public:
    explicit LoopPaths(const ScheduleState& state) : state_(state) {}

    // As loops_around() and loops_around_point() of placement.h.
    LoopPath around(const std::string& stage);
    LoopPath around_point(const DefinitionKey& definition);
    // The variables of those outer loops of the definition that are another definition's, outermost
    // first.
    std::vector<std::string> merged_variables(const DefinitionKey& definition);

private:
    LoopPath find_around(const std::string& stage);
    LoopPath find_around_point(const DefinitionKey& definition);

    const ScheduleState& state_;
    std::deque<LoopPath::Step> steps_;
    std::unordered_map<std::string, LoopPath> stages_;
    std::map<DefinitionKey, LoopPath> points_;
};

} // namespace loopscope
