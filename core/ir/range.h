#pragma once
// Ranges of integer expressions: what interval arithmetic can prove about an index. Used by the
// front end (is every read inside?), by bounds inference, and to choose between 32 and 64 bits.

#include "core/ir/expr.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace loopscope {

// Closed [least, greatest]; empty when greatest < least.
struct Interval {
    std::int64_t least = 0;
    std::int64_t greatest = -1;
    bool empty() const { return greatest < least; }
    std::int64_t extent() const { return empty() ? 0 : greatest - least + 1; }
    bool contains(const Interval& other) const {
        return other.empty() || (least <= other.least && other.greatest <= greatest);
    }
    bool operator==(const Interval& other) const = default;
};
Interval hull(const Interval& a, const Interval& b);

// Range of a variable by name; nullopt: unknown.
using RangeOf = std::function<std::optional<Interval>(const std::string&)>;
// The range of the values stored in a stage or input (component); nullopt: its type's range is
// used.
using LoadRangeOf = std::function<std::optional<Interval>(const std::string& stage, int component)>;

// The range of an integer or bool expression in exact arithmetic, by the rules of languages.md ("a
// data-dependent index …"): constants, variables, arithmetic, % min max clamp select let, casts,
// types of up to 16 bits, and the read stage's own range. nullopt: cannot be bounded (or leaves 62
// bits, or may wrap in its type of more than 16 bits). What may wrap in one of up to 16 bits has
// that type's range, which says nothing of how the value came about.
std::optional<Interval> range_of(const ExprPtr& e, const RangeOf& variables,
                                 const LoadRangeOf& loads = {});

} // namespace loopscope
