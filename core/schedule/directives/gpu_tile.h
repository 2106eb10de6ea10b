#pragma once
// S.gpu_tile(y, x, yo, xo, yi, xi, FY, FX [, tail]): a tile whose outer loops are the target's
// blocks and whose inner ones are their threads: tile(…), bind(yo, block.y), bind(xo, block.x),
// bind(yi, thread.y), bind(xi, thread.x).

#include "core/schedule/directive.h"

namespace loopscope {

struct GpuTile final : Directive {
    std::string y, x, y_outer, x_outer, y_inner, x_inner;
    Factor y_factor, x_factor;
    Tail tail = Tail::Guard;

    const char* verb() const override { return "gpu_tile"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"y", field::Loop{y}},
                {"x", field::Loop{x}},
                {"y_outer", field::NewLoop{y_outer}},
                {"x_outer", field::NewLoop{x_outer}},
                {"y_inner", field::NewLoop{y_inner}},
                {"x_inner", field::NewLoop{x_inner}},
                {"y_factor", field::Factor{y_factor}},
                {"x_factor", field::Factor{x_factor}},
                {"tail", field::Tail{tail}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<GpuTile>(*this); }
};

} // namespace loopscope
