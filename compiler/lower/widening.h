#pragma once
// One vectorised loop's body as vector code; used by vectorize.cpp alone.

#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/reduction.h"

#include <optional>
#include <set>
#include <unordered_map>

namespace loopscope::lower {

class Widening {
public:
    // Makes the loop's iterations lanes. `scope` is that of the loop's body, with the loop itself
    // bound.
    Widening(const Statement& loop, int lanes, KnownFacts& scope, NameSource& names);
    // The loop as vector code; null when that is not possible (the caller then keeps a serial
    // loop).
    StatementPtr run();
    // After a null: the reason, as the end of a sentence.
    const char* why() const { return why_; }

private:
    struct Impossible {
        const char* why;
    };
    struct Guard {
        ExprPtr condition; // of one lane
        bool holds;
    };

    StatementPtr statement(const StatementPtr& s);
    StatementPtr branch(const StatementPtr& s);
    StatementPtr masked_branch(const StatementPtr& s, const StatementPtr& body,
                               const ExprPtr& condition, bool holds);
    StatementPtr store(const StatementPtr& s);
    StatementPtr atomic(const StatementPtr& s);
    StatementPtr atomic_reduction(const StatementPtr& s, std::vector<ExprPtr> indices);
    std::vector<StatementPtr> join_halves(const NodeId& origin, const std::string& temporary, Op op,
                                          ScalarType type) const;
    StatementPtr uniform_store(const StatementPtr& s, std::vector<ExprPtr> indices);
    StatementPtr reduction(const StatementPtr& s, const Reduction& r,
                           const std::vector<ExprPtr>& indices);
    StatementPtr combine_in_order(const StatementPtr& s, const Reduction& r,
                                  const std::vector<ExprPtr>& indices,
                                  const std::vector<ExprPtr>& lane_terms,
                                  const std::vector<std::string>& temporaries);
    StatementPtr combine_by_halves(const StatementPtr& s, const Reduction& r,
                                   const std::vector<ExprPtr>& indices,
                                   const std::string& temporary);

    StatementPtr selection(const StatementPtr& s, const Selection& step);
    StatementPtr halved(const StatementPtr& s, ReductionOp op,
                        const std::vector<Place>& temporaries, int count);

    ExprPtr widen(const ExprPtr& e);
    ExprPtr compute(const ExprPtr& e);
    ExprPtr load(const ExprPtr& e);
    ExprPtr masked(const ExprPtr& e);
    std::vector<ExprPtr> widened(const std::vector<ExprPtr>& list);
    std::vector<ExprPtr> level(std::vector<ExprPtr> args) const; // all of the most lanes
    ExprPtr lane_numbers() const;

    bool depends_on_lane(const ExprPtr& e) const;
    ExprPtr varying_part(const ExprPtr& index) const;
    bool is_injective(const std::vector<ExprPtr>& indices) const;
    // The lane (first or last) in which every guard holds if it holds in any; nullopt: not known.
    std::optional<int> best_lane() const;
    ExprPtr at_lane(const ExprPtr& e, int lane) const;
    // Do all of the loop's accesses to the buffer combine by this operation?
    bool only_combines(const std::string& buffer, Op operation) const;
    // … or select by this step?
    bool only_selects(const Selection& step) const;
    // Does the step select the best of all lanes into one place?
    bool is_over_lanes(const Selection& step) const;

    const Statement& loop_;
    int lanes_;
    KnownFacts& scope_;
    NameSource& names_;
    std::set<std::string> vector_names_;
    std::set<std::string> laned_buffers_; // allocated inside: one copy a lane
    std::vector<Guard> guards_;           // conditions that differ between lanes, outermost first
    ExprPtr mask_;                        // null: all lanes are on
    bool some_lane_on_ = true; // an any-lane guard stands around: uniform accesses are safe
    std::unordered_map<const Expr*, ExprPtr> memo_;
    const char* why_ = "";
};

} // namespace loopscope::lower
