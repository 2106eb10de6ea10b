#pragma once
// Loads of a pipeline's inputs, whose boundaries are expanded; used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/ir/range.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <optional>
#include <string>

namespace loopscope::lower {

// A vector's lanes: where all of their indices are inside of their inputs, which `condition`
// collects, boundaries fall away.
struct Interior {
    std::string variable;
    std::int64_t extent;
    ExprPtr condition;
};

class InputLoads {
public:
    InputLoads(const ScheduleTree& tree, bool device) : tree_(tree), device_(device) {}

    // `at`, whose indices are in variables of loops and regions. `interior`: the lanes that it is
    // of, or null.
    ExprPtr load(const Expr& at, const Stage& input, Interior* interior) const;

private:
    // Is `e` an affine function of the variable, so that its ends bound it, and made of loop and
    // region variables alone?
    bool affine_in(const ExprPtr& e, const std::string& name) const;
    // By the ranges of the loops around, does the index stay inside without help?
    bool in_range(const ExprPtr& index, std::int64_t extent) const;
    std::optional<Interval> variable_range(const std::string& name) const;

    const ScheduleTree& tree_;
    const bool device_;
};

} // namespace loopscope::lower
