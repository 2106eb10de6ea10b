#pragma once
// R = S.rfactor(k): makes of S, a reduction or an update by += *= max= min=, two stages. R has k, a
// reduction loop of S, as its first pure axis, then S's; it starts at root with the loops k, S's
// variables, the other reduction loops of S. S keeps its free loops and reduces R over k alone. Of
// an update: R starts from the neutral element, R.update(0) is the update with k pure, S's update
// combines R. Copies that served S's definition serve R's.

#include "core/schedule/directive.h"

namespace loopscope {

struct RFactor final : Directive {
    std::string made, loop;

    const char* verb() const override { return "rfactor"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"result", field::Result{made}}, {"loop", field::Loop{loop}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<RFactor>(*this); }

private:
    // The position of the loop in the nest.
    Result<std::size_t> find_reduction_loop(const ScheduleState& state) const;
    Status check_loop_names(const ScheduleState& state, std::size_t position) const;
    Status check_not_hosting(const ScheduleState& state) const;
};

} // namespace loopscope
