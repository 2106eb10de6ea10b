#include "compiler/codegen/host/place.h"

namespace loopscope::codegen {

Place place_of(const ExprPtr& base) {
    Place place;
    if (constant_value(base, place.constant))
        return place;
    bool sum = base->kind == ExprKind::Binary && (base->op == Op::Add || base->op == Op::Subtract);
    if (!sum || !constant_value(base->args[1], place.constant))
        return {base, 0};
    if (base->op == Op::Subtract)
        place.constant = -place.constant;
    place.rest = base->args[0];
    return place;
}

bool same(const ExprPtr& a, const ExprPtr& b) { return a && b ? equal(a, b) : a == b; }

} // namespace loopscope::codegen
