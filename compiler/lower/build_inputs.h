#pragma once
// Loads of a pipeline's inputs, whose boundaries are expanded; used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/ir/range.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <optional>
#include <string>

namespace loopscope::lower {

// The lanes of a vector for which all indices are inside of their inputs, so that boundaries fall
// away; `condition` collects where that is.
struct Interior {
    std::string variable;
    std::int64_t extent;
    ExprPtr condition;
};

class InputLoads {
public:
    InputLoads(const ScheduleTree& tree, bool device) : tree_(tree), device_(device) {}

    // The load `at`, whose indices are in variables of loops and regions. `interior`: the lanes
    // that the load is for, or null.
    ExprPtr load(const Expr& at, const Stage& input, Interior* interior) const;

private:
    // Is `e` an affine function of the variable, so that its ends bound it, and made of loop and
    // region variables alone?
    bool affine_in(const ExprPtr& e, const std::string& name) const;
    // Do the ranges of the loops around keep the index inside without a boundary?
    bool in_range(const ExprPtr& index, std::int64_t extent) const;
    std::optional<Interval> variable_range(const std::string& name) const;

    const ScheduleTree& tree_;
    const bool device_;
};

} // namespace loopscope::lower
