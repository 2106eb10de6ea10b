#pragma once
// Expressions: immutable, typed, shared. One form serves pipelines, schedules and loop programs;
// the kinds below "loop programs only" never occur in a pipeline.

#include "core/base/hash.h"
#include "core/base/source.h"
#include "core/ir/type.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

enum class Op : std::uint8_t {
    None,
    // unary; args[0]
    Negate,
    BitNot,
    LogicalNot,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Round,
    // binary; args[0], args[1] of one type
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitXor,
    BitOr,
    Min,
    Max,
    // comparisons; operands of one type, result bool
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    // on bool; both sides are evaluated
    LogicalAnd,
    LogicalOr,
};

enum class ExprKind : std::uint8_t {
    // bits: the value's bit pattern in the low bits (floats: IEEE; signed integers: sign-extended
    // to 64)
    Constant,
    Variable, // name: an index variable (i32), a let name, or a symbol
    Unary,    // op, args[0]
    Binary,   // op, args[0], args[1]
    Select,   // args: condition, value if true, value if false. Both arms are evaluated
    Cast,     // args[0], to `type`
    Let,      // name; args: value, body
    // name: stage, input (or buffer); component; args: one index per dimension, i32 or any integer
    // type
    Load,
    Fma, // args a, b, c: a*b + c, rounded once
    // name: a function of the prelude ("exp", "pow", …); args of one type, the result's. Defined by
    // core/language/prelude.h; every back end evaluates that definition
    Call,
    // args[0], of the type's width: the same bits as another type, from a float to the unsigned
    // integer or back: bits(x) and from_bits(T, n). A NaN becomes the one NaN (sign 0, quiet, the
    // rest 0) before its bits are taken
    Reinterpret,
    // Loop programs only:
    Ramp,      // args: base, stride (scalars); base + stride*lane
    Broadcast, // args: scalar
    // as Load; args: the indices, then a bool mask of the same lanes. A lane that is off touches no
    // memory and gives zero
    MaskedLoad,
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
    ExprKind kind = ExprKind::Constant;
    ScalarType type = ScalarType::I32;
    Op op = Op::None;
    std::uint16_t lanes = 1;    // above 1 in loop programs only
    std::uint64_t bits = 0;     // Constant
    std::int32_t component = 0; // Load of a tuple's part
    std::string name;           // Variable, Let, Load, Call
    std::vector<ExprPtr> args;
    SourceRange where; // not part of equality
    Hash hash = 0;     // structural: kind, type, op, lanes, bits, component, name, args
};

// Less, …, NotEqual: of two numbers of one type, with a truth value as the result.
constexpr bool is_comparison(Op op) { return op >= Op::Less && op <= Op::NotEqual; }

// Builders. They compute the hash and check operand types with assertions only: the parser has
// reported errors before.
ExprPtr constant_bits(ScalarType type, std::uint64_t bits, SourceRange where = {});
ExprPtr constant_int(ScalarType type, std::int64_t value,
                     SourceRange where = {}); // wraps to the type
ExprPtr constant_float(ScalarType type, double value,
                       SourceRange where = {}); // rounds to nearest even, once
// A constant of type i32, the type of indices and loops.
ExprPtr constant_index(std::int64_t value);
ExprPtr constant_bool(bool value, SourceRange where = {});
ExprPtr variable(const std::string& name, ScalarType type = ScalarType::I32,
                 SourceRange where = {});
// A name bound to a vector value (loop programs only).
ExprPtr vector_variable(const std::string& name, ScalarType type, int lanes);
ExprPtr unary(Op op, ExprPtr a, SourceRange where = {});
ExprPtr binary(Op op, ExprPtr a, ExprPtr b, SourceRange where = {});
ExprPtr select(ExprPtr condition, ExprPtr a, ExprPtr b, SourceRange where = {});
ExprPtr cast(ScalarType type, ExprPtr a, SourceRange where = {});
ExprPtr let(const std::string& name, ExprPtr value, ExprPtr body, SourceRange where = {});
ExprPtr load(const std::string& target, ScalarType type, std::vector<ExprPtr> indices,
             int component = 0, SourceRange where = {});
ExprPtr fma(ExprPtr a, ExprPtr b, ExprPtr c, SourceRange where = {});
ExprPtr call(const std::string& function, std::vector<ExprPtr> args, SourceRange where = {});
ExprPtr reinterpret(ScalarType type, ExprPtr a, SourceRange where = {});
ExprPtr ramp(ExprPtr base, ExprPtr stride, int lanes);
ExprPtr broadcast(ExprPtr scalar, int lanes);
ExprPtr masked_load(const std::string& target, ScalarType type, std::vector<ExprPtr> indices,
                    ExprPtr mask);
// The same node with other arguments (unchanged ones give back the same pointer); type and lanes
// are kept.
ExprPtr with_args(const ExprPtr& e, std::vector<ExprPtr> args);

bool equal(const ExprPtr& a, const ExprPtr& b); // structural
inline bool is_load(const Expr& e) {
    return e.kind == ExprKind::Load || e.kind == ExprKind::MaskedLoad;
}
bool is_constant(const ExprPtr& e);
// The value of an integer (or bool) constant; false and `out` untouched otherwise, and for a u64
// above INT64_MAX.
bool constant_value(const ExprPtr& e, std::int64_t& out);
double constant_float_value(const ExprPtr& e); // of a float constant: exact

// Calls `visit` once on every distinct node (a shared one is not repeated; count by paths
// yourself), parents first; a false return does not descend.
void visit(const ExprPtr& e, const std::function<bool(const Expr&)>& visit);
// Does `holds` hold of some node? Parents are asked first, up to the first of which it does; of no
// expression (null) it does not.
bool any_node(const ExprPtr& e, const std::function<bool(const Expr&)>& holds);
bool contains_load(const ExprPtr& e);
bool uses_variable(const ExprPtr& e, const std::string& name);
// The nodes of expressions, each of which may be null: a shared one counts once.
std::int64_t count_distinct(const std::vector<ExprPtr>& expressions);
// Rewrites bottom-up: `rewrite` gets each node with rewritten arguments, and returns it or another.
ExprPtr rewrite(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& rewrite);
// Replaces free variables by name; names bound by an inner Let are left alone. Let names are unique
// in a pipeline (the parser makes them so), hence no capture.
ExprPtr substitute(const ExprPtr& e, const std::function<ExprPtr(const std::string&)>& value_of);

int precedence(const Expr& e);
const char* symbol(Op op); // "+", "min"
// The text of an expression in the pipeline language (also readable for loop programs): round-trips
// through the parser. Cut with "…" beyond 4,000,000 characters, which only a shared graph reaches.
std::string to_text(const ExprPtr& e);
// The same, with a type suffix on constants that the parser would otherwise compute with exactly,
// as in 2i32 + 3i32: it reads back as an equal expression.
std::string to_exact_text(const ExprPtr& e);

} // namespace loopscope
