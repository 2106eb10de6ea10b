#include "compiler/codegen/emit/form_checker.h"

#include "compiler/lower/statements.h"
#include "core/ir/functions.h"
#include "core/ir/half.h"

namespace loopscope::codegen {

using lower::Statement;
using lower::StatementKind;

Diagnostics FormChecker::run() {
    if (!program_.flat)
        report("the program is not flat", "run all passes first");
    for (const auto& symbol : program_.symbols)
        variables_.insert(symbol);
    for (const auto& argument : program_.arguments)
        buffers_.insert(argument.buffer);
    for (const auto& buffer : program_.buffers)
        buffers_.insert(buffer.buffer);
    for (const auto& each : program_.launches) {
        where_ = each.name;
        launch(each);
        if (each.body)
            statement(*each.body);
    }
    return std::move(diagnostics_);
}

void FormChecker::report(const std::string& message, const std::string& remedy) {
    std::string place = where_.empty() ? "" : " (at " + where_ + ")";
    const auto text = what_ + ": " + message + place;
    if (said_.insert(text).second) // once of all statements that unrolling has made of one
        diagnostics_.push_back(error(text, remedy));
}

// What is left of f16 and bf16 after half_arithmetic moves and converts them.
void FormChecker::no_half(const Expr& e, const char* what) {
    for (const auto& a : e.args)
        if (is_half(a->type))
            report(std::string(what) + " of " + name(a->type), "run half_arithmetic first");
}

void FormChecker::expression(const ExprPtr& e) {
    if (!e)
        return;
    switch (e->kind) {
    case ExprKind::Unary:
    case ExprKind::Binary: no_half(*e, "an operation"); break;
    case ExprKind::Fma: no_half(*e, "an fma"); break;
    case ExprKind::Call:
        no_half(*e, "a function");
        if (!is_prelude_function(e->name))
            report("unknown function " + e->name, "");
        break;
    case ExprKind::Variable:
        if (!variables_.count(e->name))
            report("unknown variable " + e->name, "");
        break;
    case ExprKind::Load:
    case ExprKind::MaskedLoad: load(*e); break;
    case ExprKind::Let: {
        expression(e->args[0]);
        bool fresh = variables_.insert(e->name).second;
        expression(e->args[1]);
        if (fresh)
            variables_.erase(e->name);
        return;
    }
    default: break;
    }
    for (const auto& argument : e->args)
        expression(argument);
}

void FormChecker::load(const Expr& e) {
    if (!buffers_.count(e.name))
        report("unknown buffer " + e.name, "");
    if (e.component != 0)
        report("a tuple's part is read from " + e.name, "tuples must be split into buffers");
    std::size_t wanted = e.kind == ExprKind::Load ? 1 : 2;
    if (e.args.size() != wanted)
        report("a load from " + e.name + " has several indices", "flatten first");
}

void FormChecker::statement(const Statement& s) {
    auto enclosing = where_;
    if (!(s.origin == NodeId{}))
        where_ = s.origin.text();
    for (const auto& e : lower::expressions(s))
        expression(e);
    names_of(s);
    target_rules(s);
    for (const auto& child : s.children)
        if (child)
            statement(*child);
    if (s.kind == StatementKind::For || s.kind == StatementKind::Let)
        variables_.erase(s.variable);
    if (s.kind == StatementKind::Allocate)
        buffers_.erase(s.storage->buffer);
    where_ = enclosing;
}

void FormChecker::names_of(const Statement& s) {
    if (s.kind == StatementKind::For || s.kind == StatementKind::Let)
        variables_.insert(s.variable);
    if (s.kind == StatementKind::Allocate)
        allocation(s);
    if (lower::has_place(s))
        place(s);
    for (const auto& operand : s.operands) {
        if (!buffers_.count(operand.buffer))
            report("unknown buffer " + operand.buffer, "");
        if (operand.indices.size() != 1 && s.kind == lower::StatementKind::Intrinsic)
            report(s.instruction + " takes " + operand.buffer + " at several indices",
                   "flatten first");
    }
}

void FormChecker::place(const Statement& s) {
    if (s.kind == StatementKind::Atomic && !lower::combines_atomically(s.access->op, s.value->type))
        report("an atomic " +
                   std::string(s.access->op == Op::None ? "store" : symbol(s.access->op)) + " of " +
                   name(s.value->type) + " to " + s.access->buffer,
               "+ * min max, and `and` and `or` of bool");
    if (!buffers_.count(s.access->buffer))
        report("unknown buffer " + s.access->buffer, "");
    if (s.access->indices.size() != 1)
        report((s.kind == StatementKind::Prefetch ? "a prefetch of " : "a store to ") +
                   s.access->buffer + " has several indices",
               "flatten first");
}

void FormChecker::allocation(const Statement& s) {
    if (s.storage->rotation.slot_count != 1)
        report("buffer " + s.storage->buffer + " rotates", "run all passes first");
    if (s.storage->alignment < 1 || s.storage->alignment > 4096 ||
        (s.storage->alignment & (s.storage->alignment - 1)) != 0)
        report("buffer " + s.storage->buffer + " asks for an alignment of " +
                   std::to_string(s.storage->alignment),
               "powers of two up to 4096");
    buffers_.insert(s.storage->buffer);
}

} // namespace loopscope::codegen
