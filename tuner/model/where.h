#pragma once
// Counts of what a definition executes: points at which a `where` condition holds, and FLOPs of one
// point as the loop program evaluates them.

#include "core/schedule/tree.h"
#include "tuner/model/affine.h"

namespace loopscope::model {

// Points of a definition at which its condition holds, in as many executions of its stage as the
// loops around make different.
struct WherePoints {
    double points = 0, executions = 1;
    // False: all points, an upper bound (the condition reads data, or is too large to count)
    bool exact = true;
};
// Counts those points. Exact where the condition is a function of the axes alone, as far as
// count_where() looks. `mins`: where each of the stage's dimensions begins. `computed`: how many
// values each axis takes (NestLayout). `trips`: of the loops around the stage, by depth.
WherePoints where_holds(const FormTable& forms, const Stage& stage, const Definition& definition,
                        const std::vector<Form>& mins, const std::vector<std::int64_t>& computed,
                        const std::vector<double>& trips);

// FLOPs of one point of a definition's value, its update step included, and the float operations of
// index expressions as often as lowering repeats them: twice for the left side of an update that
// reads its old value, three times for an input with a zero or constant boundary, twice with mirror
// or reflect.
struct PointFlops {
    double flops = 0;
    // False: an upper bound (a vectorised load tests its float index before the vector)
    bool exact = true;
};
PointFlops point_flops(const ScheduleTree& tree, const DerivedStage& stage,
                       const ComputeInfo& compute);
// The operations that combine a point's value with what is there: a reduction's step, or an update
// that is no assignment.
double step_flops(const Stage& stage, const Definition& definition);
// Integer operations of one point by the rule of core/ir/cost.h, of what it computes and not of
// where: without those of indices.
double point_integer_operations(const Stage& stage, const Definition& definition, ComputeRole role);
// The operations of the condition alone.
PointFlops condition_flops(const ScheduleTree& tree, const Definition& definition,
                           const ComputeInfo& compute);

} // namespace loopscope::model
