#pragma once
// S.split(a, ao, ai, F [, tail]): a = ao*F + ai.
//
//     for k in 0..100            for ko in 0..4
//       f(k)               →       for ki in 0..32
//                                    if ko*32 + ki < 100: f(ko*32 + ki)
//
// The tail, where F does not divide:
//   guard   a condition, a mask under a vectorised loop: exact
//   shift   the last tile moves inwards, k = min(ko*32, 100 - 32) + ki, and computes some points
//           twice. For pure definitions. It falls back to guard where the extent is below F, and
//           where a parallel or vectorised loop would write those points twice at once
//           (nest_layout.h; the tree says so), but for blocks of a grid
//   pad     whole tiles: what is beyond is computed too. Where the storage is ours, on no reduction
//           axis, and what is read is there (padding.h)
// The outer loop runs as the split one did, the inner one is serial. The order of the points is
// unchanged.

#include "core/schedule/directive.h"

namespace loopscope {

struct Split final : DirectiveOf<Split> {
    std::string loop, outer, inner;
    Factor factor;
    Tail tail = Tail::Guard;

    const char* verb() const override { return "split"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"loop", field::Loop{loop}},
                {"outer", field::NewLoop{outer}},
                {"inner", field::NewLoop{inner}},
                {"factor", field::Factor{factor}},
                {"tail", field::Tail{tail}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
