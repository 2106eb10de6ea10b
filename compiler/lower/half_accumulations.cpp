// half_accumulations: what half_arithmetic left, so that reductions could be seen, becomes f32
// operations too.
//
//     out[x] = fma(A[x, k], B[k], out[x])
//         →
//     out[x] = let half.p = f32(A[x, k])*f32(B[k]) in
//              let half.c = f32(out[x]) in f16(… half.p + half.c, to odd …)
//
// Expects: the passes that look for reductions have run. Guarantees: the same bits; f16 and bf16
// occur as half_arithmetic says, in every statement.
#include "compiler/lower/half_arithmetic.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

Program without_half_operations(const Program& program, HalfCasts casts) {
    NameSource names(program);
    auto on_expression = [&](const ExprPtr& e) { return without_halves(e, names, casts); };
    return map_bodies(program, [&](const StatementPtr& body) {
        return rewrite(body, [](const StatementPtr& s) { return s; }, on_expression);
    });
}

} // namespace

Program half_accumulations(const Program& program, const TargetInfo&) {
    return without_half_operations(program, HalfCasts::Expanded);
}

Program half_accumulations_but_casts(const Program& program, const TargetInfo&) {
    return without_half_operations(program, HalfCasts::Kept);
}

} // namespace loopscope::lower
