#pragma once
// B = S.cache_read(X, scope [, T, …]): B is a copy of the stage or input X (of an input, with its
// boundary). The definitions of S, and of further readers T, that read X read B instead;
// S.update(0).cache_read is that one alone. B has X's index names, stands just before its first
// reader, starts at root, and takes every directive.

#include "core/schedule/directive.h"
#include "core/schedule/reads.h"

namespace loopscope {

struct CacheRead final : DirectiveOf<CacheRead> {
    std::string copy, source, scope;
    std::vector<DefinitionRef> readers;

    const char* verb() const override { return "cache_read"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"copy", field::Result{copy}},
                {"source", field::Source{source}},
                {"scope", field::Scope{scope}},
                {"readers", field::Readers{readers}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;

private:
    Status check_names(const ScheduleState& state, const ApplyContext& context) const;
    Status check_source(const ScheduleState& state) const;
    Result<std::vector<DefinitionKey>> readers_in(const ScheduleState& state,
                                                  const DefinitionRef& ref) const;
};

} // namespace loopscope
