#pragma once
// Ranges of the values that stages hold, computed once per stage: boxes of data-dependent indices
// need them.

#include "core/ir/pipeline.h"
#include "core/ir/range.h"

#include <map>
#include <vector>

namespace loopscope {

class ValueRanges {
public:
    explicit ValueRanges(const Pipeline& pipeline) : pipeline_(pipeline) {}

    // The range of a stage's component; nullopt: its type's range, which says nothing above 16
    // bits.
    std::optional<Interval> of(const std::string& stage, int component);

private:
    struct Key {
        int stage;
        int component;
        auto operator<=>(const Key&) const = default;
    };
    const Stage& source(const Key& key) const; // whose definitions say what the values are
    std::vector<Key> needed_by(const Key& key) const;
    std::optional<Interval> compute(const Key& key) const;
    std::optional<Interval> known(const Key& key) const;
    std::optional<Interval> after_reduction(const Definition& d, int component,
                                            const Interval& term, ScalarType type) const;

    const Pipeline& pipeline_;
    std::map<Key, std::optional<Interval>> known_;
};

} // namespace loopscope
