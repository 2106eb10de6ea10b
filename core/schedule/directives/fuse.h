#pragma once
// S.fuse(a, b, f): adjacent loops a then b, as one loop f of their extents' product.
//
//     for a in 0..A              for f in 0..A*B
//       for b in 0..B      →       f(f / B, f % B)
//         f(a, b)
//
// Both run over free variables, or both over reduction axes; nothing is computed at either. The
// order of the points is unchanged. The fused loop is parallel or unrolled if both were, else
// serial.

#include "core/schedule/directive.h"

namespace loopscope {

struct Fuse final : DirectiveOf<Fuse> {
    std::string outer, inner, fused;

    const char* verb() const override { return "fuse"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"outer", field::Loop{outer}},
                {"inner", field::Loop{inner}},
                {"fused", field::NewLoop{fused}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;

private:
    std::string adjacent_remedy(const ScheduleState& state, const std::vector<LoopState>& loops,
                                std::size_t first, std::size_t last,
                                const ApplyContext& context) const;
};

} // namespace loopscope
