#pragma once
// B = S.cache_write(local): S is computed into B, which has all its definitions and axes, and is
// then written out.
//
//     S[i, j] = sum[k](…)      →     B[i, j] = sum[k](…)
//                                    S[i, j] = B[i, j]
//
// B starts at root; computed at a loop of S it holds a tile, whose accumulators need not lie where
// S does. It stands before S's loop directives: those it would have are B's.

#include "core/schedule/directive.h"

namespace loopscope {

struct CacheWrite final : DirectiveOf<CacheWrite> {
    std::string made;
    std::string scope;

    const char* verb() const override { return "cache_write"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"result", field::Result{made}}, {"scope", field::Scope{scope}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }

private:
    Status check_untouched(const ScheduleState& state) const;
};

} // namespace loopscope
