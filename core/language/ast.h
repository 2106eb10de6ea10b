#pragma once
// The syntax tree of a `.loop` file: what was written, before anything is expanded or typed. Nodes
// point into the text of their SourceFile, which must outlive them.

#include "core/base/source.h"
#include "core/ir/expr.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace loopscope::ast {

struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// A name, perhaps with templates: g{l-1}_x has the text "g" and one part, {l-1} followed by "_x".
struct TemplatePart {
    ExprPtr value;
    std::string_view text_after;
};
struct Name {
    Span span;
    std::string_view text;
    std::vector<TemplatePart> parts;
    bool is_template() const { return !parts.empty(); }
};

// NAME in BEGIN..END
struct Axis {
    Name name;
    ExprPtr begin;
    ExprPtr end;
};

enum class ExprKind : std::uint8_t {
    Number,  // span is the text, with its suffix
    Literal, // name: true false inf nan
    Name,    // name
    Call,    // name; args
    // args[0]: what is indexed, a Name or a Call of a def; then the indices; component if `.N`
    // follows
    Index,
    Unary,     // op; args[0]
    Binary,    // op; args[0], args[1]
    Power,     // args[0] ** args[1]
    Let,       // name; args: value, body
    Reduction, // name: sum …; axes; args[0]: body; args[1], if any: condition
    Tuple,     // args
};

struct Expr {
    ExprKind kind = ExprKind::Number;
    Op op = Op::None;
    std::int16_t component = -1;
    std::uint16_t depth = 1; // of the tree below, this node included
    Span span;
    Name name;
    std::vector<ExprPtr> args;
    std::unique_ptr<std::vector<Axis>> axes;
};

enum class StatementKind : std::uint8_t {
    Param,    // name, value
    Symbolic, // name
    Const,    // name, types?, value
    Input,    // name, variables?, types, extents, boundary
    Stage,    // name, variables, types?, value
    Update,   // name, extents (the left indices), update, value, axes, condition
    Output,   // name, extents
    For,      // axes[0], body
    If,       // condition, body, otherwise
    Def,      // name, parameters, variables? (of a function of stages), value
    Broken,   // could not be parsed; name if it got that far; body of a broken block
};

struct TypeName {
    Span span;
    std::string_view text;
};

struct Statement {
    StatementKind kind = StatementKind::Broken;
    bool has_variables = false;
    UpdateOp update = UpdateOp::Assign;
    BoundaryKind boundary = BoundaryKind::None;
    Span span;
    Name name;
    std::vector<Name> variables;
    std::vector<Name> parameters;
    std::vector<TypeName> types; // empty: not written; several: of a tuple
    std::vector<ExprPtr> extents;
    ExprPtr value;
    ExprPtr boundary_value;
    std::vector<Axis> axes;
    ExprPtr condition;
    std::vector<std::unique_ptr<Statement>> body;
    std::vector<std::unique_ptr<Statement>> otherwise;
};
using StatementPtr = std::unique_ptr<Statement>;

struct File {
    SourceFilePtr source;
    Name name; // of the pipeline
    std::vector<StatementPtr> statements;
};

} // namespace loopscope::ast
