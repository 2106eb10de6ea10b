#pragma once
// S.gpu_tile(y, x, yo, xo, yi, xi, FY, FX [, tail]): a tile whose outer loops are the target's
// blocks and whose inner ones are their threads: tile(…), bind(yo, block.y), bind(xo, block.x),
// bind(yi, thread.y), bind(xi, thread.x).

#include "core/schedule/directives/tile.h"

namespace loopscope {

struct GpuTile final : DirectiveOf<GpuTile, Tiling> {
    const char* verb() const override { return "gpu_tile"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override { return Tiling::describe() + " for blocks and threads"; }
};

} // namespace loopscope
