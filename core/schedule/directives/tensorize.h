#pragma once
// S.tensorize(a, INTRINSIC): the loops inside a become one call of an intrinsic that the device declares, once it is proven
// that they compute what it does (TVM, section 4.3). Refused where the target declares none of that name.

#include "core/schedule/directive.h"

namespace loopscope {

struct Tensorize final : Directive {
    std::string loop;
    std::string intrinsic;

    const char* verb() const override { return "tensorize"; }
    const char* summary() const override;
    void visit_fields(FieldVisitor& visitor) override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Tensorize>(*this); }
};

} // namespace loopscope
