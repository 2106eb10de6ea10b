#pragma once
// The accesses of a definition as plain structs: affine index lists over its axes and over floor
// divisions of them. An index that is not affine (data-dependent indices, clamps) or may wrap in
// its type is marked as unknown, which every question takes as "any".

#include "core/ir/pipeline.h"
#include "core/ir/range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::polyhedral {

// constant + sum of coefficient * variable. Variables count axes first, then divisions:
// isl's sets are written with numbers, where the atoms of core/schedule/linear.h have no place.
struct Affine {
    std::int64_t constant = 0;
    std::vector<std::pair<int, std::int64_t>> terms; // sorted by variable, no zero coefficient
    bool operator==(const Affine&) const = default;
    std::int64_t coefficient(int variable) const;
};

// The variable floor(numerator / divisor), divisor > 0; the numerator uses axes and earlier
// divisions.
struct Division {
    Affine numerator;
    std::int64_t divisor = 1;
    bool operator==(const Division&) const = default;
};

// One axis of a definition. A free axis stands unchanged in its own position in every access
// (languages.md, updates): two points that differ in it never touch the same element.
struct Axis {
    std::string name;
    std::int64_t begin = 0, end = 0; // [begin, end); unused when free
    bool free = false;
};

struct Access {
    bool write = false;
    std::vector<std::optional<Affine>> indices; // nullopt: not affine
    std::string text;                           // "B[y, x - 1]", for messages
    bool affine() const;
};

struct Accesses {
    std::vector<Axis> axes; // free variables, then `over` axes
    std::vector<Division> divisions;
    // each >= 0; a superset of the points that run where `where` is not affine
    std::vector<Affine> conditions;
    std::vector<Access> list; // the write first, then the reads of the stage itself
};

// The accesses of an update to its own stage. The read that `+=` and its kin make of the element
// they write is left out: it meets others exactly where the write does. `free`: the ranges of the
// free axes, asked for where a proof needs them; nullopt: any.
Accesses own_accesses(const Stage& stage, const Definition& update, const RangeOf& free = {});

// An index as an affine form over `axes`; divisions it needs are appended. nullopt: not affine.
std::optional<Affine> affine_of(const ExprPtr& index, const std::vector<Axis>& axes,
                                std::vector<Division>& divisions);

} // namespace loopscope::polyhedral
