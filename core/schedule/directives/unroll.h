#pragma once
// S.unroll(a [, F [, tail]]): the loop's body is written out for each iteration. With F the loop is
// split first: the outer one keeps the name, the inner one, a_u, is unrolled.

#include "core/schedule/directive.h"

namespace loopscope {

struct Unroll final : Directive {
    std::string loop;
    std::optional<Factor> factor;
    Tail tail = Tail::Guard;

    const char* verb() const override { return "unroll"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"loop", field::Loop{loop}},
                {"factor", field::OptionalFactor{factor}},
                {"tail", field::Tail{tail}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Unroll>(*this); }
};

} // namespace loopscope
