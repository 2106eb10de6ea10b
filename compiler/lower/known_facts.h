#pragma once
// What is known at a place of a program: the ranges of loop variables and lets, and the conditions
// that hold there.

#include "compiler/lower/affine.h"
#include "compiler/lower/program.h"
#include "core/ir/range.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

class KnownFacts {
public:
    // A statement binds its name before anything asks for it: a binding may stay when it is left.
    // Conditions must not, nor what a let of an expression binds (LetScope).
    void bind_loop(const std::string& name, const ExprPtr& begin, const ExprPtr& extent);
    void bind_let(const std::string& name, const ExprPtr& value);
    void bind(const Statement& s); // what a loop or a let binds; others bind nothing

    // Until the mark is restored, `condition` is known to hold (or not to hold).
    struct Mark {
        std::size_t facts, conditions, ranges;
    };
    Mark mark() const;
    void assume(const ExprPtr& condition, bool holds);
    void restore(const Mark& mark);

    std::optional<Interval> range(const ExprPtr& e) const;
    std::optional<Interval> range(const Affine& a) const;
    // The exact affine form of an integer expression of 32 or 64 bits that cannot wrap; lets are
    // looked through. A vector's form holds in every lane (lane_atom).
    std::optional<Affine> affine(const ExprPtr& e) const;

    // Is a <= bound in every case?
    bool at_most(const Affine& a, std::int64_t bound) const;
    // The value that a comparison or another bool expression always has.
    std::optional<bool> decide(const ExprPtr& condition) const;
    // a <= b in every case (integers; false when it is not known).
    bool ordered(const ExprPtr& a, const ExprPtr& b) const;

    ExprPtr let_value(const std::string& name) const; // null when the name is no let's

    // The depth at which a name was bound: variables of outer statements come before those of inner
    // ones; -1 for symbols.
    int depth(const std::string& name) const;
    // The depth of the innermost variable in `e`.
    int depth(const ExprPtr& e) const;

private:
    friend class LetScope;
    struct Entry {
        std::optional<Interval> range;
        ExprPtr value; // of a let
        int depth = 0;
    };
    std::optional<Interval> range_of_name(const std::string& name) const;
    std::optional<Affine> affine_of(const ExprPtr& e, int budget) const;
    std::optional<Affine> affine_parts(const ExprPtr& e, int budget) const;
    bool at_most(const Affine& a, std::int64_t bound, int budget) const;
    bool at_most_by_facts(const Affine& a, std::int64_t bound) const;
    bool at_most_by_arms(const Affine& a, std::int64_t bound, int budget) const;
    void assume_comparison(const Expr& e, bool holds);
    void add_fact(const Affine& at_least_zero);

    std::unordered_map<std::string, Entry> names_;
    std::vector<Affine> facts_; // each is >= 0
    std::vector<std::pair<ExprPtr, bool>> conditions_;
    // ranges before they were refined
    std::vector<std::pair<std::string, std::optional<Interval>>> refined_;
    int next_depth_ = 0;
};

// The inside of a statement, for as long as the object lives: what the statement binds is known,
// and what becomes known meanwhile is forgotten afterwards.
class StatementScope {
public:
    StatementScope(KnownFacts& scope, const Statement& s) : scope_(scope), mark_(scope.mark()) {
        scope.bind(s);
    }
    ~StatementScope() { scope_.restore(mark_); }
    StatementScope(const StatementScope&) = delete;
    StatementScope& operator=(const StatementScope&) = delete;

private:
    KnownFacts& scope_;
    KnownFacts::Mark mark_;
};

// The body of a let in an expression. What it binds is forgotten behind it: expressions are also
// rewritten from the inside out, a part before the let around it is met, and copies of one have
// lets of one name with other values.
class LetScope {
public:
    LetScope(KnownFacts& scope, const std::string& name, const ExprPtr& value);
    ~LetScope();
    LetScope(const LetScope&) = delete;
    LetScope& operator=(const LetScope&) = delete;

private:
    KnownFacts& scope_;
    const std::string name_;
    KnownFacts::Entry before_;
};

// The statement with rebuilt children; in each branch of an if it is known which way the condition
// went.
StatementPtr with_rebuilt_children(const StatementPtr& s, KnownFacts& scope,
                                   const std::function<StatementPtr(const StatementPtr&)>& rebuild);

// The comparisons that a condition is made of by "and".
void conjuncts(const ExprPtr& condition, std::vector<ExprPtr>& out);

} // namespace loopscope::lower
