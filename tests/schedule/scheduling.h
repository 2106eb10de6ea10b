#pragma once
// Pipelines built by hand, scripts applied to them, and states as short texts.

#include "core/ir/pipeline.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loopscope::test {

// in[y, x] f32 64×48 (edge) → a (1×3) → b (3×1) → out = b*2 + a; and `side`, which reads b and is
// an output too.
PipelinePtr chain();
// C[i, j] = sum[k in 0..100, l in 0..3](A[i, k] * B[k, j]): f32; out = C + 1.
PipelinePtr matmul();
// One stage M of a reduction over k and l, of this operation and type, as the output.
PipelinePtr reduction(ReductionOp op, ScalarType type);
// H[i] = 0, then H[img[r, c]] += 1 over r in 0..6, c in 0..8; out[i] = H[i]. All i32, img u8.
PipelinePtr histogram();
// One stage S[y, x]: f32 or i32 with a pure definition and one update with `over r in 1..17, c in
// 0..12`: S[left] op= value. The expressions may use y, x, r, c, in[…] and self(…).
struct Update {
    std::vector<ExprPtr> left;
    UpdateOp op = UpdateOp::Assign;
    ExprPtr value;
    ExprPtr condition;
    ScalarType type = ScalarType::F32;
};
PipelinePtr update(const Update& update);
ExprPtr self(std::vector<ExprPtr> indices, ScalarType type = ScalarType::F32); // S[indices]
ExprPtr input_at(std::vector<ExprPtr> indices);                                // in[indices], f32
ExprPtr v(const std::string& name);
ExprPtr plus(ExprPtr e, std::int64_t constant); // i32

// A pipeline as its text says it.
PipelinePtr parsed(const std::string& text);

// Applies directives, a line each, to the default schedule. All intrinsics that are declared are
// known.
Applied scheduled(const PipelinePtr& pipeline, const std::string& lines,
                  const ApplyContext& context = {});

// "y xo xi=vectorised k!": loops outermost first; `!` marks reduction loops, `=` what is not
// serial.
std::string nest(const Applied& applied, const std::string& stage, int definition = 0);
// "root", "inline", "C.ko"
std::string placed(const Applied& applied, const std::string& stage);
// The first refusal as "LINE:COLUMN message; remedy", or "applied" when nothing was refused.
std::string refusal(const Applied& applied);
// ... of lines that are applied to the default schedule.
inline std::string refusal(const PipelinePtr& pipeline, const std::string& lines,
                           const ApplyContext& context = {}) {
    return refusal(scheduled(pipeline, lines, context));
}

// The tree of a schedule that was not refused.
ScheduleTreePtr tree_of(const Applied& applied);

// The directive's text is what was read, again after printing, and describes itself.
void expect_round_trip(const std::string& line);

} // namespace loopscope::test
