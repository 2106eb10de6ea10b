#include "compiler/codegen/c/check.h"

#include "compiler/codegen/c/lanes.h"
#include "compiler/lower/statements.h"
#include "core/ir/functions.h"
#include "core/ir/half.h"

namespace loopscope::codegen {

using lower::ForKind;
using lower::StatementKind;

Diagnostics SourceChecker::run() {
    for (const auto& launch : program_.launches) {
        where_ = launch.name;
        this->launch(launch);
        lower::visit_statements(launch.body, [&](const lower::Statement& s) {
            statement(s);
            return diagnostics_.size() < 100;
        });
    }
    return std::move(diagnostics_);
}

void SourceChecker::report(const std::string& message, const std::string& remedy) {
    diagnostics_.push_back(error(language_ + ": " + message + " (at " + where_ + ")", remedy));
}

void SourceChecker::statement(const lower::Statement& s) {
    if (!(s.origin == NodeId{}))
        where_ = s.origin.text();
    rules(s);
    if (s.kind == StatementKind::For && s.loop->kind == ForKind::Vectorized &&
        !is_loop_of_elements(s))
        report("loop " + s.variable + " is still vectorised", "run the pass vectorize first");
    if (s.kind == StatementKind::Allocate && s.storage->rotation.slot_count != 1)
        report("buffer " + s.storage->buffer + " rotates",
               "pipelining is not part of " + language_);
    if (s.kind == StatementKind::Atomic)
        operation(s);
    for (const auto& e : lower::expressions(s))
        visit(e, [&](const Expr& x) { return expression(x), true; });
}

void SourceChecker::operation(const lower::Statement& s) {
    if (!lower::combines_atomically(s.access->op, s.value->type))
        report("an atomic " +
                   std::string(s.access->op == Op::None ? "store" : symbol(s.access->op)) + " of " +
                   name(s.value->type) + " to " + s.access->buffer,
               "+ * min max, and `and` and `or` of bool");
}

void SourceChecker::expression(const Expr& e) {
    if (is_load(e) && e.component != 0)
        report("a tuple's part is read from " + e.name, "tuples must be split into buffers");
    bool computes =
        e.kind == ExprKind::Unary || e.kind == ExprKind::Binary || e.kind == ExprKind::Fma;
    for (const auto& a : e.args)
        if (computes && is_half(a->type))
            report("arithmetic on " + std::string(name(a->type)),
                   "run the pass half_arithmetic first");
    if (e.kind == ExprKind::Call && !is_prelude_function(e.name))
        report("unknown function " + e.name, "");
}

namespace {

class HostChecker final : public SourceChecker {
public:
    explicit HostChecker(const lower::Program& program) : SourceChecker(program, "C") {}

private:
    void launch(const lower::Launch& launch) override {
        if (launch.place != "host")
            report("launch " + launch.name + " is placed on \"" + launch.place + "\"",
                   "C is for the host; choose a CPU target");
    }
    void rules(const lower::Statement& s) override {
        if (s.kind == StatementKind::For && s.loop->kind == ForKind::Bound)
            report("loop " + s.variable + " is bound to " + s.loop->level,
                   "C is for the host; choose a CPU target");
    }
};

} // namespace

Diagnostics check_for_c(const lower::Program& program) { return HostChecker(program).run(); }

} // namespace loopscope::codegen
