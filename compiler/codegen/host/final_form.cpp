#include "compiler/codegen/host/final_form.h"

#include "compiler/lower/statements.h"
#include "core/ir/functions.h"
#include "core/ir/half.h"

#include <set>

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;

class Checker {
public:
    explicit Checker(const lower::Program& program) {
        if (!program.flat)
            report("the program is not flat", "run all passes first");
        for (const auto& symbol : program.symbols)
            variables_.insert(symbol);
        for (const auto& argument : program.arguments) {
            buffers_.insert(argument.buffer);
        }
        for (const auto& launch : program.launches) {
            where_ = launch.name;
            if (launch.place != "host")
                report("launch " + launch.name + " is placed on \"" + launch.place + "\"",
                       "host code runs on \"host\" only");
            if (launch.body)
                statement(*launch.body);
        }
    }
    Diagnostics take() { return std::move(diagnostics_); }

private:
    void report(const std::string& message, const std::string& remedy) {
        std::string place = where_.empty() ? "" : " (at " + where_ + ")";
        diagnostics_.push_back(error("host code: " + message + place, remedy));
    }

    // What is left of f16 and bf16 after half_arithmetic moves and converts them.
    void no_half(const Expr& e, const char* what) {
        for (const auto& a : e.args)
            if (is_half(a->type))
                report(std::string(what) + " of " + name(a->type), "run half_arithmetic first");
    }

    void expression(const ExprPtr& e) {
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
        case ExprKind::MaskedLoad: {
            if (!buffers_.count(e->name))
                report("unknown buffer " + e->name, "");
            if (e->component != 0)
                report("a tuple's part is read from " + e->name,
                       "tuples must be split into buffers");
            std::size_t wanted = e->kind == ExprKind::Load ? 1 : 2;
            if (e->args.size() != wanted)
                report("a load from " + e->name + " has several indices", "flatten first");
            break;
        }
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

    void operation(const Statement& s) {
        if (!lower::combines_atomically(s.op, s.value->type))
            report("an atomic " + std::string(s.op == Op::None ? "store" : symbol(s.op)) + " of " +
                       name(s.value->type) + " to " + s.buffer,
                   "+ * min max, and `and` and `or` of bool");
    }

    void statement(const Statement& s) {
        auto enclosing = where_;
        if (!(s.origin == NodeId{}))
            where_ = s.origin.text();
        for (const auto* e : {&s.begin, &s.extent, &s.condition, &s.value, &s.mask})
            expression(*e);
        for (const auto& index : s.indices)
            expression(index);
        switch (s.kind) {
        case StatementKind::For:
            if (s.for_kind != lower::ForKind::Serial && s.for_kind != lower::ForKind::Parallel)
                report("loop " + s.name + " is neither serial nor parallel",
                       "run all passes first");
            variables_.insert(s.name);
            break;
        case StatementKind::Let: variables_.insert(s.name); break;
        case StatementKind::Atomic: operation(s); [[fallthrough]];
        case StatementKind::Prefetch:
        case StatementKind::Store:
            if (!buffers_.count(s.buffer))
                report("unknown buffer " + s.buffer, "");
            if (s.indices.size() != 1)
                report((s.kind == StatementKind::Prefetch ? "a prefetch of " : "a store to ") +
                           s.buffer + " has several indices",
                       "flatten first");
            break;
        case StatementKind::Allocate:
            if (s.rotation != 1)
                report("buffer " + s.buffer + " rotates", "pipelining is not part of host code");
            if (s.alignment < 1 || s.alignment > 4096 || (s.alignment & (s.alignment - 1)) != 0)
                report("buffer " + s.buffer + " asks for an alignment of " +
                           std::to_string(s.alignment),
                       "powers of two up to 4096");
            buffers_.insert(s.buffer);
            break;
        default: break;
        }
        for (const auto& child : s.children)
            if (child)
                statement(*child);
        if (s.kind == StatementKind::For || s.kind == StatementKind::Let)
            variables_.erase(s.name);
        if (s.kind == StatementKind::Allocate)
            buffers_.erase(s.buffer);
        where_ = enclosing;
    }

    std::set<std::string> variables_, buffers_;
    std::string where_;
    Diagnostics diagnostics_;
};

} // namespace

Diagnostics check_final_form(const lower::Program& program) { return Checker(program).take(); }

} // namespace loopscope::codegen
