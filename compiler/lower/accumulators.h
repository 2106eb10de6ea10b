#pragma once
// What a serial loop accumulates in a few places of memory; used by promote_accumulators.cpp alone.

#include "compiler/lower/known_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

// In which runs of the loop something happens: in those before which all conditions hold.
struct Presence {
    bool known = true;
    std::vector<ExprPtr> conditions;
    // Those that depend on the loop hold in its last iteration if in any; false: in its first.
    std::optional<bool> in_last;

    bool always() const { return known && conditions.empty(); }
    // One of two, where that is known.
    Presence or_else(const Presence& other) const;
};

struct Element {
    std::vector<ExprPtr> indices;
    ExprPtr mask; // null: all lanes
    NodeId origin;
    Presence accessed;
    bool forwarded = false;
    // Before it is stored in an iteration. Else nothing accumulates: a shifted tail may store one
    // point again and again, and memory that folds to one element holds another in each iteration.
    bool loaded = false;
    bool stored_first = false; // before any load, if at all
    bool streaming = false;    // some store of it
};

struct Accumulator {
    std::string buffer;
    ScalarType type = ScalarType::F32;
    int lanes = 1;
    std::vector<Element> elements;
    bool stored = false;
    bool possible = true;
};

bool same_indices(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b);

// Finds the accumulators: elements of buffers that the loop accesses at fixed elements alone, each
// two of them the same or apart, and loads before it stores them.
std::vector<Accumulator> accumulators_of(const StatementPtr& loop, KnownFacts& scope);

} // namespace loopscope::lower
