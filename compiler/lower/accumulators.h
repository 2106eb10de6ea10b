#pragma once
// What a serial loop accumulates in a few places of memory; used by promote_accumulators.cpp alone.

#include "compiler/lower/known_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

// Says in which runs of the loop something happens: those before which all `conditions` hold.
struct Presence {
    bool known = true;
    std::vector<ExprPtr> conditions;
    // Conditions that depend on the loop hold, if in any iteration, in its last one; false: in its
    // first one.
    std::optional<bool> in_last;

    bool always() const { return known && conditions.empty(); }
    // The presence of "this or the other", where it can be said.
    Presence or_else(const Presence& other) const;
};

struct Element {
    std::vector<ExprPtr> indices;
    ExprPtr mask; // null: all lanes
    NodeId origin;
    Presence accessed;
    bool forwarded = false;
    // Each iteration loads the element before it stores it. Else nothing accumulates: a shifted
    // tail may store one point again and again, and memory that folds to one element holds another
    // in each iteration.
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

// Finds the accumulators: elements of buffers that the loop accesses at fixed elements alone, each
// two of them the same or apart, and loads before it stores them.
std::vector<Accumulator> accumulators_of(const StatementPtr& loop, KnownFacts& scope);

} // namespace loopscope::lower
