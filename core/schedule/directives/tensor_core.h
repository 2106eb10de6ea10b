#pragma once
// S.tensor_core(): the whole recipe for a matrix product on tensor cores, in one word (Sioutas, ch. 7). Refused until it is
// known what it expands to: tensorize does it step by step.

#include "core/schedule/directive.h"

namespace loopscope {

struct TensorCore final : Directive {
    const char* verb() const override { return "tensor_core"; }
    const char* summary() const override;
    void visit_fields(FieldVisitor& visitor) override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<TensorCore>(*this);
    }
};

} // namespace loopscope
