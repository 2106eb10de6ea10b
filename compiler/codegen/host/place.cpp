#include "compiler/codegen/host/place.h"

#include "compiler/codegen/emit/wide_index.h"

namespace loopscope::codegen {

Place place_of(const ExprPtr& base) {
    Place place;
    auto constant = [&](const ExprPtr& e) {
        return constant_value(e, place.constant) && is_within(place.constant, kFarthest);
    };
    if (constant(base))
        return place;
    bool sum = base->kind == ExprKind::Binary && (base->op == Op::Add || base->op == Op::Subtract);
    if (!sum || !constant(base->args[1]))
        return {base, 0};
    if (base->op == Op::Subtract)
        place.constant = -place.constant;
    place.rest = base->args[0];
    return place;
}

} // namespace loopscope::codegen
