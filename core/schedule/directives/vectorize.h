#pragma once
// S.vectorize(a [, F [, tail]]): the iterations of the loop run at once, as lanes of vectors. With
// F the loop is split first: the outer one keeps the name, the inner one, a_v, is vectorised. The
// loop need not be the innermost. Over a reduction axis it is a vector reduction, which
// reassociates a float sum or product.

#include "core/schedule/directive.h"

namespace loopscope {

struct Vectorize final : Directive {
    std::string loop;
    std::optional<Factor> factor;
    Tail tail = Tail::Guard;

    const char* verb() const override { return "vectorize"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"loop", field::Loop{loop}},
                {"factor", field::OptionalFactor{factor}},
                {"tail", field::Tail{tail}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Vectorize>(*this); }
};

} // namespace loopscope
