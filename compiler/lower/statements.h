#pragma once
// Small helpers that passes share: editing a statement, walking statements and their expressions.

#include "compiler/lower/program.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::lower {

// A copy of `s` that `edit` may change; nodes themselves are immutable.
template <typename Edit> StatementPtr edited(const StatementPtr& s, Edit edit) {
    Statement copy = *s;
    edit(copy);
    return std::make_shared<const Statement>(std::move(copy));
}

// The same statement with other children (unchanged ones give back the same pointer). Blocks are
// normalised again.
StatementPtr with_children(const StatementPtr& s, std::vector<StatementPtr> children);

// Maps every expression field of this statement alone; gives back the same pointer when nothing
// changed.
StatementPtr map_expressions(const StatementPtr& s,
                             const std::function<ExprPtr(const ExprPtr&)>& map);

// Calls `visit` on every statement, parents first; a false return does not descend.
void visit_statements(const StatementPtr& s, const std::function<bool(const Statement&)>& visit);
// Does `holds` hold of some statement? They are asked parents first, up to the first of which it
// does.
bool any_statement(const StatementPtr& s, const std::function<bool(const Statement&)>& holds);
// The expression fields of one statement, in a fixed order; null ones are left out.
std::vector<ExprPtr> expressions(const Statement& s);

inline bool is_bound(const Statement& s) {
    return s.kind == StatementKind::For && s.loop->kind == ForKind::Bound;
}

// Does it allocate memory that the threads of a block share, or private storage: that of each
// thread, or of the one of a CPU?
inline bool allocates_shared(const Statement& s) {
    return s.kind == StatementKind::Allocate && s.storage->scope.shared_by == device::Unit::Block;
}
inline bool allocates_own(const Statement& s) {
    return s.kind == StatementKind::Allocate && s.storage->scope.shared_by != device::Unit::Block;
}

// Store, Atomic and Copy: they have an access and a value.
inline bool writes(const Statement& s) {
    return s.kind == StatementKind::Store || s.kind == StatementKind::Atomic ||
           s.kind == StatementKind::Copy;
}

// Does it have a buffer and indices into it?
inline bool has_place(const Statement& s) { return static_cast<bool>(s.access); }

// The statement with all stores in it streaming, or none.
StatementPtr as_streaming(const StatementPtr& s, bool streaming);
bool streams(const StatementPtr& s); // some store in it does

// Is there an atomic store of this type by this operation? Of bool `and` and `or`; of all others +
// * min max.
bool combines_atomically(Op op, ScalarType type);

bool is_empty(const StatementPtr& s); // a block without children
StatementPtr empty_block();

// What is wrong with one statement by itself (verify_parts.cpp). Complete: it has the parts of its
// kind and no others, so that what it says can be looked into.
struct PartFaults {
    bool complete = true;
    std::vector<std::string> faults;
};
PartFaults part_faults(const Statement& s);

// Maps every launch's body; launches with an empty body stay (they are part of the program's
// interface).
Program map_bodies(const Program& program,
                   const std::function<StatementPtr(const StatementPtr&)>& map);

// Replaces free variables in all expressions of a statement.
StatementPtr substitute(const StatementPtr& s,
                        const std::function<ExprPtr(const std::string&)>& value_of);

// Does any expression at or below the statement use the variable?
bool uses_variable(const StatementPtr& s, const std::string& name);
// Does the expression load from the buffer, or one of the statement's own?
bool loads_from(const ExprPtr& e, const std::string& buffer);
bool loads_from(const Statement& s, const std::string& buffer);

// Counts statements and expression nodes (shared nodes once), as bounds on code growth do.
std::size_t size_of(const StatementPtr& s);

} // namespace loopscope::lower
