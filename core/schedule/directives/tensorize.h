#pragma once
// S.tensorize(a, INTRINSIC): the loop a and all inside it are one instruction of the target, once
// it is proven that they compute what it does (TVM, section 3.4).
//
//     for io, jo, ko                             for io, jo, ko
//       for ii in 0..16                            mma_m16n8k16_f16 of C[16*io, 8*jo],
//         for ji in 0..8                     →         A[16*io, 16*ko], B[16*ko, 8*jo]
//           for ki in 0..16
//             C[…] += f32(A[…])*f32(B[…])
//
// The intrinsics are declared in the tensor-expression language (resources/intrinsics); the loops
// are those of its axes, of their extents, in any order. On a CPU they run as they are. A sum of
// floats is reassociated. serial(a) undoes it.

#include "core/schedule/directive.h"

namespace loopscope {

struct Tensorize final : DirectiveOf<Tensorize> {
    std::string loop;
    std::string intrinsic;

    const char* verb() const override { return "tensorize"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"loop", field::Loop{loop}}, {"intrinsic", field::Intrinsic{intrinsic}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
