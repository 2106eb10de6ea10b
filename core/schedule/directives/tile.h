#pragma once
// S.tile(y, x, yo, xo, yi, xi, FY, FX [, tail]): two splits and a reorder.
//
//     for y                      for yo
//       for x              →       for xo
//         f(y, x)                    for yi
//                                      for xi: f(yo*FY + yi, xo*FX + xi)
//
// The four loops take the places that the two had: a loop that stands between y and x stays between
// xo and yi.

#include "core/schedule/directive.h"

namespace loopscope {

class Nest;

// What gpu_tile is given, too.
struct Tiling : Directive {
    std::string y, x, y_outer, x_outer, y_inner, x_inner;
    Factor y_factor, x_factor;
    Tail tail = Tail::Guard;

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
    std::string describe() const override; // "tile C.i and j by 8 and 32"
};

struct Tile final : DirectiveOf<Tile, Tiling> {
    const char* verb() const override { return "tile"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;

private:
    Status check_names(const Nest& nest) const;
};

} // namespace loopscope
