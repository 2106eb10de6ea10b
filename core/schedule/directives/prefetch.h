#pragma once
// S.prefetch(X, a, n): at the start of each iteration of S's loop a, what the iteration n later
// needs of X, and the one before that does not, is asked for, a cache line at a time. A hint: it
// changes no value.

#include "core/schedule/directive.h"

namespace loopscope {

struct PrefetchSource final : Directive {
    const char* verb() const override { return "prefetch"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"source", field::Source{source}},
                {"loop", field::Loop{loop}},
                {"ahead", field::Count{ahead}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<PrefetchSource>(*this);
    }

    std::string source, loop;
    std::int64_t ahead = 1; // iterations
};

} // namespace loopscope
